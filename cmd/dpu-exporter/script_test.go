package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dpu-exporter": main})
}

// TestScripts drives the real program; each script in testdata/script is a
// story of a user.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"free-address": freeAddress,
			"http":         httpRequest,
			"signal":       signalDaemon,
		},
	})
}

// freeAddress VARIABLE sets VARIABLE to an address of loopback that is free.
func freeAddress(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], l.Addr().String())
	ts.Check(l.Close())
}

// signalDaemon TERM or HUP goes to the programs in the background.
func signalDaemon(ts *testscript.TestScript, _ bool, args []string) {
	sent := map[string]os.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[args[0]]
	for _, command := range ts.BackgroundCmds() {
		ts.Check(command.Process.Signal(sent))
	}
}

// httpRequest METHOD STATUS URL TEXT… repeats a request until the answer has
// that status and holds every text, or, with !, none of them; it gives up after
// five seconds.
func httpRequest(ts *testscript.TestScript, neg bool, args []string) {
	method, status, url, texts := args[0], args[1], args[2], args[3:]
	var wrong error
	for range 100 {
		if wrong = tryRequest(method, status, url, texts, !neg); wrong == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s %s: %v", method, url, wrong)
}

func tryRequest(method, status, url string, texts []string, want bool) error {
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		return err
	}
	r.Close = true
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if have := strconv.Itoa(response.StatusCode); have != status {
		return fmt.Errorf("status %s, want %s:\n%s", have, status, body)
	}
	for _, text := range texts {
		if strings.Contains(string(body), text) != want {
			return fmt.Errorf("%q found: %v in:\n%s", text, !want, body)
		}
	}
	return nil
}
