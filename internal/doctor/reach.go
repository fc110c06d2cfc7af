package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/daemon"
)

// wayOut says through which proxy Blaise is reached. Passwords are not shown.
func wayOut(_ context.Context, o Options) []Line {
	req, err := http.NewRequest(http.MethodGet, o.URL, nil)
	if o.URL == "" || err != nil {
		return nil // reach says so
	}
	proxy, err := http.ProxyFromEnvironment(req)
	switch {
	case err != nil:
		return lines(broken("proxy", "the proxy of the environment is no address", "correct HTTPS_PROXY or HTTP_PROXY, as http://HOST:PORT"))
	case proxy == nil && anySet("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
		return lines(good("proxy", "none for "+req.URL.Host+" (NO_PROXY, or it is this machine)"))
	case proxy == nil:
		return lines(good("proxy", "none"))
	}
	return lines(good("proxy", proxy.Redacted()))
}

func anySet(names ...string) bool {
	for _, n := range names {
		if os.Getenv(n) != "" {
			return true
		}
	}
	return false
}

// certificates looks at where trust comes from.
func certificates(_ context.Context, o Options) []Line {
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"} {
		at := []string{os.Getenv(name)}
		if name == "SSL_CERT_DIR" { // one or several
			at = filepath.SplitList(at[0])
		}
		for _, path := range at {
			if l := certificatesAt(name, path); l != nil {
				return l
			}
		}
	}
	if !strings.HasPrefix(o.URL, "https:") {
		return nil
	}
	if _, err := x509.SystemCertPool(); err != nil {
		return lines(broken("certificates", "the system has none: "+err.Error(), "install ca-certificates, or name a file with SSL_CERT_FILE"))
	}
	return lines(good("certificates", "of the system"+also("SSL_CERT_FILE")+also("SSL_CERT_DIR")))
}

// certificatesAt says what is wrong with a path of that variable.
func certificatesAt(name, path string) []Line {
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return lines(broken("certificates", name+": "+err.Error(), "name a file or directory that the runner may read, or unset it"))
	}
	b, err := os.ReadFile(path)
	if err == nil && !x509.NewCertPool().AppendCertsFromPEM(b) {
		return lines(broken("certificates", name+": "+path+" holds no certificate in PEM", "give it the certificate of your authority in PEM"))
	}
	return nil
}

func also(name string) string {
	if at := os.Getenv(name); at != "" {
		return fmt.Sprintf(", %s=%s", name, at)
	}
	return ""
}

// reach goes to Blaise, step by step, and stops at the first that fails.
func reach(ctx context.Context, o Options) []Line {
	if o.URL == "" {
		return lines(broken("blaise", "nobody said where it is", "say it with --url or BLAISE_URL"))
	}
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" {
		return lines(broken("blaise", fmt.Sprintf("%q is no address", o.URL), "give --url as https://HOST"))
	}
	began := time.Now()
	answer, err := ask(ctx, o.URL+"/livez")
	if err != nil {
		return lines(unreached(u, err))
	}
	took := time.Since(began)
	all := lines(good("blaise", fmt.Sprintf("%s answers in %s", u.Redacted(), took.Round(time.Millisecond))))
	if answer.StatusCode != http.StatusOK {
		return lines(broken("blaise", fmt.Sprintf("%s answers /livez with %s: it is something else, or a proxy before it", u.Redacted(), answer.Status),
			"check --url, and what stands between"))
	}
	all = append(all, clock(answer.Header.Get("Date"), began.Add(took/2))...)
	return append(all, token(ctx, o)...)
}

func ask(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // its status counts
	return resp, nil
}

// unreached names the hop that failed.
func unreached(u *url.URL, err error) Line {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var cert *tls.CertificateVerificationError
	text := u.Redacted() + ": " + err.Error()
	switch {
	case errors.As(err, &dns):
		return broken("blaise", text, "the name "+dns.Name+" is not known here: check --url and the DNS of this machine")
	case errors.As(err, &unknown):
		return broken("blaise", text, "its certificate is of an authority that this machine does not know: name its file with SSL_CERT_FILE")
	case errors.As(err, &host):
		return broken("blaise", text, "its certificate is for another name: use that in --url")
	case errors.As(err, &cert):
		return broken("blaise", text, "look at its certificate, and at the clock of this machine")
	case strings.Contains(err.Error(), "proxyconnect"), strings.Contains(err.Error(), "Proxy Authentication"):
		return broken("blaise", text, "the proxy refuses: check HTTPS_PROXY with its name and password, or put the host into NO_PROXY")
	case errors.Is(err, context.DeadlineExceeded):
		return broken("blaise", text, "something on the way drops what is sent: a firewall, or a proxy that is needed")
	}
	return broken("blaise", text, "start Blaise, or correct --url")
}

// clocks may differ so much without a word: the header has whole seconds.
const fair = 5 * time.Second

// clock compares the wall clocks. No decision of a run hangs on this machine's,
// certificates and logs do.
func clock(date string, here time.Time) []Line {
	there, err := http.ParseTime(date)
	if err != nil {
		return lines(doubtful("clock", "Blaise told no time", ""))
	}
	ahead := here.Sub(there.Add(time.Second / 2))
	text := fmt.Sprintf("%+.1f s against Blaise's", ahead.Seconds())
	if ahead.Abs() > fair {
		return lines(doubtful("clock", text, "let both machines set their clocks by NTP: certificates and logs go by them"))
	}
	return lines(good("clock", text))
}

// token asks for the ledger, which changes nothing.
func token(ctx context.Context, o Options) []Line {
	secret, err := o.Token()
	if err != nil && o.TokenFile == "" {
		if _, away := daemon.StatusOf(ctx, o.State); away == nil {
			return lines(doubtful("token", "not tested: the daemon that runs here has one of its own", "name its file with --token-file to test it"))
		}
	}
	if err != nil {
		return lines(broken("token", words(err), hint(err)))
	}
	c := api.NewClient(o.URL, secret, api.ClientOptions{Version: o.Version})
	if _, err = c.Ledger(ctx, api.AskLedger{Environments: []blaise.EnvironmentID{}}); err != nil {
		return lines(broken("token", words(err), hint(err)))
	}
	return lines(good("token", "Blaise knows it"))
}

// words are what happened, without the hint.
func words(err error) string {
	var e *blaise.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

func hint(err error) string {
	var e *blaise.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
