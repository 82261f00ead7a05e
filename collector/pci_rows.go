package collector

import "github.com/dpu-exporter/dpu-exporter/metric"

var byPCI = []string{"pci"}

var (
	pciInfoRow = &metric.Row{
		Name: "dpu_pci_info", Kind: metric.Gauge, Proof: metric.Live,
		Labels: []string{"pci", "driver", "vendor", "device_id", "subsystem_vendor", "subsystem_device", "revision", "numa_node"},
		Help:   "A PCI function that a network device sits on; numa_node is empty where there is none",
		Source: "vendor, device, subsystem_vendor, subsystem_device, revision, numa_node of sysfs",
	}
	pciSpeedRow = &metric.Row{
		Name: "dpu_pci_link_transfers_per_second", Kind: metric.Gauge, Unit: "transfers_per_second", Labels: byPCI, Proof: metric.Live,
		Help: "Speed of each lane of the PCI link", Source: "current_link_speed of sysfs, GT/s × 10⁹",
	}
	pciSpeedMaxRow = &metric.Row{
		Name: "dpu_pci_link_transfers_per_second_max", Kind: metric.Gauge, Unit: "transfers_per_second", Labels: byPCI, Proof: metric.Live,
		Help: "Speed of each lane that the device can do", Source: "max_link_speed of sysfs, GT/s × 10⁹",
	}
	pciLanesRow = &metric.Row{
		Name: "dpu_pci_link_lanes", Kind: metric.Gauge, Unit: "lanes", Labels: byPCI, Proof: metric.Live,
		Help: "Lanes of the PCI link", Source: "current_link_width of sysfs",
	}
	pciLanesMaxRow = &metric.Row{
		Name: "dpu_pci_link_lanes_max", Kind: metric.Gauge, Unit: "lanes", Labels: byPCI, Proof: metric.Live,
		Help: "Lanes that the device can use", Source: "max_link_width of sysfs",
	}
	pciErrorsRow = &metric.Row{
		Name: "dpu_pci_aer_errors_total", Kind: metric.Counter, Unit: "errors", Labels: []string{"pci", "severity"}, Proof: metric.Live,
		Help: "Errors that the PCI function reported: correctable, nonfatal, fatal", Source: "TOTAL_ERR_* of aer_dev_* of sysfs",
	}
	pciErrorKindRow = &metric.Row{
		Name: "dpu_pci_aer_errors_by_kind_total", Kind: metric.Counter, Unit: "errors", Labels: []string{"pci", "severity", "error"}, Proof: metric.FromSource,
		Help: "The part of dpu_pci_aer_errors_total of each kind that happened; a kind that never did is absent", Source: "aer_dev_* of sysfs",
	}
	pciTemperatureRow = &metric.Row{
		Name: "dpu_pci_temperature_celsius", Kind: metric.Gauge, Unit: "celsius", Labels: []string{"pci", "sensor"}, Proof: metric.FromSource,
		Help: "Temperature that the device's driver measures: the chip, and with some drivers its modules", Source: "hwmon of the PCI function, temp*_input",
	}
	pciTemperatureLimitRow = &metric.Row{
		Name: "dpu_pci_temperature_limit_celsius", Kind: metric.Gauge, Unit: "celsius", Labels: []string{"pci", "sensor"}, Proof: metric.FromSource,
		Help: "Temperature that is critical for the sensor", Source: "hwmon of the PCI function, temp*_crit",
	}
)

var pciRows = []*metric.Row{
	pciInfoRow, pciSpeedRow, pciSpeedMaxRow, pciLanesRow, pciLanesMaxRow, pciErrorsRow, pciErrorKindRow,
	pciTemperatureRow, pciTemperatureLimitRow,
}
