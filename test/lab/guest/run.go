package guest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Run is a command for the guest.
type Run struct {
	Command  []string      // the program, by its path in the guest, and its arguments
	Folder   string        // where it is run; "" is the root
	Env      []string      // NAME=VALUE, added to the guest's own
	Shares   []string      // folders of this machine, seen in the guest at their own path, read-only
	Programs []string      // static programs of this machine, put into /usr/local/bin of the guest
	Modules  []Module      // kernel modules, put into /mnt/modules of the guest
	Cmdline  string        // words added to the kernel's command line
	Input    io.Reader     // a terminal; nil for none
	Output   io.Writer     // what the command prints, byte for byte
	Limit    time.Duration // for booting and running
}

// prepare puts into the folder of the run what its init reads.
func (r Run) prepare(folder string, all []share) error {
	start, err := recipe.ReadFile("recipe/init")
	if err != nil {
		return err
	}
	var shares strings.Builder
	for n, s := range all {
		fmt.Fprintf(&shares, "%s %s\n", shareTag(n), s.path)
	}
	for name, text := range map[string]string{"init": string(start), "shares": shares.String(), "command": r.script()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			return err
		}
	}
	modules := filepath.Join(folder, "modules")
	if err := os.Mkdir(modules, 0o755); err != nil {
		return err
	}
	for _, m := range r.Modules {
		if err := os.WriteFile(filepath.Join(modules, m.Name), m.Text, 0o644); err != nil {
			return err
		}
	}
	programs := filepath.Join(folder, "programs")
	if err := os.Mkdir(programs, 0o755); err != nil {
		return err
	}
	for _, path := range r.Programs {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(programs, filepath.Base(path)), text, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// script is the command as a shell script.
func (r Run) script() string {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for _, e := range r.Env {
		fmt.Fprintf(&b, "export %s\n", quote(e))
	}
	if r.Folder != "" {
		fmt.Fprintf(&b, "cd %s || exit\n", quote(r.Folder))
	}
	b.WriteString("exec")
	for _, word := range r.Command {
		b.WriteString(" " + quote(word))
	}
	return b.String() + "\n"
}

// quote makes one word of the shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
