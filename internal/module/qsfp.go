package module

// qsfpMonitors are the places of SFF-8636: flags and values in lower memory
// (tables 6-6 to 6-9), limits on page 03h (table 6-23).
var qsfpMonitors = []struct {
	quantity             Quantity
	lanes                int
	flags, value, limits int
}{
	{Temperature, 1, 6, 22, 128},
	{Voltage, 1, 7, 26, 144},
	{ReceivePower, 4, 9, 34, 176},
	{TransmitPower, 4, 13, 50, 192},
	{Bias, 4, 11, 42, 184},
}

// readQSFP reads SFF-8636. Lower memory 2 bit 2 says that there is but page 00h.
func readQSFP(m *Module, lower []byte, page Page) error {
	upper, err := page(address, 0, 128, 128)
	if err == nil {
		m.Vendor, m.PartNumber, m.Revision, m.Serial = text(upper[20:36]), text(upper[40:56]), text(upper[56:58]), text(upper[68:84])
	}
	var limits []byte
	if flat := lower[2]&4 != 0; err == nil && !flat {
		limits, err = page(address, 3, 128, 128)
	}
	for _, q := range qsfpMonitors {
		monitor := Monitor{Quantity: q.quantity, Values: q.quantity.numbers(lower[q.value:], q.lanes)}
		for lane := range q.lanes {
			monitor.Flags = append(monitor.Flags, fourFlags(lower[q.flags+lane/2]>>(4*(1-lane%2))&15))
		}
		if limits != nil {
			monitor.Limits = q.quantity.limits(limits[q.limits-128:])
		}
		m.add(monitor)
	}
	return err
}
