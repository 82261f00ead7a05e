package world

import "testing"

// Traffic is what has come in at a netdev or a port, and what has gone out.
type Traffic struct{ RxPackets, RxBytes, TxPackets, TxBytes int64 }

// Turned is the same traffic as the other end sees it.
func (t Traffic) Turned() Traffic {
	return Traffic{t.TxPackets, t.TxBytes, t.RxPackets, t.RxBytes}
}

// Since is the traffic that has been added to an earlier one.
func (t Traffic) Since(earlier Traffic) Traffic {
	return Traffic{
		t.RxPackets - earlier.RxPackets, t.RxBytes - earlier.RxBytes,
		t.TxPackets - earlier.TxPackets, t.TxBytes - earlier.TxBytes,
	}
}

// A DPUTraffic is what the module counts at a port, each apart.
type DPUTraffic struct {
	Eswitch  Traffic // at the eswitch's port, whoever carries it on
	Software Traffic // at the netdev of the uplink or representor: the slow path
	Function Traffic // at the function's netdev; an uplink has none
}

// Traffic is what the module counts at the port.
func (p DPUPort) Traffic(t testing.TB) DPUTraffic {
	t.Helper()
	counted := p.Counters(t)
	if p.Kind == "p" {
		return DPUTraffic{Eswitch: trafficOf(counted, "", "_phy"), Software: trafficOf(counted, "", "")}
	}
	return DPUTraffic{trafficOf(counted, "vport_", ""), trafficOf(counted, "", ""), trafficOf(p.FunctionCounters(t), "", "")}
}

func trafficOf(counted map[string]int64, before, after string) Traffic {
	of := func(name string) int64 { return counted[before+name+after] }
	return Traffic{of("rx_packets"), of("rx_bytes"), of("tx_packets"), of("tx_bytes")}
}
