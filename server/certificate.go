package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A Certificate is read from two files, and anew when they have changed. It is
// safe for concurrent use.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu     sync.Mutex // guards what follows
	cert   *tls.Certificate
	read   [2]version // of what cert was read from, or could not be
	looked time.Time
}

// A version tells whether a file has changed.
type version struct {
	at   time.Time
	size int64
}

// lookEvery bounds how often the files are looked at.
const lookEvery = time.Second

// OpenCertificate reads a certificate, with those between it and its root, and
// its key, both PEM.
func OpenCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	if err := c.load(); err != nil {
		return nil, err
	}
	return c, nil
}

// TLS is the configuration of a listener with the certificate. It speaks
// HTTP/1.1 alone, as proxies do to Blaise.
func (c *Certificate) TLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now(), nil },
	}
}

// now is the certificate as the files have it; the earlier one while they do
// not fit together, as between the writes of the two.
func (c *Certificate) now() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < lookEvery {
		return c.cert
	}
	c.looked = time.Now()
	if c.versions() == c.read {
		return c.cert
	}
	if err := c.load(); err != nil {
		c.log.Error("changed certificate not taken; the earlier one is kept", "error", err)
	} else {
		c.log.Info("certificate read anew", "file", c.certFile)
	}
	return c.cert
}

func (c *Certificate) load() error {
	read := c.versions()
	cert, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	c.read = read
	if err != nil {
		return fmt.Errorf("read certificate %s and key %s: %w", c.certFile, c.keyFile, err)
	}
	c.cert = &cert
	return nil
}

func (c *Certificate) versions() (v [2]version) {
	for i, file := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(file); err == nil {
			v[i] = version{info.ModTime(), info.Size()}
		}
	}
	return v
}
