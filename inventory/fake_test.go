package inventory

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs/sysfstest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeKernel plays rtnetlink and devlink.
type fakeKernel struct {
	mu         sync.Mutex
	links      []rtnl.Link
	linkErrs   []error // of the next dumps
	dumps      int
	ports      []devlink.Port
	portErrs   []error
	portGets   int
	unlisted   []devlink.Port // what Ports leaves out and Port tells
	portErr    error          // of Port, for the others
	portsAsked []uint32
	modes      map[string]any // EswitchMode or error, by handle
	asked      []string       // handles whose eswitch was asked for

	linkNews chan linkNews
	portNews chan error
	closed   chan struct{}
	once     sync.Once
}

func newFakeKernel(links ...rtnl.Link) *fakeKernel {
	return &fakeKernel{
		links: links, modes: map[string]any{},
		linkNews: make(chan linkNews), portNews: make(chan error), closed: make(chan struct{}),
	}
}

func (k *fakeKernel) Links(_ context.Context, visit func(rtnl.Link)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dumps++
	for _, l := range k.links {
		visit(l)
	}
	return next(&k.linkErrs)
}

func (k *fakeKernel) Ports(context.Context) ([]devlink.Port, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.portGets++
	return slices.Clone(k.ports), next(&k.portErrs)
}

// Port is asked for those that listed leaves out of Ports.
func (k *fakeKernel) Port(_ context.Context, h devlink.Handle, index uint32) (devlink.Port, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.portsAsked = append(k.portsAsked, index)
	for _, p := range k.unlisted {
		if p.Handle == h && p.Index == index {
			return p, nil
		}
	}
	return devlink.Port{}, k.portErr
}

func (k *fakeKernel) Eswitch(_ context.Context, h devlink.Handle) (devlink.EswitchMode, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, h.String())
	switch mode := k.modes[h.String()].(type) {
	case error:
		return 0, mode
	case devlink.EswitchMode:
		return mode, nil
	}
	return devlink.Legacy, nil
}

func (k *fakeKernel) Close() error {
	k.once.Do(func() { close(k.closed) })
	return nil
}

func (k *fakeKernel) set(links ...rtnl.Link) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.links = links
}

func (k *fakeKernel) counts() (dumps, portGets int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.dumps, k.portGets
}

func next(errs *[]error) error {
	if len(*errs) == 0 {
		return nil
	}
	err := (*errs)[0]
	*errs = (*errs)[1:]
	return err
}

type fakeLinkWatcher struct{ *fakeKernel }

func (w fakeLinkWatcher) Receive() ([]rtnl.Event, error) {
	select {
	case news := <-w.linkNews:
		return news.events, news.err
	case <-w.closed:
		return nil, os.ErrClosed
	}
}

type fakePortWatcher struct{ *fakeKernel }

func (w fakePortWatcher) Receive() error {
	select {
	case err := <-w.portNews:
		return err
	case <-w.closed:
		return os.ErrClosed
	}
}

// inventory makes an inventory over the fake with the sysfs of a tree file.
func (k *fakeKernel) inventory(t testing.TB, tree string, o Options) *Inventory {
	t.Helper()
	o.Sysfs = t.TempDir()
	if tree != "" {
		o.Sysfs = sysfstest.Load(t, tree)
	}
	i := newInventory(o, kernel{links: k, linkEvents: fakeLinkWatcher{k}, ports: k, portEvents: fakePortWatcher{k}})
	t.Cleanup(func() { _ = i.Close() })
	return i
}

func synced(t testing.TB, i *Inventory) *Snapshot {
	t.Helper()
	if err := i.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return i.Snapshot()
}

func deviceNamed(t testing.TB, s *Snapshot, name string) *Device {
	t.Helper()
	for _, d := range s.Devices {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no device %q", name)
	return nil
}

func namesIn(s *Snapshot) string {
	var names []string
	for _, d := range s.Devices {
		names = append(names, d.Name)
	}
	return strings.Join(names, " ")
}

// notesOf returns the texts of the notes of a source.
func notesOf(s *Snapshot, source string) []string {
	var texts []string
	for _, n := range s.Notes {
		if n.Source == source {
			texts = append(texts, n.Outcome.String()+": "+n.Text)
		}
	}
	return texts
}

// logLines is a log handler that keeps level and message.
type logLines struct {
	mu    sync.Mutex
	lines []string
}

func (l *logLines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(line))
	return len(line), nil
}

func (l *logLines) count(parts ...string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
lines:
	for _, line := range l.lines {
		for _, part := range parts {
			if !strings.Contains(line, part) {
				continue lines
			}
		}
		n++
	}
	return n
}

// physical makes a devlink port of flavour physical.
func physical(handle string, netdev int) devlink.Port {
	return port(handle, devlink.Physical, netdev)
}

func port(handle string, f devlink.Flavour, netdev int) devlink.Port {
	bus, device, _ := strings.Cut(handle, "/")
	return devlink.Port{Handle: devlink.Handle{Bus: bus, Device: device}, Index: uint32(netdev), NetdevIndex: netdev, Flavour: &f}
}

func pciLink(index int, name, address string) rtnl.Link {
	return rtnl.Link{Index: index, Name: name, ParentBus: "pci", ParentDev: address}
}
