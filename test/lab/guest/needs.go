package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// needed are the programs that build and start a guest, and the Debian package
// each comes in.
var needed = []struct{ program, pkg string }{
	{"bash", "bash"},
	{"apt-get", "apt"},
	{"dpkg-deb", "dpkg"},
	{"tar", "tar"},
	{"awk", "mawk"},
	{"find", "findutils"},
	{"unshare", "util-linux"},
	{"mount", "mount"},
	{"chroot", "coreutils"},
}

// keyring is what apt checks Debian's signatures with.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// missing says all at once what this machine lacks to build a guest.
func missing() error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("the lab is built of Debian packages for amd64 and needs Linux on amd64; this is %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	var things, packages []string
	for _, n := range needed {
		if _, err := exec.LookPath(n.program); err != nil {
			things, packages = append(things, n.program), append(packages, n.pkg)
		}
	}
	if _, err := os.Stat(keyring); err != nil {
		things, packages = append(things, keyring), append(packages, "debian-archive-keyring")
	}
	if len(things) == 0 {
		return mayBecomeRoot()
	}
	slices.Sort(packages)
	err := fmt.Errorf("the lab cannot be built without %s: on Debian, apt-get install %s",
		strings.Join(things, ", "), strings.Join(slices.Compact(packages), " "))
	if !slices.Contains(things, "unshare") {
		err = errors.Join(err, mayBecomeRoot())
	}
	return err
}

// asRoot is the command prefix that makes us root of mount and PID namespaces of
// our own: as root of the machine, or of a user namespace (user_namespaces(7)).
// What is started in them ends with the prefix.
func asRoot() []string {
	prefix := []string{"unshare", "--mount", "--pid", "--fork", "--kill-child"}
	if os.Geteuid() != 0 {
		prefix = append(prefix, "--map-root-user")
	}
	return prefix
}

// runAsRoot runs a program in those namespaces, which end with ctx, and with us.
func runAsRoot(ctx context.Context, log io.Writer, program ...string) error {
	runtime.LockOSThread() // the death signal is that of the thread
	defer runtime.UnlockOSThread()
	line := append(asRoot(), program...)
	command := exec.CommandContext(ctx, line[0], line[1:]...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command.Run()
}

func mayBecomeRoot() error {
	prefix := asRoot()
	out, err := exec.Command(prefix[0], append(prefix[1:], "true")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the lab is built in a mount namespace, which is not permitted here (%s): run as root, or allow user namespaces",
			strings.TrimSpace(string(out)))
	}
	return nil
}
