package ethtool

import "fmt"

// linkReasons are enum ethtool_link_ext_state in the words of ethtool(8)
// (netlink/settings.c of its source).
var linkReasons = []string{
	"autoneg", "link training failure", "logical mismatch", "bad signal integrity", "no cable", "cable issue",
	"EEPROM issue", "calibration failure", "power budget exceeded", "overheat", "module", "OTP",
}

// linkDetails are enum ethtool_link_ext_substate_* of each state; they count
// from 1.
var linkDetails = map[uint8][]string{
	0: {1: "no partner detected", "ack not received", "next page exchange failed", "no partner detected during force mode",
		"FEC mismatch during override", "no HCD"},
	1:  {1: "KR frame lock not acquired", "KR link inhibit timeout", "KR link partner did not set receiver ready", "remote side is not ready yet"},
	2:  {1: "PCS did not acquire block lock", "PCS did not acquire AM lock", "PCS did not get align status", "FC FEC is not locked", "RS FEC is not locked"},
	3:  {1: "large number of physical errors", "unsupported rate", "serdes reference clock lost", "serdes ALOS"},
	5:  {1: "unsupported cable", "cable test failure"},
	10: {1: "CMIS module is not in ModuleReady state"},
}

// wordOf is a word, or "unknown(9)" for a number that has none here.
func wordOf(words []string, n uint8) string {
	if int(n) < len(words) && words[n] != "" {
		return words[n]
	}
	return fmt.Sprintf("unknown(%d)", n)
}
