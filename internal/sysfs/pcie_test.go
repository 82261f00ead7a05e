package sysfs

import (
	"bufio"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs/sysfstest"
)

const nic, odd = "0000:03:00.0", "0000:04:00.0"

func pcie(t *testing.T) FS { return FS(sysfstest.Load(t, "testdata/pcie.tree")) }

func TestPCIFunction(t *testing.T) {
	have, err := pcie(t).PCIFunction(nic)
	want := PCIFunction{
		Vendor: "0x15b3", Device: "0xa2dc", SubsystemVendor: "0x15b3", SubsystemDevice: "0x0051", Revision: "0x01",
		NUMANode: new(uint32(1)), Speed: new(16.0), MaxSpeed: new(32.0), Width: new(uint32(8)), MaxWidth: new(uint32(16)),
	}
	if diff := cmp.Diff(want, have); diff != "" || err != nil {
		t.Errorf("%v (-want +have):\n%s", err, diff)
	}
	have, err = pcie(t).PCIFunction(odd)
	if diff := cmp.Diff(PCIFunction{Vendor: "0x8086"}, have); diff != "" || outcome.Of(err) != outcome.Broken {
		t.Errorf("what says unknown: %v (-want +have):\n%s", err, diff)
	}
	if _, err := pcie(t).PCIFunction("0000:09:00.0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}

func TestAER(t *testing.T) {
	have, err := parseAER("correctable", bufio.NewScanner(strings.NewReader("RxErr 0\nBadTLP 3\nTimeout 4\nTOTAL_ERR_COR 7\n")))
	want := AER{Severity: "correctable", Total: 7, Errors: []AERError{{"BadTLP", 3}, {"Timeout", 4}}}
	if diff := cmp.Diff(want, have); diff != "" || err != nil {
		t.Errorf("%v (-want +have):\n%s", err, diff)
	}
	for _, text := range []string{"", "RxErr 0\n", "RxErr\nTOTAL_ERR_COR 0\n", "RxErr -1\nTOTAL_ERR_COR 0\n"} {
		if a, err := parseAER("fatal", bufio.NewScanner(strings.NewReader(text))); err == nil {
			t.Errorf("%q gives %+v", text, a)
		}
	}
	all, err := pcie(t).AER(nic)
	if err != nil || len(all) != 3 || all[1].Severity != "nonfatal" || all[1].Total != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := pcie(t).AER(odd); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a function that does not report: %v", err)
	}
}

func TestTemperatures(t *testing.T) {
	have, err := pcie(t).Temperatures(nic)
	want := []Sensor{{"asic", 61.5, new(105.0)}, {"temp2", -3, nil}}
	if diff := cmp.Diff(want, have); diff != "" || outcome.Of(err) != outcome.Broken {
		t.Errorf("%v (-want +have):\n%s", err, diff)
	}
	if _, err := pcie(t).Temperatures(odd); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without sensors: %v", err)
	}
}
