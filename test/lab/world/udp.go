package world

import (
	"net"
	"testing"
	"time"
)

// Exchange sends UDP datagrams to another endpoint, one after the other, and
// has each come back. It returns how many came back, each within five seconds, until
// one did not.
func (e Endpoint) Exchange(t testing.TB, with Endpoint, datagrams int) (answered int) {
	t.Helper()
	const port = 9 // discard
	var server, client *net.UDPConn
	var err error
	with.Inside(t, func() {
		server, err = net.ListenUDP("udp4", &net.UDPAddr{IP: with.Address.AsSlice(), Port: port})
		must(t, err)
	})
	defer server.Close() // and with it echo
	e.Inside(t, func() {
		client, err = net.DialUDP("udp4", nil, &net.UDPAddr{IP: with.Address.AsSlice(), Port: port})
		must(t, err)
	})
	defer client.Close()
	go echo(server)
	for range datagrams {
		_, err := client.Write([]byte("x"))
		must(t, err)
		must(t, client.SetReadDeadline(time.Now().Add(5*time.Second)))
		if _, err := client.Read(make([]byte, 1)); err != nil {
			return answered
		}
		answered++
	}
	return answered
}

// echo sends back what a socket receives until it is closed.
func echo(socket *net.UDPConn) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFromUDP(buffer)
		if err != nil {
			return
		}
		_, _ = socket.WriteToUDP(buffer[:n], from)
	}
}
