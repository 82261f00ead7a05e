package genltest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
)

// ReadCapture returns the messages of a testdata file: one a line in
// hexadecimal (generic netlink header and attributes, little endian), after
// lines with # that say how they were taken.
func ReadCapture(t testing.TB, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var messages [][]byte
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		message, err := hex.DecodeString(line)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		messages = append(messages, message)
	}
	if len(messages) == 0 {
		t.Fatalf("%s: no messages", path)
	}
	return messages
}

// WriteCapture writes a testdata file that ReadCapture reads.
func WriteCapture(t testing.TB, path, header string, messages [][]byte) {
	t.Helper()
	var text bytes.Buffer
	for line := range strings.Lines(header) {
		fmt.Fprintf(&text, "# %s\n", strings.TrimSpace(line))
	}
	for _, m := range messages {
		fmt.Fprintf(&text, "%x\n", m)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
