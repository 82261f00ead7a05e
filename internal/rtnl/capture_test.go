package rtnl

import (
	"encoding/hex"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The files in testdata/ are one netlink message each, header and all, as hex;
// a '#' starts a comment. testdata/README.md says more.

var update = flag.Bool("update", false, "take the captures in testdata/ again (root)")

// readCapture returns the message in a file below testdata/.
func readCapture(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", path))
	if err != nil {
		t.Fatalf("read capture: %v", err)
	}
	var digits strings.Builder
	for line := range strings.Lines(string(text)) {
		code, _, _ := strings.Cut(line, "#")
		for field := range strings.FieldsSeq(code) {
			digits.WriteString(field)
		}
	}
	b, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatalf("read capture %s: %v", path, err)
	}
	return b
}

// readBody returns the body of the message in a file, which must be of a kind.
func readBody(t testing.TB, path string, kind uint16) []byte {
	t.Helper()
	m, rest, err := nextMessage(readCapture(t, path))
	if err != nil || len(rest) != 0 || m.kind != kind {
		t.Fatalf("capture %s: type %d, %d bytes after the message, error %v", path, m.kind, len(rest), err)
	}
	return m.body
}

// captures returns the paths of all files in one folder of testdata/.
func captures(t testing.TB, folder string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", folder, "*.hex"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no captures in testdata/%s: %v", folder, err)
	}
	for i, path := range found {
		found[i] = filepath.Join(folder, filepath.Base(path))
	}
	return found
}

// subject is a device of which captures are taken, made with a fixed index and
// address, so that taking them again changes only what the kernel changed.
type subject struct {
	index   int
	command string
	link    func(netlink.LinkAttrs) netlink.Link
}

var subjects = map[string]subject{
	"lo":     {1, "none: every namespace has it; ip link set lo up, 3 UDP datagrams of 100 bytes", nil},
	"bridge": {10, "ip link add bridge type bridge", func(a netlink.LinkAttrs) netlink.Link { return &netlink.Bridge{LinkAttrs: a} }},
	"veth": {11, "ip link add veth type veth peer name peer; ip link set veth up master bridge alias 'uplink of pod 7'; ip link property add dev veth altname a-name-of-more-than-fifteen-bytes altname enp3s0f0np0", func(a netlink.LinkAttrs) netlink.Link {
		return &netlink.Veth{LinkAttrs: a, PeerName: "peer"}
	}},
	"macvlan": {13, "ip link add macvlan link bridge type macvlan mode private", func(a netlink.LinkAttrs) netlink.Link {
		a.ParentIndex = 10
		return &netlink.Macvlan{LinkAttrs: a, Mode: netlink.MACVLAN_MODE_PRIVATE}
	}},
	"vxlan": {14, "ip link add vxlan type vxlan id 42 dstport 4789", func(a netlink.LinkAttrs) netlink.Link {
		return &netlink.Vxlan{LinkAttrs: a, VxlanId: 42, Port: 4789}
	}},
	"veth-of-pod": {16, "ip link add veth-of-pod type veth peer name eth0 netns pod", nil}, // addForeignVeth
	"ifb":         {15, "ip link add ifb type ifb", func(a netlink.LinkAttrs) netlink.Link { return &netlink.Ifb{LinkAttrs: a} }},
}

// subjectOrder is the order they are made in: some need others.
var subjectOrder = []string{"lo", "bridge", "veth", "macvlan", "vxlan", "ifb"}

// TestCaptures takes the captures again with -update.
func TestCaptures(t *testing.T) {
	if !*update {
		for name := range subjects {
			readBody(t, "link/"+name+".hex", unix.RTM_NEWLINK)
			readBody(t, "stats/"+name+".hex", unix.RTM_NEWSTATS)
		}
		return
	}
	worlds.Enter(t)
	for _, name := range subjectOrder {
		makeSubject(t, name)
	}
	decorate(t)
	addForeignVeth(t, 16, "veth-of-pod")
	sendOverLoopback(t, 3, 100)
	for index, raw := range takeAll(t, linksRequest(), unix.RTM_NEWLINK) {
		writeCapture(t, "link", "RTM_GETLINK with RTEXT_FILTER_SKIP_STATS", index, raw)
	}
	for index, raw := range takeAll(t, statsRequest(unix.NLM_F_DUMP), unix.RTM_NEWSTATS) {
		writeCapture(t, "stats", "RTM_GETSTATS of LINK_64 and, of OFFLOAD_XSTATS, CPU_HIT", index, raw)
	}
}

