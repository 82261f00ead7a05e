package collector

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/host"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const sourceBoard = "board"

// EswitchReader reads how an eswitch is set; *devlink.Conn is one.
type EswitchReader interface {
	EswitchSettings(ctx context.Context, h devlink.Handle) (devlink.EswitchSettings, error)
}

// FunctionReader reads the identity of a PCI function; sysfs.FS is one.
type FunctionReader interface {
	PCIFunction(address string) (sysfs.PCIFunction, error)
}

// BoardOptions are the readers of the board collector.
type BoardOptions struct {
	CPU          func() (host.CPU, error)
	Architecture string // as Go names it: arm64, amd64
	Functions    FunctionReader
	Eswitch      EswitchReader
	EswitchError error // why there is none

	// Mlxconfig returns what mlxconfig(1) says of a PCI function; nil where it is
	// not to be asked. It is asked once for each function.
	Mlxconfig func(ctx context.Context, address string) (map[string]string, error)
}

// Board exports what this machine is: its processors, and of a BlueField the
// side this is and the mode that it runs in.
type Board struct {
	opts     BoardOptions
	readings readings[string]
	settings map[string]mlxAnswer // of the sampling goroutine alone
}

type mlxAnswer struct {
	settings map[string]string
	err      error
}

// NewBoard returns the collector.
func NewBoard(opts BoardOptions) *Board {
	c := &Board{opts: opts, settings: map[string]mlxAnswer{}}
	c.readings.source = sourceBoard
	return c
}

// Name is "board".
func (c *Board) Name() string { return "board" }

// Help describes the collector in a line.
func (c *Board) Help() string {
	return "Processors of this machine, and the mode that a BlueField runs in, with its evidence."
}

// Rows are the rows below.
func (c *Board) Rows() []*metric.Row {
	return []*metric.Row{boardCPURow, boardCPUsRow, boardModeRow, boardSettingRow}
}

// Samples is the one reading.
func (c *Board) Samples() []Sample {
	return []Sample{{Source: sourceBoard, Every: 5 * time.Minute, OnChange: true, Read: c.sample}}
}

// Collect emits the newest reading.
func (c *Board) Collect(_ context.Context, _ *inventory.Snapshot, emit *Emit) error {
	c.readings.emit(emit, func(string) bool { return true })
	return nil
}

// processors is the key of what is of no PCI function.
const processors = "processors"

func (c *Board) sample(ctx context.Context, inv *inventory.Snapshot) error {
	keys := append([]string{processors}, functionsOf(inv)...)
	return c.readings.sample(ctx, keys, nil, func(ctx context.Context, key string, r *reading) error {
		if key == processors {
			return c.readCPU(r)
		}
		return c.readFunction(ctx, inv, key, r)
	})
}

func (c *Board) readCPU(r *reading) error {
	cpu, err := c.opts.CPU()
	if err != nil {
		return err
	}
	r.add(boardCPURow, 1, cpu.Model, c.opts.Architecture)
	if cpu.Online > 0 {
		r.add(boardCPUsRow, float64(cpu.Online))
	}
	return nil
}

// blueFields are the PCI functions of BlueField, as both sides see them, by
// device (drivers/net/ethernet/mellanox/mlx5/core/main.c, mlx5_core_pci_table).
var blueFields = map[string]string{"0xa2d2": "BlueField", "0xa2d6": "BlueField-2", "0xa2dc": "BlueField-3", "0xa2df": "BlueField-4"}

// readFunction says what mode a BlueField's function runs in. Another function is
// unsupported.
func (c *Board) readFunction(ctx context.Context, inv *inventory.Snapshot, address string, r *reading) error {
	p, err := c.opts.Functions.PCIFunction(address)
	board := blueFields[p.Device]
	switch {
	case board != "" && p.Vendor == "0x15b3":
	case err != nil:
		return err
	default:
		return errNoBlueField
	}
	side := "host"
	if c.opts.Architecture == "arm64" {
		side = "dpu"
	}
	settings, settingsErr := c.mlxconfig(ctx, address)
	for _, name := range modeSettings {
		if value := settings[name]; value != "" {
			r.add(boardSettingRow, 1, address, name, value)
		}
	}
	mode, evidence, modeErr := c.modeOf(ctx, inv, address, side, settings)
	r.add(boardModeRow, 1, address, board, side, mode, evidence)
	return unlessUnsupported(settingsErr, modeErr)
}

var errNoBlueField = errUnsupported("no BlueField")

