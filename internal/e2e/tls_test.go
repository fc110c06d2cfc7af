package e2e_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestTLS: commands, a runner and its runs work over https, and nothing is
// said without it.
func TestTLS(t *testing.T) {
	cert, key := certificate(t)
	t.Setenv("SSL_CERT_FILE", cert)
	b := lab{startSplit(t, demoConfig, "--tls-cert", cert, "--tls-key", key)}
	id := b.start("hello")
	b.answered(id, 1)
	if url := b.url(); url[:8] != "https://" {
		t.Errorf("Blaise says that it is at %s", url)
	}
	resp, err := http.Get("http" + b.url()[5:] + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS: %s", resp.Status)
	}
	b.run("end", string(id))
}

// certificate writes the one that test servers have, good for 127.0.0.1.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	pair := s.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
}
