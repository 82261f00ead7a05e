package host

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CPU is what proc_cpuinfo(5) says of this machine's processors.
type CPU struct {
	Model  string // "" where it is not known
	Online int    // processors that are online
}

// ReadCPU reads cpuinfo of a mounted procfs. Arm does not write a model there:
// it is named by implementer and part.
func ReadCPU(procfs string) (CPU, error) {
	file, err := os.Open(filepath.Join(procfs, "cpuinfo"))
	if err != nil {
		return CPU{}, err
	}
	defer file.Close()
	var c CPU
	implementer, part := "", ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "processor":
			c.Online++
		case "model name":
			c.Model = value
		case "CPU implementer":
			implementer = value
		case "CPU part":
			part = value
		}
	}
	if c.Model == "" && implementer != "" {
		c.Model = armModel(implementer, part)
	}
	return c, nil
}

// armParts are the Arm cores of DPUs by implementer and part (MIDR_EL1,
// arch/arm64/include/asm/cputype.h).
var armParts = map[string]string{
	"0x41 0xd08": "Cortex-A72",   // BlueField, BlueField-2
	"0x41 0xd42": "Cortex-A78AE", // BlueField-3
	"0x41 0xd4b": "Cortex-A78C",
	"0x41 0xd03": "Cortex-A53",
	"0x41 0xd0c": "Neoverse-N1", // Intel IPU E2000
	"0x41 0xd49": "Neoverse-N2", // Marvell Octeon 10
	"0x41 0xd4f": "Neoverse-V2",
}

func armModel(implementer, part string) string {
	if name, known := armParts[implementer+" "+part]; known {
		return name
	}
	return fmt.Sprintf("implementer %s part %s", implementer, part)
}
