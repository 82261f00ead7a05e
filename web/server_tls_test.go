package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// webConfig writes a file for --web.config.file with TLS and the user admin,
// and returns it with the certificates to trust.
func webConfig(t *testing.T, password string) (string, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, data := range map[string][]byte{
		"cert.pem": certificate,
		"key.pem":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
		"web.yml": fmt.Appendf(nil, `tls_server_config: {cert_file: cert.pem, key_file: key.pem}
basic_auth_users: {admin: %s}
`, hash),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	return filepath.Join(dir, "web.yml"), pool
}

func TestServeWithTLSAndBasicAuthOnTwoAddresses(t *testing.T) {
	config, pool := webConfig(t, "secret")
	r := start(t, 2, config, http.HandlerFunc(hello))
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool, ServerName: "localhost"},
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	c := &http.Client{Transport: transport}
	var wait sync.WaitGroup
	for _, address := range r.addresses {
		for user, want := range map[string]int{"admin:secret@": 200, "admin:wrong@": 401, "": 401} {
			wait.Go(func() {
				res, err := c.Get("https://" + user + address)
				if err != nil {
					t.Error(err)
					return
				}
				res.Body.Close()
				if res.StatusCode != want || res.ProtoMajor != 2 {
					t.Errorf("GET %s as %q: %d over %s; want %d over HTTP/2", address, user, res.StatusCode, res.Proto, want)
				}
			})
		}
	}
	wait.Wait()
	plain := get(client(t), "http://"+r.addresses[0])
	if want := "400 Client sent an HTTP request to an HTTPS server.\n"; plain != want {
		t.Errorf("plain HTTP got %q, want %q", plain, want)
	}
	if took := r.end(t); took > 2*time.Second {
		t.Errorf("stopping took %v", took)
	}
}
