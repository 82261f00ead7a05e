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
	table := e.table(t, "snmp", "Icmp:") // names, then values
	if len(table) != 2 || len(table[0]) != len(table[1]) {
		t.Fatalf("/proc/net/snmp: %q", table)
	}
	n, err := strconv.Atoi(table[1][slices.Index(table[0], "InEchos")])
	must(t, err)
	return n
}

// Received is how many packets the endpoint's device has received
// (/proc/net/dev).
func (e Endpoint) Received(t testing.TB) int {
	t.Helper()
	table := e.table(t, "dev", e.Device+":") // bytes, packets…
	if len(table) != 1 || len(table[0]) < 3 {
		t.Fatalf("/proc/net/dev: %q", table)
	}
	n, err := strconv.Atoi(table[0][2])
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
