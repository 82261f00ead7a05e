package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"golang.org/x/sys/unix"
)

// write puts files into a fresh directory and makes it the working directory,
// so that faults name them as they are named here.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoadAcceptsFilesWithoutSections(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          "",
		"comments":       "# nothing here\n",
		"document start": "---\n",
		"empty mapping":  "{}",
		"null":           "null",
		"tilde":          "~\n",
		"byte order":     "\ufeff# nothing here\n",
		"marked end":     "---\n...\n",
		"CRLF":           "# nothing\r\n---\r\n{}\r\n",
		"reference":      string(Reference),
	} {
		t.Run(name, func(t *testing.T) {
			write(t, map[string]string{"fleet.yml": text})
			if c, err := Load([]string{"fleet.yml"}); err != nil || c == nil {
				t.Fatalf("Load = %v, %v; want a Config", c, err)
			}
		})
	}
	t.Run("no files", func(t *testing.T) {
		if c, err := Load(nil); err != nil || c == nil {
			t.Fatalf("Load = %v, %v; want a Config", c, err)
		}
	})
	t.Run("null device", func(t *testing.T) {
		if c, err := Load([]string{os.DevNull}); err != nil || c == nil {
			t.Fatalf("Load = %v, %v; want a Config", c, err)
		}
	})
}

func TestLoadFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":       {"# c\n\nprboes: 1\n", `fleet.yml:3: unknown key "prboes"; this version knows no sections yet`},
		"merge key":         {"<<: {a: 1}\n", `fleet.yml:1: unknown key "<<"; this version knows no sections yet`},
		"all keys":          {"a: 1\nb: 2\n", "fleet.yml:1: unknown key \"a\"; this version knows no sections yet\nfleet.yml:2: unknown key \"b\"; this version knows no sections yet"},
		"duplicate key":     {"a: 1\nb: 2\na: 3\n", "fleet.yml:1: unknown key \"a\"; this version knows no sections yet\nfleet.yml:2: unknown key \"b\"; this version knows no sections yet\nfleet.yml:3: key \"a\" stands in line 1 already"},
		"key of a list":     {"? [a]\n: 1\n", "fleet.yml:1: a key must be a plain word"},
		"list":              {"# c\n- a\n", "fleet.yml:2: the top level must be a mapping (key: value)"},
		"word":              {"probes\n", "fleet.yml:1: the top level must be a mapping (key: value)"},
		"two documents":     {"{}\n---\n{}\n", "fleet.yml:2: a second YAML document begins here; a file holds one"},
		"two empty ones":    {"---\n---\n", "fleet.yml:2: a second YAML document begins here; a file holds one"},
		"syntax, line 1":    {"a: b: c\n", "fleet.yml:1: not YAML: mapping values are not allowed in this context"},
		"syntax, scanner":   {"a:\n\tb: 1\n", "fleet.yml:2: not YAML: found character that cannot start any token"},
		"syntax, grammar":   {"# c\na:\n  - b\n c: d\n", "fleet.yml:2: not YAML: did not find expected key, here or below"},
		"syntax, second":    {"{}\n---\n[", "fleet.yml:3: not YAML: did not find expected node content, here or below"},
		"syntax, flow":      {"# c\na: [b,\n", "fleet.yml:2: not YAML: did not find expected node content, here or below"},
		"unknown anchor":    {"a: 1\nb: *x\n", "fleet.yml: not YAML: unknown anchor 'x' referenced"},
		"not UTF-8":         {"# c\na: \xff\n", "fleet.yml:2: byte 0xff is not UTF-8"},
		"UTF-16":            {"\xff\xfea\x00:\x00", "fleet.yml:1: byte 0xff is not UTF-8"},
		"control character": {"a: 1\nb: \x00\n", "fleet.yml:2: control character U+0000"},
		"hostile key":       {`"a\nlevel=info": 1`, `fleet.yml:1: unknown key "a\nlevel=info"; this version knows no sections yet`},
		"nested too deeply": {strings.Repeat("[", 20000), "fleet.yml:1: not YAML: exceeded max depth of 10000"},
		"a program":         {"\x7fELF\x02\x01\x01\x00", "fleet.yml:1: control character U+007F"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, map[string]string{"fleet.yml": c.text})
			got, err := Load([]string{"fleet.yml"})
			if got != nil || err == nil {
				t.Fatalf("Load = %v, %v; want an error alone", got, err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Fatalf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadReportsAllFiles(t *testing.T) {
	write(t, map[string]string{"a.yml": "x: 1\n", "b.yml": "", "c.yml": "- y\n"})
	_, err := Load([]string{"a.yml", "gone.yml", "b.yml", "c.yml"})
	want := `a.yml:1: unknown key "x"; this version knows no sections yet
gone.yml: no such file or directory
c.yml:1: the top level must be a mapping (key: value)`
	if err == nil || err.Error() != want {
		t.Fatalf("Load error:\n%v\nwant:\n%s", err, want)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the error does not wrap fs.ErrNotExist")
	}
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 3 {
		t.Errorf("the error is %T with %d faults; want Faults with 3", err, len(faults))
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	write(t, nil)
	if err := os.Mkdir("conf.d", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create("big.yml")
	if err != nil {
		t.Fatal(err)
	}
	defer big.Close()
	if err := big.Truncate(maxFileSize + 1); err != nil {
		t.Fatal(err)
	}
	_, err = Load([]string{"conf.d", "pipe", "big.yml", "/dev/zero"})
	want := `conf.d: this is a directory; a configuration is a regular file
pipe: this is a pipe; a configuration is a regular file
big.yml: the file is larger than 1 MiB
/dev/zero: this is a device; a configuration is a regular file`
	if err == nil || err.Error() != want {
		t.Fatalf("Load error:\n%v\nwant:\n%s", err, want)
	}
}

// An alias bomb must cost no more than its bytes: aliases are not followed
// where no section asks for them.
func TestLoadAliasBomb(t *testing.T) {
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := range 30 {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 8), i)
	}
	write(t, map[string]string{"bomb.yml": bomb})
	_, err := Load([]string{"bomb.yml"})
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 31 {
		t.Fatalf("Load error %v; want 31 faults", err)
	}
	if err := faults[0].Unwrap(); err == nil || faults[30].Line != 31 {
		t.Fatalf("first fault %v, last in line %d; want line 31", err, faults[30].Line)
	}
	read := func(_ *Config, value *yaml.Node) Faults {
		var v any
		if err := value.Decode(&v); err != nil {
			return Faults{{Line: value.Line, Err: err}}
		}
		return nil
	}
	_, err = load([]string{"bomb.yml"}, []section{{name: "a30", read: read}})
	if err == nil || !strings.Contains(err.Error(), "bomb.yml:31: yaml: document contains excessive aliasing") {
		t.Fatalf("load with a section that follows aliases: %v; want excessive aliasing", err)
	}
}

func TestLoadSections(t *testing.T) {
	var got []string
	keep := func(_ *Config, value *yaml.Node) Faults {
		if value.Value == "bad" {
			return Faults{{Line: value.Line, Err: errors.New("bad value")}}
		}
		got = append(got, value.Value)
		return nil
	}
	known := []section{{"ports", keep}, {"probes", keep}}
	write(t, map[string]string{
		"a.yml": "probes: one\n",
		"b.yml": "\nprobes: two\nports:\n  bad\n",
		"c.yml": "prboes: 1\nweather: 1\n",
	})
	_, err := load([]string{"a.yml", "b.yml", "c.yml"}, known)
	want := `b.yml:2: "probes" stands in a.yml:1 already; a section stands in one file
b.yml:4: bad value
c.yml:1: unknown key "prboes"; did you mean "probes"?
c.yml:2: unknown key "weather"; known are ports, probes`
	if err == nil || err.Error() != want {
		t.Errorf("load error:\n%v\nwant:\n%s", err, want)
	}
	if diff := cmp.Diff([]string{"one"}, got); diff != "" {
		t.Errorf("values read (-want +got):\n%s", diff)
	}
}

func TestFaultsTextIsBounded(t *testing.T) {
	write(t, map[string]string{"f.yml": strings.Repeat("? [a]\n: 1\n", 120)})
	_, err := Load([]string{"f.yml"})
	if err == nil {
		t.Fatal("Load worked")
	}
	lines := strings.Split(err.Error(), "\n")
	if want := "f.yml:101: " + errTooMany.Error(); len(lines) != 51 || lines[50] != want {
		t.Fatalf("%d lines, the last %q; want 51 and %q", len(lines), lines[len(lines)-1], want)
	}
}

// A file that nobody writes is no reason to wait for ever, even where it looks
// like a regular one: /proc/kmsg does.
func TestFileThatNeverEnds(t *testing.T) {
	need.Root(t)
	began := time.Now()
	_, err := Load([]string{"/proc/kmsg"})
	if err == nil || time.Since(began) > 10*readTimeout {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"ports", "probes", "isolation"}
	for word, want := range map[string]string{
		"prboes": "probes", "port": "ports", "PORTS": "", "isolations": "isolation", "x": "", "": "",
		strings.Repeat("p", 1000): "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("nearest(%.20q) = %q, want %q", word, got, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"", "---\n", "{}", "null", "a: 1\na: 2\n", "- a", "a: &a [1]\nb: *a\n", "a: &a\n  b: *a\n",
		"? [a]\n: 1", "<<: *a", "{}\n---\n{}", "a: [", "a:\n\tb", "!foo {}", "%YAML 1.1\n---\nx: |\n  y\n",
		"\ufeffa: 1", "\xff", "a: 'x", "probes: {}\n", "*a", "a: \"\\U00110000\"",
	} {
		f.Add([]byte(text))
	}
	f.Add(Reference)
	decode := func(_ *Config, value *yaml.Node) Faults {
		var v any
		if err := value.Decode(&v); err != nil {
			return Faults{{Line: value.Line, Err: err}}
		}
		return nil
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		l := &loader{known: []section{{"a", decode}}, seen: map[string]place{}, config: &Config{}}
		l.document("f", data)
		for _, fault := range l.faults {
			// A lone CR, NEL, LS and PS break lines too; the end may count as one more.
			lines := 2 + strings.Count(string(data), "\n")
			for _, s := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
				lines += strings.Count(string(data), s)
			}
			if fault.File != "f" || fault.Err == nil || fault.Line < 0 || fault.Line > lines {
				t.Errorf("fault %+v of %d lines", fault, lines)
			}
		}
	})
}

func TestUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b.yml")
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load([]string{path})
	if !errors.Is(err, unix.ENOTDIR) || err.Error() != path+": not a directory" {
		t.Fatalf("Load error %v; want %s: not a directory", err, path)
	}
}
