package ethtool

import (
	"context"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Attributes of ETHTOOL_MSG_MODULE_EEPROM_GET
// (include/uapi/linux/ethtool_netlink.h), which golang.org/x/sys/unix does not have.
const (
	moduleOffset  = 2 // ETHTOOL_A_MODULE_EEPROM_OFFSET
	moduleLength  = 3 // ETHTOOL_A_MODULE_EEPROM_LENGTH
	modulePage    = 4 // ETHTOOL_A_MODULE_EEPROM_PAGE
	moduleBank    = 5 // ETHTOOL_A_MODULE_EEPROM_BANK
	moduleAddress = 6 // ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS
	moduleData    = 7 // ETHTOOL_A_MODULE_EEPROM_DATA
)

// ModulePage reads length octets at offset of a page of the memory of a port's
// module, over its I2C address (ETHTOOL_MSG_MODULE_EEPROM_GET, `ethtool -m`).
// An offset below 128 is in the lower memory, which all pages share. It needs
// CAP_NET_ADMIN. A port without a module, or a driver that reads none, gives
// EOPNOTSUPP, EIO, ENODEV or ETIMEDOUT, as its driver likes; the driver may wait
// for the bus for seconds.
func (c *Conn) ModulePage(ctx context.Context, index int, address, page uint8, offset, length uint32) ([]byte, error) {
	var data []byte
	q := question{what: fmt.Sprintf("module page %#02x", page), command: unix.ETHTOOL_MSG_MODULE_EEPROM_GET, more: func(e *netlink.AttributeEncoder) {
		e.Uint32(moduleOffset, offset)
		e.Uint32(moduleLength, length)
		e.Uint8(modulePage, page)
		e.Uint8(moduleBank, 0)
		e.Uint8(moduleAddress, address)
	}}
	err := ask(ctx, c, q, index, &data, modulePageFields)
	if err == nil && len(data) != int(length) {
		err = fmt.Errorf("module page %#02x of interface %d: %d octets, want %d", page, index, len(data), length)
	}
	return data, err
}

var modulePageFields = []genl.Field[[]byte]{
	{Type: moduleData, Name: "ETHTOOL_A_MODULE_EEPROM_DATA", Required: true,
		Read: func(to *[]byte, d *netlink.AttributeDecoder) { *to = d.Bytes() }},
}
