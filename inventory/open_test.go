package inventory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs/sysfstest"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"golang.org/x/sys/unix"
)

// Where the tests run, whatever that is and as whatever user.
func TestOpenThisMachine(t *testing.T) {
	i := live(t, Options{})
	s := i.Snapshot()
	if d := deviceNamed(t, s, "lo"); d.Role != Loopback || d.Index != 1 {
		t.Errorf("lo: %+v", d)
	}
	for _, d := range s.Devices {
		if d.PCI != "" && (d.Driver == "" || d.Role == Other) {
			t.Errorf("a PCI function without driver or role: %+v", d)
		}
	}
	t.Logf("%s; %+v; notes %v", s.Summary(), s.Namespace, s.Notes)
}

func TestOpenWithinANamespaceOfItsOwn(t *testing.T) {
	worlds.Enter(t)
	i := live(t, Options{Procfs: procfs(t, "pid:[4026531836]", "net:[4026531833]")})
	s := i.Snapshot()
	if namesIn(s) != "lo" || s.Namespace.Host != NotHost || len(notesOf(s, "netns")) != 1 {
		t.Errorf("devices %q, %+v, notes %v", namesIn(s), s.Namespace, s.Notes)
	}
}

func TestErrorsOfOpeningSayWhatToDo(t *testing.T) {
	err := advised(fmt.Errorf("watch links: %w", unix.EAFNOSUPPORT))
	if !errors.Is(err, unix.EAFNOSUPPORT) || !strings.Contains(err.Error(), "add AF_NETLINK to RestrictAddressFamilies=") {
		t.Errorf("error %v", err)
	}
	if err := advised(unix.EMFILE); !errors.Is(err, unix.EMFILE) || strings.Contains(err.Error(), "systemd") {
		t.Errorf("error %v", err)
	}
	if n := devlinkNote(fs.ErrNotExist); n.Outcome != outcome.Unsupported || n.Source != "devlink" || !strings.Contains(n.Text, "no devlink") {
		t.Errorf("note %+v", n)
	}
	if n := devlinkNote(unix.EPERM); n.Outcome != outcome.NotPermitted || !strings.Contains(n.Text, "not permitted") {
		t.Errorf("note %+v", n)
	}
}

func TestSummary(t *testing.T) {
	roles := []Role{Uplink, Uplink, PF, VF, VF, VF, VF, PFRepresentor, VFRepresentor, SFRepresentor, "bond", Loopback, Unknown}
	var s Snapshot
	for _, r := range roles {
		s.Devices = append(s.Devices, &Device{Role: r})
	}
	if got, want := s.Summary(), "2 uplinks, 1 PF, 4 VFs, 0 SFs, 3 representors, 3 other links"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	for _, r := range []Role{VF, VF, SFRepresentor, Unknown} {
		s.Detached = append(s.Detached, &Device{Role: r})
	}
	want := "2 uplinks, 1 PF, 6 VFs (2 without a netdev here), 0 SFs, 4 representors (1 without a netdev here), 4 other links (1 without a netdev here)"
	if got := s.Summary(); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if n := s.DetachedByRole(); n[VF] != 2 || n[SFRepresentor] != 1 || n[Unknown] != 1 || len(n) != 8 {
		t.Errorf("without a netdev %v", n)
	}
	if n := s.CountByRole(); n[VF] != 4 || n[SF] != 0 || n["bond"] != 1 || n[Unknown] != 1 {
		t.Errorf("counts %v", n)
	}
	if _, ok := s.CountByRole()[SF]; !ok {
		t.Error("a role without devices is not counted as 0")
	}
}

// openerOf opens what the fake has, but for what fails.
func openerOf(k *fakeKernel, watchLinks, dialLinks, watchPorts error) opener {
	return opener{
		watchLinks: func() (linkWatcher, error) { return fakeLinkWatcher{k}, watchLinks },
		dialLinks:  func() (linkReader, error) { return k, dialLinks },
		watchPorts: func() (portWatcher, error) { return fakePortWatcher{k}, watchPorts },
		dialPorts:  func() (portReader, error) { return k, nil },
	}
}

