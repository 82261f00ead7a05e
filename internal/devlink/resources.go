package devlink

import (
	"context"
	"fmt"
	"math"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Resource is something that a device has a number of (devlink-resource(8)).
type Resource struct {
	Path     string  // names from the outermost: IPv4/fib
	Size     *uint64 // nil: unlimited, or not told
	Occupied *uint64 // nil: not told
}

// Resources lists the resources of a device and those within them
// (DEVLINK_CMD_RESOURCE_DUMP). A device without any answers EOPNOTSUPP. No
// privilege is needed.
func (c *Conn) Resources(ctx context.Context, h Handle) ([]Resource, error) {
	var all resources
	request, err := encodeHandle(h)
	if err == nil {
		var parts [][]byte
		parts, err = c.family.DoAll(ctx, unix.DEVLINK_CMD_RESOURCE_DUMP, request)
		for _, part := range parts {
			if err == nil {
				err = genl.Decode(&all, part, resourcesFields(0))
			}
		}
	}
	if err != nil {
		return all.list, fmt.Errorf("devlink resources of %s: %w", h, err)
	}
	return all.list, nil
}

// resources collects a tree; at is the resource that is being read.
type resources struct {
	list   []Resource
	at     *Resource
	prefix string
}

// maxDepth bounds the tree: the kernel's has two levels.
const maxDepth = 8

// resourcesFields are those of a list of resources.
func resourcesFields(depth int) []genl.Field[resources] {
	if depth == maxDepth {
		return nil
	}
	return []genl.Field[resources]{{Type: unix.DEVLINK_ATTR_RESOURCE_LIST, Name: "DEVLINK_ATTR_RESOURCE_LIST",
		Read: func(r *resources, d *netlink.AttributeDecoder) {
			d.Nested(func(list *netlink.AttributeDecoder) error {
				return genl.DecodeFrom(r, list, []genl.Field[resources]{{
					Type: unix.DEVLINK_ATTR_RESOURCE, Name: "DEVLINK_ATTR_RESOURCE",
					Read: func(r *resources, d *netlink.AttributeDecoder) { r.read(d, depth) },
				}})
			})
		}}}
}

// read reads one resource and those within it, which come after what it says of
// itself.
func (r *resources) read(d *netlink.AttributeDecoder, depth int) {
	place := len(r.list)
	r.list = append(r.list, Resource{})
	d.Nested(func(nest *netlink.AttributeDecoder) error {
		inner := resources{list: r.list, at: &Resource{}, prefix: r.prefix}
		err := genl.DecodeFrom(&inner, nest, append(resourceFields, resourcesFields(depth+1)...))
		r.list = inner.list
		r.list[place] = *inner.at
		return err
	})
}

var resourceFields = []genl.Field[resources]{
	{Type: unix.DEVLINK_ATTR_RESOURCE_NAME, Name: "DEVLINK_ATTR_RESOURCE_NAME", Required: true,
		Read: func(r *resources, d *netlink.AttributeDecoder) {
			r.at.Path = r.prefix + d.String()
			r.prefix = r.at.Path + "/"
		}},
	{Type: unix.DEVLINK_ATTR_RESOURCE_SIZE, Name: "DEVLINK_ATTR_RESOURCE_SIZE",
		Read: func(r *resources, d *netlink.AttributeDecoder) {
			if size := d.Uint64(); size != math.MaxUint64 {
				r.at.Size = &size
			}
		}},
	{Type: unix.DEVLINK_ATTR_RESOURCE_OCC, Name: "DEVLINK_ATTR_RESOURCE_OCC",
		Read: func(r *resources, d *netlink.AttributeDecoder) { r.at.Occupied = new(d.Uint64()) }},
}