func makeSubject(t *testing.T, name string) {
	t.Helper()
	s := subjects[name]
	if s.link == nil {
		return
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.Index = name, s.index
	attrs.HardwareAddr = net.HardwareAddr{0x02, 0, 0, 0, 0, byte(s.index)}
	if err := netlink.LinkAdd(s.link(attrs)); err != nil {
		t.Fatalf("add %s: %v", name, err)
	}
}

// decorate gives the veth what a link may have beside a name.
func decorate(t *testing.T) {
	t.Helper()
	veth := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Index: 11}}
	bridge := &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Index: 10}}
	for _, err := range []error{
		netlink.LinkSetMaster(veth, bridge),
		netlink.LinkSetUp(veth),
		netlink.LinkSetAlias(veth, "uplink of pod 7"),
		netlink.LinkAddAltName(veth, "a-name-of-more-than-fifteen-bytes"),
		netlink.LinkAddAltName(veth, "enp3s0f0np0"),
	} {
		if err != nil {
			t.Fatalf("decorate veth: %v", err)
		}
	}
}

// addForeignVeth makes a veth whose peer is in another, empty namespace.
func addForeignVeth(t *testing.T, index int, name string) {
	t.Helper()
	pod := otherNamespace(t)
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.Index = name, index
	attrs.HardwareAddr = net.HardwareAddr{0x02, 0, 0, 0, 0, byte(index)}
	veth := &netlink.Veth{LinkAttrs: attrs, PeerName: "eth0", PeerNamespace: netlink.NsFd(int(pod.Fd()))}
	if err := netlink.LinkAdd(veth); err != nil {
		t.Fatalf("add veth with its peer in another namespace: %v", err)
	}
}

// otherNamespace makes a network namespace and stays where it is.
func otherNamespace(t *testing.T) *os.File {
	t.Helper()
	var file *os.File
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err = unix.Unshare(unix.CLONE_NEWNET); err == nil {
			file, err = os.Open("/proc/thread-self/ns/net")
		}
	}()
	<-done
	if err != nil {
		t.Fatalf("make another network namespace: %v", err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// sendOverLoopback sets lo up and sends UDP datagrams to a socket of its own.
// It returns what that adds to bytes received and sent.
func sendOverLoopback(t *testing.T, datagrams, size int) (bytes uint64) {
	t.Helper()
	if err := netlink.LinkSetUp(&netlink.GenericLink{LinkAttrs: netlink.LinkAttrs{Index: 1}}); err != nil {
		t.Fatalf("set lo up: %v", err)
	}
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for range datagrams {
		if _, err := socket.WriteTo(make([]byte, size), socket.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := socket.ReadFrom(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	const headers = 20 + 8 // IPv4, UDP: lo does not count the link layer
	return uint64(datagrams * (size + headers))
}

// takeAll returns the raw messages of a dump by interface index.
func takeAll(t *testing.T, request []byte, kind uint16) map[int][]byte {
	t.Helper()
	s, err := openSocket(0, requestReceiveBuffer)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.send(request); err != nil {
		t.Fatal(err)
	}
	taken := map[int][]byte{}
	for buffer := make([]byte, bufferSize); ; {
		length, err := s.receive(t.Context(), buffer)
		if err != nil {
			t.Fatal(err)
		}
		for rest := buffer[:length]; len(rest) > 0; {
			m, after, err := nextMessage(rest)
			if err != nil {
				t.Fatal(err)
			}
			switch m.kind {
			case kind:
				index := int(native.Uint32(m.body[4:])) // same place in ifinfomsg and if_stats_msg
				taken[index] = append([]byte(nil), rest[:len(rest)-len(after)]...)
			case unix.NLMSG_DONE:
				return taken
			}
			rest = after
		}
	}
}

func writeCapture(t *testing.T, folder, request string, index int, raw []byte) {
	t.Helper()
	for name, s := range subjects {
		if s.index != index {
			continue
		}
		var system unix.Utsname
		if err := unix.Uname(&system); err != nil {
			t.Fatal(err)
		}
		native.PutUint32(raw[12:], 0) // nlmsg_pid: the socket's address, another every time
		var b strings.Builder
		release, _, _ := strings.Cut(unix.ByteSliceToString(system.Release[:]), "-")
		fmt.Fprintf(&b, "# request: %s\n# device:  %s\n# kernel:  Linux %s %s\n# taken:   go test ./internal/rtnl -run TestCaptures -update\n",
			request, s.command, release, unix.ByteSliceToString(system.Machine[:]))
		for len(raw) > 0 {
			n := min(32, len(raw))
			fmt.Fprintf(&b, "%x\n", raw[:n])
			raw = raw[n:]
		}
		if err := os.WriteFile(filepath.Join("testdata", folder, name+".hex"), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
