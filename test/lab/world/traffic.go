package world

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Pings is how many echo requests a Ping sends, or more until as many are
// answered.
const Pings = 3

// answered is of what ping(8) prints at its end.
var answered = regexp.MustCompile(`\d+ packets transmitted, (\d+) received`) // 3 packets transmitted, 3 received, 0% packet loss

// Ping sends echo requests until Pings of them are answered, for ten seconds at
// most, and returns how many were, which may be more where answers took their
// time.
func (e Endpoint) Ping(t testing.TB, to Endpoint) int {
	t.Helper()
	return e.ping(t, to, "-i", "0.02", "-w", "10")
}

// PingInVain sends exactly Pings echo requests that should not be answered, and
// returns how many were within a third of a second after the last.
func (e Endpoint) PingInVain(t testing.TB, to Endpoint) int {
	t.Helper()
	return e.ping(t, to, "-i", "0.02", "-W", "0.3")
}

func (e Endpoint) ping(t testing.TB, to Endpoint, options ...string) int {
	t.Helper()
	args := append([]string{"-n", "-q", "-c", strconv.Itoa(Pings)}, options...)
	out, err := e.tryInside(t, "ping", append(args, to.Address.String())...)
	found := answered.FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("ping said %q: %v", out, err)
	}
	n, err := strconv.Atoi(found[1])
	must(t, err)
	return n
}

// Echoes is how many echo requests have reached the endpoint, answered or not
// (IcmpInEchos, /proc/net/snmp).
func (e Endpoint) Echoes(t testing.TB) int {
	t.Helper()
	return int(e.counter(t, "snmp", "Icmp:", "InEchos"))
}

// Received is how many packets the endpoint's device has received.
func (e Endpoint) Received(t testing.TB) int {
	t.Helper()
	return int(e.Traffic(t).RxPackets)
}

// Traffic is what the endpoint's device has received and sent (/proc/net/dev).
func (e Endpoint) Traffic(t testing.TB) Traffic {
	t.Helper()
	table := e.table(t, "dev", e.Device+":") // rx bytes, packets, …; tx from the ninth on
	if len(table) != 1 || len(table[0]) < 11 {
		t.Fatalf("/proc/net/dev: %q", table)
	}
	f := table[0]
	return Traffic{integer(t, f[2]), integer(t, f[1]), integer(t, f[10]), integer(t, f[9])}
}

// IPReceived is how many packets of IPv4, and bytes of them, have reached the
// endpoint's namespace (Ip InReceives, IpExt InOctets).
func (e Endpoint) IPReceived(t testing.TB) (packets, bytes int64) {
	t.Helper()
	return e.counter(t, "snmp", "Ip:", "InReceives"), e.counter(t, "netstat", "IpExt:", "InOctets")
}

// counter is a counter of a file of /proc/net with a line of names and one of
// values.
func (e Endpoint) counter(t testing.TB, file, first, name string) int64 {
	t.Helper()
	table := e.table(t, file, first)
	if len(table) != 2 || len(table[0]) != len(table[1]) || !slices.Contains(table[0], name) {
		t.Fatalf("/proc/net/%s: %q", file, table)
	}
	return integer(t, table[1][slices.Index(table[0], name)])
}

func integer(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	must(t, err)
	return n
}

// table is the lines of a file of /proc/net in this namespace that begin with a
// word, by their words.
func (n Namespace) table(t testing.TB, file, first string) (lines [][]string) {
	t.Helper()
	n.Inside(t, func() {
		text, err := os.ReadFile("/proc/thread-self/net/" + file)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 0 && f[0] == first {
				lines = append(lines, f)
			}
		}
	})
	return lines
}
