package rtnl

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// script is a kernel that answers with what a test wrote down: one datagram for
// each receive, an empty one for "nothing yet".
type script struct {
	sent    []string
	answers []string
	errs    []error // one for each receive after the answers
}

func (s *script) send(requests []byte) error {
	s.sent = append(s.sent, string(requests))
	return nil
}

func (s *script) receive(_ context.Context, buffer []byte) (int, error) {
	return s.receiveNow(buffer)
}

func (s *script) receiveNow(buffer []byte) (int, error) {
	if len(s.answers) > 0 {
		answer := s.answers[0]
		s.answers = s.answers[1:]
		if answer != "" {
			copy(buffer, answer)
			return len(answer), nil
		}
		return 0, unix.EAGAIN
	}
	if len(s.errs) > 0 {
		err := s.errs[0]
		s.errs = s.errs[1:]
		return 0, err
	}
	return 0, errors.New("script is at its end")
}

func (s *script) Close() error { return nil }

func newLink(sequence, index uint32, attributes string) string {
	return packet(unix.RTM_NEWLINK, unix.NLM_F_MULTI, sequence, ifinfo(index)+attributes)
}

func newStats(sequence, index uint32) string {
	return packet(unix.RTM_NEWSTATS, 0, sequence, ifstats(index)+attribute(12, unix.IFLA_STATS_LINK_64, "12345678"))
}

func done(sequence uint32) string {
	return packet(unix.NLMSG_DONE, unix.NLM_F_MULTI, sequence, code(0))
}

// linkIndexes runs Links and returns the indexes it visited.
func linkIndexes(c *Conn) (visited []int, err error) {
	err = c.Links(context.Background(), func(l Link) { visited = append(visited, l.Index) })
	return visited, err
}

func TestLinksInterrupted(t *testing.T) {
	c := newConn(&script{answers: []string{
		newLink(1, 1, ""),
		packet(unix.RTM_NEWLINK, unix.NLM_F_MULTI|unix.NLM_F_DUMP_INTR, 1, ifinfo(2)) + done(1),
	}})
	visited, err := linkIndexes(c)
	if !errors.Is(err, ErrInterrupted) || !slices.Equal(visited, []int{1, 2}) {
		t.Errorf("visited %v, error %v; want 1 2 and ErrInterrupted", visited, err)
	}
}

func TestStatsInterruptedIsNoError(t *testing.T) {
	c := newConn(&script{answers: []string{newStats(1, 1) + packet(unix.NLMSG_DONE, unix.NLM_F_DUMP_INTR, 1, code(0))}})
	visits := 0
	if err := c.Stats(t.Context(), func(*Stats) { visits++ }); err != nil || visits != 1 {
		t.Errorf("%d visits, error %v", visits, err)
	}
}

func TestOneBadLinkHidesNoOther(t *testing.T) {
	c := newConn(&script{answers: []string{
		newLink(1, 1, "") + newLink(1, 2, attribute(5, unix.IFLA_MTU, "x")) + newLink(1, 3, attribute(6, unix.IFLA_MTU, "xy")),
		packet(unix.NLMSG_NOOP, 0, 1, "") + newLink(1, 4, "") + done(1),
	}})
	visited, err := linkIndexes(c)
	const want = "read links: link 2: IFLA_MTU: 1 bytes, want 4"
	if err == nil || err.Error() != want || !slices.Equal(visited, []int{1, 4}) {
		t.Errorf("visited %v, error %v; want 1 4 and %s", visited, err, want)
	}
}

func TestDumpRefused(t *testing.T) {
	words := attribute(4+6, unix.NLMSGERR_ATTR_MSG, "sorry\x00")
	c := newConn(&script{answers: []string{
		packet(unix.NLMSG_ERROR, unix.NLM_F_ACK_TLVS|unix.NLM_F_CAPPED, 1, code(int32(unix.EOPNOTSUPP))+packet(unix.RTM_GETSTATS, 0, 1, "")+words),
	}})
	err := c.Stats(t.Context(), func(*Stats) {})
	if !errors.Is(err, unix.EOPNOTSUPP) || err.Error() != "read link statistics: operation not supported: sorry" {
		t.Errorf("error %v", err)
	}
	if c.unread {
		t.Error("a refused dump counts as unread")
	}
}

