package e2e_test

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blaise.dev/blaise/internal/provider/providertest"
)

// withProvider is a lab whose people sign in with a provider, which knows Ann.
func withProvider(t *testing.T) (b lab, issuer string) {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	issuer = providertest.Start(t, "http://"+at+"/login/callback",
		providertest.Person{Email: "ann@example.org", Verified: true, Groups: []string{"dev"}})
	b = lab{&split{t: t, dir: dir}}
	b.write("secret", providertest.Secret)
	b.write("oidc.yml", "issuer: "+issuer+"\nclient: "+providertest.Client+"\nsecretFile: "+filepath.Join(dir, "secret")+
		"\nclaim: groups\nroles: {member: [dev]}\n")
	return lab{startSplit(t, demoConfig, "--listen", at, "--oidc", filepath.Join(dir, "oidc.yml"))}, issuer
}

// TestProvider: a person signs in with a provider at a Blaise as it is
// released, and what they do has their name.
func TestProvider(t *testing.T) {
	b, issuer := withProvider(t)
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	page := func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return string(text)
	}
	form := page(browser.Get(b.url() + "/login/provider"))
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(form)
	if id == nil {
		t.Fatalf("no form of the provider:\n%s", form)
	}
	in := page(browser.PostForm(issuer+"/login/username",
		url.Values{"id": {id[1]}, "username": {"ann@example.org"}, "password": {"password"}}))
	if !strings.Contains(in, "You are signed in") {
		t.Fatalf("not signed in:\n%s", in)
	}
	if list := page(browser.Get(b.url() + "/")); !strings.Contains(list, "Signed in as ann@example.org, member") {
		t.Errorf("the list says:\n%s", list)
	}
	if users := b.run("user", "list"); !regexp.MustCompile(`ann@example.org +member`).MatchString(users) {
		t.Errorf("users:\n%s", users)
	}
}
