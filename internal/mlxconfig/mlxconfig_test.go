package mlxconfig

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tool is a program that prints a text when it is asked as it should be.
func tool(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mlxconfig")
	script := "#!/bin/sh\n[ \"$*\" = '-d 0000:03:00.0 -e q MODEL ENGINE' ] || { echo \"-E- asked for $*\" >&2; exit 3; }\ncat <<'END'\n" + text + "\nEND\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestQuery(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want map[string]string
	}{
		"three columns": {"Configurations:      Default   Current   Next Boot\n*        MODEL       A(0)      B(1)      C(2)\n         ENGINE      ON(0)     ON(0)     ON(0)",
			map[string]string{"MODEL": "B(1)", "ENGINE": "ON(0)"}},
		"one column":          {"Configurations:   Next Boot\n   MODEL   B(1)\n   OTHER   X(1)", map[string]string{"MODEL": "B(1)"}},
		"nothing of it":       {"-E- The Device doesn't support", nil},
		"a name and no value": {"MODEL", nil},
	} {
		have, err := Query(context.Background(), tool(t, test.text), "0000:03:00.0", "MODEL", "ENGINE")
		if !maps.Equal(have, test.want) || (err == nil) != (test.want != nil) {
			t.Errorf("%s: %v, %v", name, have, err)
		}
	}
}

func TestFailures(t *testing.T) {
	if _, err := Query(t.Context(), tool(t, ""), "0000:04:00.0", "MODEL"); err == nil || !strings.Contains(err.Error(), "-E- asked for") {
		t.Errorf("error %v", err)
	}
	if _, err := Query(t.Context(), filepath.Join(t.TempDir(), "absent"), "0000:03:00.0", "MODEL"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
