package main

import (
	"bufio"
	"context"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// newPlane runs a control plane, and returns a browser that is signed in there.
func newPlane(t *testing.T) (*plane, *http.Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p, err := openPlane(ctx, planeOptions{data: t.TempDir(), listen: "127.0.0.1:0", log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := p.admin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- p.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
		_ = p.close()
	})
	link, err := p.link(ctx, token)
	if err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	page(t, browser, "GET", link, nil)
	return p, browser
}

func page(t *testing.T, browser *http.Client, method, at string, form url.Values) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", req.URL.Scheme+"://"+req.URL.Host)
	resp, err := browser.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return html.UnescapeString(string(text))
}

// TestLoginByBrowser: a terminal is signed in by a browser of its machine, once
// the person has seen that both show the same.
func TestLoginByBrowser(t *testing.T) {
	t.Parallel()
	p, browser := newPlane(t)
	said, err := io.Pipe()
	a := testApp(io.Discard)
	a.err = err
	in := make(chan place, 1)
	go func() {
		at, err := a.signIn(t.Context(), []string{p.url}, false)
		if err != nil {
			t.Error(err)
		}
		in <- at
	}()
	lines := bufio.NewReader(said)
	first, _ := lines.ReadString('\n')
	address, _ := lines.ReadString('\n')
	to, _ := url.Parse(strings.TrimSpace(address))
	check := to.Query().Get("check")
	if !strings.Contains(first, check) || len(check) != 9 {
		t.Fatalf("the terminal says %q and %q", first, address)
	}
	if asked := page(t, browser, "GET", to.String(), nil); !strings.Contains(asked, check) || strings.Contains(asked, "blc_") {
		t.Errorf("the page asks:\n%s", asked)
	}
	if got := page(t, &http.Client{}, "GET", to.String(), nil); strings.Contains(got, check) {
		t.Errorf("who is not signed in sees\n%s", got)
	}
	if got := page(t, browser, "GET", "http://127.0.0.1:"+to.Query().Get("port")+"/?code=x&check=AAAA-AAAA", nil); !strings.Contains(got, "not what") {
		t.Errorf("another check: %s", got)
	}
	answer := page(t, browser, "POST", p.url+to.Path, to.Query())
	back := regexp.MustCompile(`content="0; url=([^"]+)"`).FindStringSubmatch(answer)
	if back == nil {
		t.Fatalf("the page does not go back to the terminal:\n%s", answer)
	}
	if got := page(t, browser, "GET", back[1], nil); !strings.Contains(got, "can be closed") {
		t.Errorf("the terminal answers %s", got)
	}
	me, meErr := newClient(<-in).Me(t.Context())
	if meErr != nil || me.Role != "admin" {
		t.Errorf("the terminal is %+v, %v", me, meErr)
	}
}

// TestLoginByPaste: the browser may be on another machine.
func TestLoginByPaste(t *testing.T) {
	t.Parallel()
	p, browser := newPlane(t)
	a := testApp(io.Discard)
	answer := page(t, browser, "POST", p.url+"/login/terminal", url.Values{"check": {"AAAA-AAAA"}})
	link := regexp.MustCompile(`http://\S+code=blc_[\w-]+`).FindString(answer)
	a.in = strings.NewReader(link + "\n")
	at, err := a.signIn(t.Context(), []string{p.url}, true)
	if err != nil {
		t.Fatal(err)
	}
	if me, err := newClient(at).Me(t.Context()); err != nil || me.Role != "admin" {
		t.Errorf("the terminal is %+v, %v", me, err)
	}
	for _, wrong := range []string{"", "\n", "nonsense\n", p.url + "\n"} {
		a.in = strings.NewReader(wrong)
		if _, err := a.signIn(t.Context(), []string{p.url}, true); exitCode(err) != exitUsage {
			t.Errorf("%q pasted: %v", wrong, err)
		}
	}
	for _, q := range []string{"", "?check=x", "?check=AAAA-AAAA&port=99999"} {
		if got := page(t, browser, "GET", p.url+"/login/terminal"+q, nil); !strings.Contains(got, "not the address") {
			t.Errorf("%s: %s", q, got)
		}
	}
}
