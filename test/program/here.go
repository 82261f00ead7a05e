package program

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Here is the transport of an HTTP client whose every request opens a connection
// of its own from the calling goroutine, and so from the network namespace that
// this is in (worlds.Enter); net/http's dials from another goroutine. It takes
// http:// with an address for a host: resolving a name may leave the goroutine.
type Here struct{}

// RoundTrip sends one request; its errors are those of net.Dialer and of
// http.Transport.
func (Here) RoundTrip(request *http.Request) (*http.Response, error) {
	conn, err := new(net.Dialer).DialContext(request.Context(), "tcp", request.URL.Host)
	if err != nil {
		return nil, err
	}
	once := http.Transport{
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return conn, nil },
		DisableKeepAlives: true,
	}
	return once.RoundTrip(request)
}

// Read returns what a URL answers with, asked from Here; an answer other than 200
// is an error.
func Read(url string) (string, error) {
	client := http.Client{Transport: Here{}, Timeout: 30 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, response.Status)
	}
	return string(text), err
}

// MustRead is Read, for a test that ends where it fails.
func MustRead(t testing.TB, url string) string {
	t.Helper()
	text, err := Read(url)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
