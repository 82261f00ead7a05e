package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/mdlayher/vsock"
	toolkit "github.com/prometheus/exporter-toolkit/web"
)

// open opens all listeners that flags ask for, or none.
func open(ctx context.Context, flags *toolkit.FlagConfig) ([]net.Listener, error) {
	if flags.WebSystemdSocket != nil && *flags.WebSystemdSocket {
		return activated()
	}
	if flags.WebListenAddresses == nil || len(*flags.WebListenAddresses) == 0 {
		return nil, toolkit.ErrNoListeners
	}
	var listeners []net.Listener
	for _, address := range *flags.WebListenAddresses {
		l, err := listen(ctx, address)
		if err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("web listen address %q: %w", address, err)
		}
		listeners = append(listeners, l)
	}
	return listeners, nil
}

// CheckAddress says what is wrong with an address that can never be listened
// on. It opens nothing: the address may be in use by the service itself.
func CheckAddress(address string) error {
	hostPort, isVsock := strings.CutPrefix(address, "vsock://")
	if isVsock {
		_, err := vsockPort(hostPort)
		return err
	}
	if address == "" {
		return errors.New("it is empty")
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	return err
}

// listen opens a TCP address ("host:port") or one of AF_VSOCK ("vsock://:port",
// vsock(7)).
func listen(ctx context.Context, address string) (net.Listener, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	hostPort, ok := strings.CutPrefix(address, "vsock://")
	if !ok {
		return new(net.ListenConfig).Listen(ctx, "tcp", address)
	}
	port, err := vsockPort(hostPort)
	if err != nil {
		return nil, err
	}
	return vsock.Listen(port, nil)
}

// vsockPort reads ":port"; the host is always this machine.
func vsockPort(hostPort string) (uint32, error) {
	_, text, err := net.SplitHostPort(hostPort)
	if err != nil {
		return 0, err
	}
	port, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("vsock port: %w", err)
	}
	return uint32(port), nil
}

// activated returns the sockets that systemd opened for this process
// (sd_listen_fds(3)).
func activated() ([]net.Listener, error) {
	listeners, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("systemd sockets: %w", err)
	}
	if len(listeners) == 0 {
		return nil, errors.New("systemd sockets: none were passed; start the service by its .socket unit")
	}
	for i, l := range listeners {
		if l == nil {
			closeAll(listeners)
			return nil, fmt.Errorf("systemd sockets: number %d is not a stream socket (ListenStream=)", i+1)
		}
	}
	return listeners, nil
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		if l != nil {
			_ = l.Close() // a server has closed it already, or nobody has used it
		}
	}
}
