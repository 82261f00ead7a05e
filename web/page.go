package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"unicode"
	"unicode/utf8"
)

//go:embed layout.html landing.html style.css
var files embed.FS

// page is one page for people: the layout around the template "content" of one
// file. It has no scripts and loads nothing.
type page struct {
	template *template.Template
	style    template.CSS
	policy   string // its Content-Security-Policy
	version  string
}

// newPage returns the page whose content file defines.
func newPage(file, version string) (*page, error) {
	t, err := template.ParseFS(files, "layout.html", file)
	if err != nil {
		return nil, err
	}
	style, err := files.ReadFile("style.css")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	return &page{
		template: t,
		style:    template.CSS(style), // ours, from the binary
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		version: version,
	}, nil
}

// write renders the page whole before it sends the first byte, so that an error
// is a clean 500.
func (p *page) write(w http.ResponseWriter, content any) {
	var b bytes.Buffer
	err := p.template.Execute(&b, struct {
		Version string
		Style   template.CSS
		Content any
	}{p.version, p.style, content})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	setDefault(h, "Content-Security-Policy", p.policy)
	setDefault(h, "X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	w.Write(bytes.Map(printable, b.Bytes()))
}

// setDefault leaves a header alone that --web.config.file set.
func setDefault(h http.Header, name, value string) {
	if h.Get(name) == "" {
		h.Set(name, value)
	}
}

// printable replaces what HTML cannot hold: invalid UTF-8 and control
// characters. Linux allows both in the name of an interface.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return utf8.RuneError
	}
	return r // bytes.Map hands over invalid bytes as RuneError already
}
