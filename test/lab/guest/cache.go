package guest

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// A Guest is a built guest: a folder with its file system, kernel and initrd,
// which is not removed while the guest is open.
type Guest struct {
	*stored
	debug *stored // the debug kernel that it boots; nil for its own
}

// A Cache is the folder that guests are kept in, and beside it their debug kernels.
type Cache struct {
	Folder string
	make   func(ctx context.Context, folder string, log io.Writer) error // runRecipe, but for tests
}

// DefaultCache is in the user's cache folder ($XDG_CACHE_HOME or ~/.cache).
func DefaultCache() (Cache, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return Cache{}, err
	}
	return Cache{Folder: filepath.Join(folder, "dpu-exporter-lab"), make: runRecipe}, nil
}

func (c Cache) guests() store {
	return store{folder: c.Folder, thing: "guest", id: recipeID(), make: c.make}
}

// Guest opens the guest of today's recipe, and builds it if there is none; log
// tells of the progress. Whoever else builds at the time is waited for.
func (c Cache) Guest(ctx context.Context, log io.Writer) (*Guest, error) {
	g, err := c.guests().take(ctx, log)
	if err != nil {
		return nil, err
	}
	return &Guest{stored: g}, nil
}

// Close lets others remove the guest.
func (g *Guest) Close() error {
	err := g.stored.Close()
	if g.debug != nil {
		err = errors.Join(err, g.debug.Close())
	}
	return err
}

// Clean removes all guests that nobody has open, and tells log which it leaves.
// Debug kernels stay.
func (c Cache) Clean(ctx context.Context, log io.Writer) error {
	guests := c.guests()
	unlock, err := guests.lock(ctx, log)
	if err != nil {
		return err
	}
	defer unlock()
	return guests.remove(log, func(string) bool { return true })
}
