package metric

import (
	"strings"
	"unicode/utf8"
)

// cleanLabel makes any string a legal label value, and is the only place that
// does. Valid UTF-8 stays exactly as it is, control characters included, but
// for one thing: each byte that is not UTF-8 becomes the four characters \xNN,
// and so does the backslash of a string that holds such four characters itself.
// So two strings that differ before differ afterwards, and no two devices ever
// share a label.
func cleanLabel(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, `\x`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || looksCleaned(s[i:]) {
			writeHex(&b, s[i])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// looksCleaned says whether s begins like the output of writeHex: \x5c.
func looksCleaned(s string) bool {
	return len(s) >= 4 && s[0] == '\\' && s[1] == 'x' && isHex(s[2]) && isHex(s[3])
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }

// writeHex writes a byte as \xNN.
func writeHex(b *strings.Builder, c byte) {
	const hex = "0123456789abcdef"
	b.Write([]byte{'\\', 'x', hex[c>>4], hex[c&15]})
}

// appendLabel appends a label value between quotes, cleaned and escaped as the
// text format 0.0.4 wants: \\, \" and \n.
func appendLabel(b []byte, value string) []byte {
	b = append(b, '"')
	b = appendEscaped(b, cleanLabel(value), true)
	return append(b, '"')
}

// appendEscaped escapes backslash and newline, and quotes where asked: HELP
// lines leave them as they are.
func appendEscaped(b []byte, s string, quotes bool) []byte {
	from := 0
	for i := range len(s) {
		var escaped string
		switch {
		case s[i] == '\\':
			escaped = `\\`
		case s[i] == '\n':
			escaped = `\n`
		case s[i] == '"' && quotes:
			escaped = `\"`
		default:
			continue
		}
		b = append(b, s[from:i]...)
		b = append(b, escaped...)
		from = i + 1
	}
	return append(b, s[from:]...)
}
