package api

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"blaise.dev/blaise"
)

// unreachable explains that no answer came, and what to do about it.
func (c *Client) unreachable(ctx context.Context, k call, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // its text repeats method and address
	}
	text := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("no answer to %s %s within %s", k.method, k.path, k.within)
	}
	return blaise.Errorf(blaise.CodeUnreachable, "cannot reach Blaise at %s: %s", c.url, text).
		WithHint("%s", wayOut(err))
}

// wayOut is what helps against err.
func wayOut(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var cert *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case errors.As(err, &unknown):
		return "its certificate is of an authority that this machine does not know: name the authority's file (PEM) " +
			"with SSL_CERT_FILE, or add it to those of this machine"
	case errors.As(err, &host):
		return "its certificate is for another name: use that in the address"
	case errors.As(err, &cert):
		return "look at its certificate, and at the clock of this machine"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "it speaks no TLS: is its address one of http?"
	case errors.As(err, &dns):
		return "is the name in the address right, and known here?"
	}
	return "is it running, and is the address right?"
}
