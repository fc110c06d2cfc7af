package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"blaise.dev/blaise/server"
)

// certify writes a certificate of this machine's loopback, and its key.
func certify(t *testing.T, serial int64, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	put(t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	put(t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

func put(t *testing.T, file string, b []byte) {
	t.Helper()
	if file == "" {
		return
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// served is the serial number of the certificate that a handshake gets.
func served(t *testing.T, c *tls.Config) int64 {
	t.Helper()
	cert, err := c.GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return leaf.SerialNumber.Int64()
}

// TestCertificate: a renewed certificate is taken without a restart, and a half
// written one is not.
func TestCertificate(t *testing.T) {
	t.Parallel()
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	if _, err := server.OpenCertificate(cert, key, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a certificate that is not there was opened")
	}
	certify(t, 1, cert, key)
	opened, err := server.OpenCertificate(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c := opened.TLS()
	if got := served(t, c); got != 1 {
		t.Errorf("serial %d", got)
	}
	certify(t, 2, cert, "") // its key is not there yet
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if got := served(t, c); got != 1 {
			t.Fatalf("serial %d, of a certificate without its key", got)
		}
	}
	certify(t, 3, cert, key)
	for end := time.Now().Add(10 * time.Second); served(t, c) != 3; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the renewed certificate is not served")
		}
	}
}
