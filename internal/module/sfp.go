package module

// sfpMonitors are the places of SFF-8472 on address 51h: limits (table 9-5),
// values (table 9-11), and the highest of the two bits of each flag byte
// (table 9-12: alarms at 112, warnings at 116).
var sfpMonitors = []struct {
	quantity          Quantity
	limits, value     int
	flagByte, flagBit int
}{
	{Temperature, 0, 96, 0, 7},
	{Voltage, 8, 98, 0, 5},
	{ReceivePower, 32, 104, 1, 7},
	{TransmitPower, 24, 102, 0, 1},
	{Bias, 16, 100, 0, 3},
}

// The bits of octet 92, diagnostic monitoring type.
const (
	sfpMeasures             = 1 << 6
	sfpInternallyCalibrated = 1 << 5
)

// readSFP reads SFF-8472. A module that leaves the calibration of its numbers to
// the reader has none here: few were ever made.
func readSFP(m *Module, lower []byte, page Page) error {
	m.Vendor, m.PartNumber, m.Revision, m.Serial = text(lower[20:36]), text(lower[40:56]), text(lower[56:60]), text(lower[68:84])
	if lower[92]&sfpMeasures == 0 || lower[92]&sfpInternallyCalibrated == 0 {
		return nil
	}
	b, err := page(measurementAddress, 0, 0, 128)
	if err != nil {
		return err
	}
	for _, q := range sfpMonitors {
		alarms, warnings := b[112+q.flagByte]>>(q.flagBit-1), b[116+q.flagByte]>>(q.flagBit-1)
		m.add(Monitor{
			Quantity: q.quantity,
			Values:   q.quantity.numbers(b[q.value:], 1),
			Limits:   q.quantity.limits(b[q.limits:]),
			Flags:    []Flags{{alarms&2 != 0, alarms&1 != 0, warnings&2 != 0, warnings&1 != 0}},
		})
	}
	return nil
}
