package module

// cmisLanes are the places of CMIS 5 on page 11h: values (table 8-84), flags of
// high alarm and the three that follow, a bit a lane (8-83); and limits on page
// 02h (8-46).
var cmisLanes = []struct {
	quantity             Quantity
	advertised           uint8 // bit of 01h:160
	value, flags, limits int
}{
	{ReceivePower, 1 << 2, 186, 149, 192},
	{TransmitPower, 1 << 1, 154, 139, 176},
	{Bias, 1 << 0, 170, 143, 184},
}

// cmisModule are the monitors of the whole module: values in lower memory,
// flags there at octet 9, a bit each from the lowest, limits on page 02h.
var cmisModule = []struct {
	quantity      Quantity
	advertised    uint8 // bit of 01h:159
	value, limits int
	flagsShift    int
}{
	{Temperature, 1 << 0, 14, 128, 0},
	{Voltage, 1 << 1, 16, 136, 4},
}

const cmisMaxLanes = 8

// readCMIS reads the Common Management Interface Specification. Lower memory 2
// bit 7 says that there is but page 00h: a copper cable.
func readCMIS(m *Module, lower []byte, page Page) error {
	upper, err := page(address, 0, 128, 128)
	if err != nil {
		return err
	}
	m.Vendor, m.PartNumber, m.Revision, m.Serial = text(upper[1:17]), text(upper[20:36]), text(upper[36:38]), text(upper[38:54])
	if flat := lower[2]&0x80 != 0; flat {
		return nil
	}
	var pages [3][]byte // 01h, 02h, 11h
	for i, number := range []uint8{0x01, 0x02, 0x11} {
		if pages[i], err = page(address, number, 128, 128); err != nil {
			return err
		}
	}
	advertised, limits, lanes := pages[0], pages[1], pages[2]
	for _, q := range cmisModule {
		if advertised[159-128]&q.advertised != 0 {
			f := lower[9] >> q.flagsShift
			m.add(Monitor{
				Quantity: q.quantity, Values: q.quantity.numbers(lower[q.value:], 1), Limits: q.quantity.limits(limits[q.limits-128:]),
				Flags: []Flags{{f&1 != 0, f&2 != 0, f&4 != 0, f&8 != 0}},
			})
		}
	}
	for _, q := range cmisLanes {
		if advertised[160-128]&q.advertised == 0 {
			continue
		}
		monitor := Monitor{Quantity: q.quantity, Limits: q.quantity.limits(limits[q.limits-128:])}
		monitor.Values = q.quantity.numbers(lanes[q.value-128:], mediaLanes(lower))
		for lane := range monitor.Values {
			at := lanes[q.flags-128:]
			monitor.Flags = append(monitor.Flags, Flags{bit(at[0], lane), bit(at[1], lane), bit(at[2], lane), bit(at[3], lane)})
		}
		if q.quantity == Bias {
			monitor.multiply(float64(int(1) << (advertised[160-128] >> 3 & 3)))
		}
		m.add(monitor)
	}
	return nil
}

// mediaLanes is how many lanes the module has towards the fibre: the low half of
// octet 88, of the first application it offers.
func mediaLanes(lower []byte) int {
	if n := int(lower[88] & 15); n >= 1 && n <= cmisMaxLanes {
		return n
	}
	return cmisMaxLanes
}

func bit(b uint8, n int) bool { return b>>n&1 != 0 }

// multiply scales values and limits (CMIS 01h:160, bits 4 and 3).
func (m *Monitor) multiply(by float64) {
	for i := range m.Values {
		m.Values[i] *= by
	}
	if l := m.Limits; l != nil {
		l.HighAlarm, l.LowAlarm, l.HighWarning, l.LowWarning = l.HighAlarm*by, l.LowAlarm*by, l.HighWarning*by, l.LowWarning*by
	}
}
