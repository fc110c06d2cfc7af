// Package authority has the certificate authorities of the web, for a machine or
// an image that has none. The programs call it before they speak to anybody.
package authority

import (
	"crypto/x509"
	"os"
	"strings"
	"sync"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// files are where systems keep theirs, and crypto/x509 looks.
var files = []string{
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/cacert.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/etc/ssl/cert.pem",
}

// least is more than one certificate fills: a smaller file was left empty.
const least = 4 << 10

// Ensure makes sure that servers can be verified. Whatever the system has comes
// first; ours are parsed, which takes longer than most commands do, only where
// it may have nothing.
var Ensure = sync.OnceFunc(func() {
	if !system() {
		x509.SetFallbackRoots(ours())
	}
})

// system says whether the machine surely has authorities. Who moves them, or asks
// for ours (GODEBUG=x509usefallbackroots=1), is left to crypto/x509.
func system() bool {
	if os.Getenv("SSL_CERT_FILE") != "" || os.Getenv("SSL_CERT_DIR") != "" ||
		strings.Contains(os.Getenv("GODEBUG"), "x509usefallbackroots") {
		return false
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		_ = f.Close() // only looked at
		return err == nil && info.Size() >= least
	}
	return false
}

func ours() *x509.CertPool {
	pool := x509.NewCertPool()
	for root := range bundle.Roots() {
		c, err := x509.ParseCertificate(root.Certificate)
		switch {
		case err != nil: // one that this Go does not read; the others stand
		case root.Constraint == nil:
			pool.AddCert(c)
		default:
			pool.AddCertWithConstraint(c, root.Constraint)
		}
	}
	return pool
}
