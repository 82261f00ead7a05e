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
	e := netlink.NewAttributeEncoder()
	addHeader(e, headerAttribute, index, 0)
	e.Uint32(moduleOffset, offset)
	e.Uint32(moduleLength, length)
	e.Uint8(modulePage, page)
	e.Uint8(moduleBank, 0)
	e.Uint8(moduleAddress, address)
	request, err := e.Encode()
	var data []byte
	if err == nil {
		var reply []byte
		if reply, err = c.family.Do(ctx, unix.ETHTOOL_MSG_MODULE_EEPROM_GET, request); err == nil {
			err = genl.Decode(&data, reply, modulePageFields)
		}
	}
	if err == nil && len(data) != int(length) {
		err = fmt.Errorf("%d octets, want %d", len(data), length)
	}
	if err != nil {
		return nil, fmt.Errorf("module of interface %d, page %#02x: %w", index, page, err)
	}
	return data, nil
}

var modulePageFields = []genl.Field[[]byte]{
	{Type: moduleData, Name: "ETHTOOL_A_MODULE_EEPROM_DATA", Required: true,
		Read: func(to *[]byte, d *netlink.AttributeDecoder) { *to = d.Bytes() }},
}