func TestOpenFails(t *testing.T) {
	k := newFakeKernel()
	for name, from := range map[string]opener{
		"watch": openerOf(k, unix.EMFILE, nil, nil),
		"dial":  openerOf(k, nil, unix.EMFILE, nil),
	} {
		if i, err := open(Options{}, from); i != nil || !errors.Is(err, unix.EMFILE) || !strings.HasPrefix(err.Error(), "open rtnetlink: ") {
			t.Errorf("%s: %v, error %v", name, i, err)
		}
	}
	select {
	case <-k.closed:
	default:
		t.Error("the subscription stays open")
	}
}

func TestWithoutPermissionTheInventoryIsEmpty(t *testing.T) {
	const advice = "(systemd: add AF_NETLINK to RestrictAddressFamilies=)"
	for _, c := range []struct {
		watch, dial error
		want        string
	}{
		{unix.EAFNOSUPPORT, nil, advice},
		{nil, unix.EAFNOSUPPORT, advice},
		{unix.EPERM, nil, "operation not permitted"},
		{nil, unix.EACCES, "permission denied"},
	} {
		i, err := open(Options{Sysfs: sysfstest.Load(t, "testdata/sriov.tree")}, openerOf(sriovHost(), c.watch, c.dial, nil))
		if err != nil {
			t.Fatal(err)
		}
		s := synced(t, i)
		if len(s.Devices) != 0 || len(s.Detached) != 0 || s.Namespace.Inode == 0 {
			t.Errorf("devices %q, without a netdev %s, %+v", namesIn(s), detachedIn(s), s.Namespace)
		}
		if !s.Blind || s.Summary() != "nothing: interfaces cannot be read" {
			t.Errorf("blind %v, %q", s.Blind, s.Summary())
		}
		notes := notesOf(s, "rtnl")
		if len(notes) != 1 || !strings.HasPrefix(notes[0], "not_permitted: no interface can be read: open rtnetlink: ") ||
			!strings.Contains(notes[0], c.want) {
			t.Errorf("notes %q", notes)
		}
		if h := i.Health(); h.ReadFailures != 0 || h.Devices[PF] != 0 {
			t.Errorf("health %+v", h)
		}
		must(t, errors.Join(i.Close(), i.Close()))
	}
}

func TestEmptyInventoryRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, end := range []string{"context", "Close"} {
			i, err := open(Options{Sysfs: t.TempDir()}, openerOf(newFakeKernel(), unix.EAFNOSUPPORT, nil, nil))
			must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- i.Run(ctx) }()
			after(time.Hour)
			select {
			case err := <-ended:
				t.Fatalf("Run returned %v", err)
			default:
			}
			if h := i.Health(); h.ReadFailures != 0 || h.Events != 0 || h.Reads[AtStart] != 1 {
				t.Errorf("health after an hour: %+v", h)
			}
			if end == "context" {
				cancel()
			} else {
				must(t, i.Close())
			}
			if err := <-ended; err != nil {
				t.Errorf("ended by %s: %v", end, err)
			}
			cancel()
			must(t, i.Close())
		}
	})
}

func TestOpenWithoutDevlink(t *testing.T) {
	for errno, want := range map[error]string{
		fs.ErrNotExist: "unsupported: this kernel has no devlink", unix.EPERM: "not_permitted: cannot be opened",
		unix.EMFILE: "broken: cannot be opened",
	} {
		i, err := open(Options{Sysfs: t.TempDir()}, openerOf(sriovHost(), nil, nil, errno))
		must(t, err)
		s := synced(t, i)
		if notes := notesOf(s, "devlink"); len(notes) != 1 || !strings.HasPrefix(notes[0], want) || len(s.Devices) != 5 {
			t.Errorf("%v: notes %q, devices %q", errno, notes, namesIn(s))
		}
		must(t, i.Close())
	}
}