// modeSettings are the settings of the firmware that decide the mode.
var modeSettings = []string{"INTERNAL_CPU_MODEL", "INTERNAL_CPU_OFFLOAD_ENGINE"}

// mlxconfig asks once for each function.
func (c *Board) mlxconfig(ctx context.Context, address string) (map[string]string, error) {
	if c.opts.Mlxconfig == nil {
		return nil, nil
	}
	answer, asked := c.settings[address]
	if !asked {
		answer.settings, answer.err = c.opts.Mlxconfig(ctx, address)
		c.settings[address] = answer
	}
	return answer.settings, answer.err
}

// modeOf infers the mode: dpu, where the Arm side manages the eswitch, or nic,
// where the host does, or separated, where each has its own. The firmware's
// settings say it; without them it is told by who may ask the eswitch, because
// its driver answers the side alone that manages it.
func (c *Board) modeOf(ctx context.Context, inv *inventory.Snapshot, address, side string, settings map[string]string) (mode, evidence string, err error) {
	if mode = modeBySettings(settings); mode != "" {
		return mode, "mlxconfig", nil
	}
	if name := representorOfHost(inv, address); name != "" && side == "dpu" {
		return "dpu", "representor of the host's physical function: " + name, nil
	}
	if c.opts.EswitchError != nil {
		return "unknown", "devlink: " + c.opts.EswitchError.Error(), nil
	}
	s, err := c.opts.Eswitch.EswitchSettings(ctx, devlink.Handle{Bus: "pci", Device: address})
	switch managedHere := err == nil; {
	case managedHere && side == "dpu":
		return "dpu", fmt.Sprintf("the eswitch is managed on this side (%s)", s.Mode), nil
	case managedHere:
		return "nic", fmt.Sprintf("the eswitch is managed on the host (%s)", s.Mode), nil
	case outcome.Of(err) != outcome.Unsupported:
		return "unknown", "the eswitch may not be asked: " + outcome.Of(err).String(), err
	case side == "dpu":
		return "nic", "the eswitch is not managed on this side", nil
	}
	return "dpu", "the eswitch is not managed on the host", nil
}

// modeBySettings reads the firmware's settings: "EMBEDDED_CPU(1)", "ENABLED(0)".
func modeBySettings(settings map[string]string) string {
	model, engine := settings["INTERNAL_CPU_MODEL"], settings["INTERNAL_CPU_OFFLOAD_ENGINE"]
	switch {
	case strings.HasPrefix(model, "SEPARATED_HOST"):
		return "separated"
	case strings.HasPrefix(model, "EMBEDDED_CPU") && strings.HasPrefix(engine, "DISABLED"):
		return "nic"
	case strings.HasPrefix(model, "EMBEDDED_CPU"):
		return "dpu"
	}
	return ""
}

// representorOfHost is the name of a representor of a physical function on that
// PCI function, "" without one.
func representorOfHost(inv *inventory.Snapshot, address string) string {
	for _, d := range inv.Devices {
		if d.Role == inventory.PFRepresentor && d.PCI == address {
			return d.Name
		}
	}
	return ""
}

var (
	boardCPURow = &metric.Row{
		Name: "dpu_board_cpu_info", Kind: metric.Gauge, Labels: []string{"model", "architecture"}, Proof: metric.Live,
		Help: "The processors of this machine; of an Arm core its name, as far as it is known", Source: "proc_cpuinfo(5)",
	}
	boardCPUsRow = &metric.Row{
		Name: "dpu_board_cpus", Kind: metric.Gauge, Unit: "processors", Proof: metric.Live,
		Help: "Processors that are online", Source: "proc_cpuinfo(5)",
	}
	boardModeRow = &metric.Row{
		Name: "dpu_board_mode_info", Kind: metric.Gauge, Labels: []string{"pci", "board", "side", "mode", "evidence"}, Proof: metric.FromSource,
		Help:   "The mode that a BlueField runs in, inferred: dpu (its Arm cores manage the eswitch), nic (the host does), separated, unknown; side is where this program runs, host or dpu; absent on other machines",
		Source: "mlxconfig with --pci.mlxconfig, else representors and DEVLINK_CMD_ESWITCH_GET",
	}
	boardSettingRow = &metric.Row{
		Name: "dpu_board_setting_info", Kind: metric.Gauge, Labels: []string{"pci", "setting", "value"}, Proof: metric.FromSource,
		Help:   "Settings of a BlueField's firmware that decide its mode, as they were when this program started; only with --pci.mlxconfig",
		Source: "mlxconfig(1), query",
	}
)
