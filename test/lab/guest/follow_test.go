package guest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFollow(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := make(chan string, 9)
	finish := follow(file.Name(), writerFunc(func(b []byte) { seen <- string(b) }))
	for _, part := range []string{"one", "two\n"} {
		if _, err := file.WriteString(part); err != nil {
			t.Fatal(err)
		}
		if got := <-seen; got != part {
			t.Errorf("got %q, want %q", got, part)
		}
	}
	if _, err := file.WriteString("last"); err != nil {
		t.Fatal(err)
	}
	if err := finish(); err != nil {
		t.Error(err)
	}
	close(seen)
	var rest strings.Builder
	for part := range seen {
		rest.WriteString(part)
	}
	if rest.String() != "last" {
		t.Errorf("the rest is %q", &rest)
	}
	if err := follow(file.Name()+".gone", nil)(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
