package sysfs

import (
	"fmt"
	"strings"
)

// pciBelow returns the PCI function that a device is or sits on: the last PCI
// address on its place in the device tree. Only PCI, auxiliary and virtio
// devices are part of the function above them; a USB adapter below a PCI host
// controller is not.
//
//	../../../devices/pci0000:00/0000:00:1c.0/0000:03:00.0
//	../../../devices/pci0000:00/0000:03:00.0/mlx5_core.sf.2
//	../../../devices/pci0000:00/0000:00:03.0/virtio2
func pciBelow(bus, place string) string {
	switch bus {
	case "pci", "auxiliary", "virtio":
	default:
		return ""
	}
	for rest := place; rest != ""; {
		cut := strings.LastIndexByte(rest, '/')
		if element := rest[cut+1:]; IsPCI(element) {
			return element
		}
		rest = rest[:max(cut, 0)]
	}
	return ""
}

// IsPCI reports whether name is a PCI address in the kernel's spelling
// (pci_name): domain of four or more hexadecimal digits, bus, device, function,
// as in 0000:03:00.0 and, behind Intel VMD, 10000:e1:00.0.
func IsPCI(name string) bool {
	domain, rest, ok := strings.Cut(name, ":")
	if !ok || len(domain) < 4 || len(domain) > 8 || len(rest) != len("03:00.0") {
		return false
	}
	return isHex(domain) && isHex(rest[:2]) && rest[2] == ':' && isHex(rest[3:5]) &&
		rest[5] == '.' && rest[6] >= '0' && rest[6] <= '7'
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}

// routingID splits a PCI address into its domain and its bus, device and
// function number in one, as PCI Express counts functions: 0000:03:00.2 is
// 0x302 of 0000. The domain is "" where it is no address.
func routingID(address string) (domain string, id uint32) {
	if !IsPCI(address) {
		return "", 0
	}
	domain, rest, _ := strings.Cut(address, ":")
	var bus, device, function uint32
	if _, err := fmt.Sscanf(rest, "%02x:%02x.%d", &bus, &device, &function); err != nil {
		return "", 0
	}
	return domain, bus<<8 | device<<3 | function
}
