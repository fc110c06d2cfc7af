package main

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/netip"
	"strings"

	"blaise.dev/blaise/internal/provider"
	"blaise.dev/blaise/server"

	"github.com/spf13/cobra"
)

// A door is what stands between the network and the plane: a certificate, or a
// proxy that has one, and a provider that says who comes in.
type door struct {
	cert, key string   // files
	proxies   []string // as given
	trusted   []netip.Prefix
	oidc      string // the file that says which provider
	provider  *provider.Provider
}

func (d *door) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&d.cert, "tls-cert", "", "serve https with the certificate in `FILE` (PEM), read anew when it changes")
	f.StringVar(&d.key, "tls-key", "", "the `FILE` with the certificate's key (PEM)")
	f.StringVar(&d.oidc, "oidc", "", "sign people in with the OpenID Connect provider that `FILE` names (docs/people.md)")
	f.StringSliceVar(&d.proxies, "trusted-proxy", nil, "believe X-Forwarded-For and -Proto from this `ADDRESS` or network")
}

// check reads what was given.
func (d *door) check() error {
	if (d.cert == "") != (d.key == "") {
		return usage("--tls-cert and --tls-key go together").WithHint("give the file of the certificate and that of its key")
	}
	for _, text := range d.proxies {
		p, err := netip.ParsePrefix(text)
		if !strings.Contains(text, "/") {
			var a netip.Addr
			if a, err = netip.ParseAddr(text); err == nil {
				p, err = a.Prefix(a.BitLen())
			}
		}
		if err != nil {
			return usage("%q is no address or network of a proxy", text).WithHint("write 10.0.0.5 or 10.0.0.0/8")
		}
		d.trusted = append(d.trusted, p.Masked())
	}
	if d.oidc == "" {
		return nil
	}
	c, err := provider.ReadConfig(d.oidc)
	if err == nil {
		d.provider = provider.New(c)
	}
	return err
}

// stand has a listener speak TLS, if there is a certificate.
func (d *door) stand(l net.Listener, log *slog.Logger) (net.Listener, error) {
	if d.cert == "" {
		return l, nil
	}
	c, err := server.OpenCertificate(d.cert, d.key, log)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(l, c.TLS()), nil
}

func (d *door) scheme() string {
	if d.cert == "" {
		return "http://"
	}
	return "https://"
}

// open says that tokens can be read on their way to a listener.
func (d *door) open(at net.Addr, url string) bool {
	return d.cert == "" && !isLoopback(at) && !strings.HasPrefix(url, "https://")
}
