package gate_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"blaise.dev/blaise/internal/shim/gate"
)

// serve starts a proxy and answers how to ask it, and what it refused.
func serve(t *testing.T, p *gate.Proxy) (ask func(request string) string, refused func() string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var no []string
	p.Refused = func(where, why string) {
		mu.Lock()
		defer mu.Unlock()
		no = append(no, where+": "+why)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	ask = func(request string) string {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(c).ReadString('\n')
		return strings.TrimSpace(line)
	}
	return ask, func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(no, "\n") }
}

func rules(t *testing.T, texts ...string) gate.Rules {
	t.Helper()
	r, err := gate.ParseRules(texts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Names allow what is below them, on the web's ports; addresses only what is
// listed; a name that leads to a private address leads nowhere.
func TestProxyRefusesWhatIsNotListed(t *testing.T) {
	t.Parallel()
	private := netip.MustParseAddr("169.254.169.254")
	ask, refused := serve(t, &gate.Proxy{
		Rules: rules(t, "example.com", "10.0.0.0/8"),
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{private, netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::ffff:192.168.1.1"),
				netip.MustParseAddr("64:ff9b::7f00:1"), netip.MustParseAddr("::7f00:1")}, nil
		},
	})
	for _, target := range []string{
		"other.com:443", "notexample.com:443", "example.com.evil.org:443", "example.com:22",
		"127.0.0.1:443", "[::1]:443", "[::ffff:127.0.0.1]:80", "169.254.169.254:80", "8.8.8.8:443",
		"2130706433:80", "0x7f.1:80", "example.com:443", "a.b.example.com.:443", "EXAMPLE.com:80",
	} {
		got := ask("CONNECT " + target + " HTTP/1.1\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 403") {
			t.Errorf("CONNECT %s: %s", target, got)
		}
	}
	if !strings.Contains(refused(), "example.com:443: it leads to a private address") {
		t.Errorf("refused:\n%s", refused())
	}
	for _, bad := range []string{"GET / HTTP/1.1\r\n\r\n", "CONNECT x:0 HTTP/1.1\r\n\r\n", "hello\r\n\r\n",
		"GET http://example.com/ HTTP/1.1\r\nA : b\r\n\r\n", "GET http://example.com/ HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 20000)} {
		if got := ask(bad); !strings.HasPrefix(got, "HTTP/1.1 400") {
			t.Errorf("%.40q: %s", bad, got)
		}
	}
}

// A plain request goes to the host of its address, whatever its header says.
func TestProxyAsksTheHostThatItLookedAt(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Seen", fmt.Sprintf("%s %s %q", r.Host, r.URL, r.Header["Proxy-Authorization"]))
	}))
	defer server.Close()
	at := netip.MustParseAddrPort(server.Listener.Addr().String())
	ask, _ := serve(t, &gate.Proxy{
		Rules:   rules(t, fmt.Sprintf("good.com:%d", at.Port()), "127.0.0.1"),
		Resolve: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{at.Addr()}, nil },
	})
	got := ask(fmt.Sprintf("GET http://good.com:%d/p?q HTTP/1.1\r\nHost: evil.com\r\nProxy-Authorization: x\r\n\r\n", at.Port()))
	if got != "HTTP/1.1 200 OK" {
		t.Errorf("answer: %s", got)
	}
}

func TestRulesThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "http://example.com", "exa mple.com", "example.com:0", "example.com:x", "-a.com", "a..b", "*"} {
		if _, err := gate.ParseRules([]string{text}); err == nil {
			t.Errorf("%q is taken for a rule", text)
		}
	}
}
