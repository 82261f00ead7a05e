package guest

import (
	"time"
)

// A kernel is what a guest boots, and what modules for it are built with.
type kernel struct {
	image   string        // uncompressed, for the emulator
	initrd  string        // what mounts the root file system
	tree    string        // where its modules are built (make -C)
	modules string        // the folder that modules built for it are kept in
	names   *share        // what modprobe knows it by, unless that is in the root file system
	memory  string        // of the guest, in MiB
	limit   time.Duration // how long a guest may take to come to its command
}

// kernel is the one of the guest's packages, or its debug kernel.
func (g *Guest) kernel() kernel {
	if k := g.debug; k != nil {
		return kernel{
			image:   k.path("vmlinux"),
			initrd:  g.path("initrd"), // whose modules are refused; they are built in
			tree:    k.path("tree"),
			modules: k.path("modules"),
			names:   &share{folder: k.path("lib"), path: "/usr/lib/modules/" + k.release()},
			memory:  "4096",
			limit:   10 * time.Minute,
		}
	}
	return kernel{
		image:   g.path("vmlinux"),
		initrd:  g.path("initrd"),
		tree:    g.path("root/usr/src/linux-headers-" + g.release()),
		modules: g.path("modules"),
		memory:  "2048",
		limit:   2 * time.Minute, // it takes five to ten seconds on a quiet machine
	}
}

// A share is a folder of this machine that a guest sees, read-only.
type share struct{ folder, path string }

// shares are those of a run with this kernel.
func (k kernel) shares(r Run) (all []share) {
	for _, folder := range r.Shares {
		all = append(all, share{folder, folder})
	}
	if k.names != nil {
		all = append(all, *k.names)
	}
	return all
}