// TestStatsThatADriverFailedAt: the kernel ends a dump with the errno of a driver
// after a message of that device, with zeros for what the driver did not tell.
func TestStatsThatADriverFailedAt(t *testing.T) {
	c := newConn(&script{answers: []string{
		newStats(1, 1) + newStats(1, 2) + newStats(1, 3) + packet(unix.NLMSG_DONE, unix.NLM_F_MULTI, 1, code(int32(unix.EIO))),
	}})
	var visited []int
	err := c.Stats(t.Context(), func(s *Stats) { visited = append(visited, s.Index) })
	if !errors.Is(err, unix.EIO) || !slices.Equal(visited, []int{1, 2}) {
		t.Errorf("visited %v, error %v; want 1 2 and EIO", visited, err)
	}
}

func TestDumpSkipsEarlierAnswers(t *testing.T) {
	c := newConn(&script{answers: []string{newLink(41, 8, "") + done(41), newLink(43, 9, ""), newLink(42, 1, "") + done(42)}})
	c.sequence = 41
	visited, err := linkIndexes(c)
	if err != nil || !slices.Equal(visited, []int{1}) {
		t.Errorf("visited %v, error %v; want 1", visited, err)
	}
}

// TestAbortedDumpIsReadFirst: a second dump while one is in progress would be
// refused with EBUSY.
func TestAbortedDumpIsReadFirst(t *testing.T) {
	s := &script{answers: []string{newLink(1, 1, ""), "\x01\x02", newLink(1, 2, "") + done(1), "", newLink(2, 3, "") + done(2)}}
	c := newConn(s)
	if _, err := linkIndexes(c); err == nil || !strings.Contains(err.Error(), "netlink message: 2 bytes") {
		t.Fatalf("error %v, want that of a message of 2 bytes", err)
	}
	visited, err := linkIndexes(c)
	if err != nil || !slices.Equal(visited, []int{3}) || len(s.sent) != 2 {
		t.Errorf("visited %v after %d requests, error %v; want 3 after 2", visited, len(s.sent), err)
	}
}

func TestLeftoversAreReadDespiteOverrun(t *testing.T) {
	c := newConn(&script{errs: []error{unix.ENOBUFS, unix.ENOBUFS, unix.EAGAIN, unix.EIO}})
	c.unread = true
	if _, err := linkIndexes(c); !errors.Is(err, unix.EIO) || c.sequence != 1 {
		t.Errorf("error %v at request %d; want EIO of request 1", err, c.sequence)
	}
	if _, err := linkIndexes(c); err == nil || !c.unread {
		t.Errorf("error %v, unread %v; want an error and all unread still", err, c.unread)
	}
}

func TestLongAnswerGrowsTheBuffer(t *testing.T) {
	long := newLink(1, 1, attribute(4+bufferSize, unix.IFLA_IFALIAS, strings.Repeat("x", bufferSize)))
	s := &script{answers: []string{long, "", newLink(2, 1, "") + done(2)}}
	c := newConn(s)
	visited, err := linkIndexes(c)
	if err != nil || !slices.Equal(visited, []int{1}) || len(s.sent) != 2 || len(c.buffer) < len(long) {
		t.Errorf("visited %v after %d requests, buffer %d, error %v; want 1 after 2 with %d", visited, len(s.sent), len(c.buffer), err, len(long))
	}
}

func TestLongerAndLongerAnswersEnd(t *testing.T) {
	s := &script{}
	for i := range 10 {
		s.answers = append(s.answers, strings.Repeat("x", bufferSize+1000*(i+1)), "")
	}
	_, err := linkIndexes(newConn(s))
	if err == nil || !strings.Contains(err.Error(), "does not fit the buffer") || len(s.sent) != attempts {
		t.Errorf("error %v after %d requests, want one after %d", err, len(s.sent), attempts)
	}
}

func TestNothingIsSentAfterTheContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &script{}
	c := newConn(s)
	for _, err := range []error{
		c.Links(ctx, func(Link) {}),
		c.Stats(ctx, func(*Stats) {}),
		c.StatsOf(ctx, []int{1}, func(*Stats) {}, func(int, error) {}),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	}
	if len(s.sent) != 0 || c.unread {
		t.Errorf("%d requests sent, unread %v", len(s.sent), c.unread)
	}
}

func TestStatsOfOneBadDeviceHidesNoOther(t *testing.T) {
	s := &script{answers: []string{
		newStats(7, 99), // of an earlier call
		newStats(11, 1),
		packet(unix.NLMSG_ERROR, unix.NLM_F_CAPPED, 12, code(int32(unix.ENODEV))+packet(unix.RTM_GETSTATS, 0, 12, "")),
		packet(unix.RTM_NEWSTATS, 0, 13, ifstats(3)+attribute(5, unix.IFLA_STATS_LINK_64, "x")) + newStats(14, 4),
		packet(unix.NLMSG_ERROR, 0, 15, code(0)),
		newStats(16, 6),
	}}
	c := newConn(s)
	c.sequence = 10
	var visited, failed []int
	var faults []string
	err := c.StatsOf(t.Context(), []int{1, 2, 3, 4, 5, 6},
		func(s *Stats) { visited = append(visited, s.Index) },
		func(index int, err error) { failed, faults = append(failed, index), append(faults, err.Error()) })
	if err != nil || len(s.sent) != 1 {
		t.Fatalf("error %v after %d sends", err, len(s.sent))
	}
	if !slices.Equal(visited, []int{1, 4, 6}) || !slices.Equal(failed, []int{2, 3, 5}) {
		t.Errorf("visited %v, failed %v; want 1 4 6 and 2 3 5", visited, failed)
	}
	want := []string{"no such device", "stats of link 3: IFLA_STATS_LINK_64: 1 bytes, want a multiple of 8", "netlink message type 2 instead of statistics"}
	if !slices.Equal(faults, want) {
		t.Errorf("faults %q, want %q", faults, want)
	}
}

func TestStatsOfStopsWhenAnswersAreLost(t *testing.T) {
	c := newConn(&script{answers: []string{newStats(1, 1)}, errs: []error{unix.ENOBUFS}})
	visits := 0
	err := c.StatsOf(t.Context(), []int{1, 2}, func(*Stats) { visits++ }, func(index int, err error) { t.Errorf("device %d: %v", index, err) })
	if !errors.Is(err, unix.ENOBUFS) || visits != 1 || !c.unread {
		t.Errorf("error %v, %d visits, unread %v; want ENOBUFS, 1, true", err, visits, c.unread)
	}
}

// TestRequests holds the requests byte for byte (little endian).
func TestRequests(t *testing.T) {
	if got, want := string(linksRequest()),
		"\x28\x00\x00\x00\x12\x00\x01\x03\x00\x00\x00\x00\x00\x00\x00\x00"+ // RTM_GETLINK, dump
			strings.Repeat("\x00", 16)+
			"\x08\x00\x1d\x00\x08\x00\x00\x00"; got != want { // IFLA_EXT_MASK: RTEXT_FILTER_SKIP_STATS alone
		t.Errorf("links request\n%x, want\n%x", got, want)
	}
	if got, want := string(statsRequest(unix.NLM_F_DUMP)),
		"\x28\x00\x00\x00\x5e\x00\x01\x03\x00\x00\x00\x00\x00\x00\x00\x00"+ // RTM_GETSTATS, dump
			"\x00\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00"+ // LINK_64 | OFFLOAD_XSTATS
			"\x0c\x00\x01\x80\x08\x00\x04\x00\x01\x00\x00\x00"; got != want { // of the latter CPU_HIT
		t.Errorf("stats request\n%x, want\n%x", got, want)
	}
}
