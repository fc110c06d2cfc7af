package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/provider"
	"blaise.dev/blaise/internal/provider/providertest"
	"blaise.dev/blaise/server"
)

// withProvider is a house whose people sign in with a provider; more is what
// its config says beside where that is.
func withProvider(t *testing.T, more string, people ...providertest.Person) *house {
	t.Helper()
	return newHouse(t, func(o *server.Options) {
		issuer := providertest.Start(t, o.URL+"/login/callback", people...)
		dir := t.TempDir()
		put(t, filepath.Join(dir, "secret"), []byte(providertest.Secret+"\n"))
		put(t, filepath.Join(dir, "oidc.yml"), []byte("issuer: "+issuer+"\nclient: "+providertest.Client+
			"\nsecretFile: "+filepath.Join(dir, "secret")+"\n"+more))
		c, err := provider.ReadConfig(filepath.Join(dir, "oidc.yml"))
		if err != nil {
			t.Fatal(err)
		}
		o.Provider = provider.New(c)
	})
}

// A surfer is a browser that keeps cookies and goes where it is sent.
type surfer struct {
	h *house
	http.Client
}

func (h *house) surfer() *surfer {
	jar, _ := cookiejar.New(nil)
	return &surfer{h: h, Client: http.Client{Jar: jar}}
}

// begin goes to the provider, and answers the form that it finds there.
func (s *surfer) begin(next string) (form string, values url.Values) {
	s.h.t.Helper()
	resp, err := s.Get(s.h.server.URL + "/login/provider?next=" + url.QueryEscape(next))
	if err != nil {
		s.h.t.Fatal(err)
	}
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(body(s.h.t, resp))
	if id == nil {
		s.h.t.Fatalf("the provider has no form at %s: %s", resp.Request.URL, resp.Status)
	}
	return resp.Request.URL.Scheme + "://" + resp.Request.URL.Host + "/login/username", url.Values{"id": {id[1]}}
}

// signIn signs in as somebody at the provider, and answers what Blaise says.
func (s *surfer) signIn(email, next string) (*http.Response, string) {
	s.h.t.Helper()
	form, values := s.begin(next)
	values.Set("username", email)
	values.Set("password", "password")
	resp, err := s.PostForm(form, values)
	if err != nil {
		s.h.t.Fatal(err)
	}
	return resp, body(s.h.t, resp)
}

// me is who the browser is signed in as.
func (s *surfer) me() api.Me {
	s.h.t.Helper()
	resp, err := s.Get(s.h.server.URL + "/api/me")
	if err != nil {
		s.h.t.Fatal(err)
	}
	var me api.Me
	_ = json.Unmarshal([]byte(body(s.h.t, resp)), &me) // nobody, if it is none
	return me
}

const byGroups = "claim: groups\nroles: {admin: [ops], member: [dev, qa]}\n"

func someone(email string, groups ...string) providertest.Person {
	return providertest.Person{Email: email, Verified: true, Groups: groups}
}

// TestProvider: who signs in with a provider has the role that it gives, each
// time they come.
func TestProvider(t *testing.T) {
	t.Parallel()
	h := withProvider(t, byGroups+"default: viewer\n", someone("boss@example.org", "dev", "ops"),
		someone("ann@example.org", "qa"), someone("vic@example.org"))
	for email, role := range map[string]string{
		"boss@example.org": "admin", "ann@example.org": "member", "vic@example.org": "viewer",
	} {
		s := h.surfer()
		resp, page := s.signIn(email, "/agents?x=1")
		if resp.StatusCode != http.StatusOK || !strings.Contains(page, "url=/agents?x=1") {
			t.Errorf("%s: %s\n%s", email, resp.Status, page)
		}
		if me := s.me(); me.Name != email || me.Role != role {
			t.Errorf("%s is %+v, want %s", email, me, role)
		}
	}
	if err := h.user.SetRole(t.Context(), "ann@example.org", "viewer"); err != nil {
		t.Fatal(err)
	}
	s := h.surfer()
	if s.signIn("ann@example.org", ""); s.me().Role != "member" {
		t.Errorf("the provider's role does not come back: %+v", s.me())
	}
	page := body(t, h.request("GET", "/login", "", ""))
	if !strings.Contains(page, h.server.URL+"/login/provider") {
		t.Errorf("the sign-in page does not offer the provider:\n%s", page)
	}
}

// TestProviderWithoutRoles: where the provider gives no roles, administrators
// do; who has none is not let in.
func TestProviderWithoutRoles(t *testing.T) {
	t.Parallel()
	h := withProvider(t, "default: viewer\n", someone("ann@example.org"))
	s := h.surfer()
	s.signIn("ann@example.org", "")
	if err := h.user.SetRole(t.Context(), "ann@example.org", "member"); err != nil {
		t.Fatal(err)
	}
	if s.signIn("ann@example.org", ""); s.me().Role != "member" {
		t.Errorf("ann is %+v", s.me())
	}
	h = withProvider(t, byGroups, someone("vic@example.org", "guests"))
	s = h.surfer()
	if resp, page := s.signIn("vic@example.org", ""); resp.StatusCode != http.StatusForbidden || !strings.Contains(page, "no role") {
		t.Errorf("without a role: %s\n%s", resp.Status, page)
	}
	if me := s.me(); me.Name != "" {
		t.Errorf("signed in as %+v", me)
	}
}

// TestProviderAndNames: a user that an administrator has made becomes who the
// provider vouches for, and nobody else.
func TestProviderAndNames(t *testing.T) {
	t.Parallel()
	h := withProvider(t, "default: viewer\n", someone("ann@example.org"),
		providertest.Person{Email: "eve@example.org"}, someone("bob@example.org"))
	for _, name := range []string{"ann@example.org", "eve@example.org"} {
		if _, err := h.control.AddUser(t.Context(), "ann", name, control.RoleMember); err != nil {
			t.Fatal(err)
		}
	}
	s := h.surfer()
	if s.signIn("ann@example.org", ""); s.me().Role != "member" {
		t.Errorf("ann is %+v", s.me())
	}
	s = h.surfer()
	if resp, _ := s.signIn("eve@example.org", ""); resp.StatusCode != http.StatusForbidden || s.me().Name != "" {
		t.Errorf("an address that nobody has verified: %s", resp.Status)
	}
	_, _, err := h.control.SignIn(t.Context(), control.Person{
		Subject: "another ann", Name: "ann@example.org", Owned: true, Default: control.RoleViewer,
	}, "test", "here")
	if err == nil || !strings.Contains(err.Error(), "nobody vouches") {
		t.Errorf("somebody else of that name: %v", err)
	}
}

// TestProviderFlow: a sign-in ends in the browser that began it, once, and
// sends it nowhere else.
func TestProviderFlow(t *testing.T) {
	t.Parallel()
	h := withProvider(t, "default: viewer\n", someone("ann@example.org"))
	s := h.surfer()
	resp, page := s.signIn("ann@example.org", "//evil.example/")
	if !strings.Contains(page, "url=/\"") || strings.Contains(page, "evil") {
		t.Errorf("it goes on elsewhere:\n%s", page)
	}
	back := resp.Request.URL.String() // with the code and the state
	for name, c := range map[string]struct {
		who *surfer
		url string
	}{
		"again":           {s, back},
		"another browser": {h.surfer(), back},
		"no state":        {h.surfer(), h.server.URL + "/login/callback?code=x"},
	} {
		resp, err := c.who.Get(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	victim, attacker := h.surfer(), h.surfer()
	victim.begin("")
	resp, _ = attacker.signIn("ann@example.org", "")
	again, err := victim.Get(resp.Request.URL.String())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Body.Close()
	if again.StatusCode != http.StatusForbidden || victim.me().Name != "" {
		t.Errorf("the sign-in of another browser: %s, %+v", again.Status, victim.me())
	}
}

// TestProviderSecrets: the provider's token is bound to the sign-in by its
// nonce, and its code by the verifier that the browser keeps.
func TestProviderSecrets(t *testing.T) {
	t.Parallel()
	h := withProvider(t, "default: viewer\n", someone("ann@example.org"))
	here, _ := url.Parse(h.server.URL + "/login/callback")
	for _, secret := range []string{"nonce", "verifier", "state"} {
		s := h.surfer()
		form, values := s.begin("")
		values.Set("username", "ann@example.org")
		values.Set("password", "password")
		for _, c := range s.Jar.Cookies(here) {
			kept, _ := url.ParseQuery(c.Value)
			kept.Set(secret, strings.Repeat("x", 43))
			s.Jar.SetCookies(here, []*http.Cookie{{Name: c.Name, Value: kept.Encode(), Path: "/login"}})
		}
		resp, err := s.PostForm(form, values)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusForbidden || s.me().Name != "" {
			t.Errorf("with another %s: %s", secret, resp.Status)
		}
	}
}

func TestProviderAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(o *server.Options) {
		file := filepath.Join(t.TempDir(), "oidc.yml")
		put(t, file, []byte("issuer: http://127.0.0.1:1\nclient: x\ndefault: viewer\n"))
		c, err := provider.ReadConfig(file)
		if err != nil {
			t.Fatal(err)
		}
		o.Provider = provider.New(c)
	})
	resp := h.request("GET", "/login/provider", "", "")
	if page := body(t, resp); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(page, "does not answer") {
		t.Errorf("%s\n%s", resp.Status, page)
	}
}

func TestProviderConfig(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"issuer: https://a.example\nclient: x\nrole: {}":                                      "field role not found",
		"client: x\ndefault: viewer":                                                          "is no address",
		"issuer: http://a.example\nclient: x\ndefault: viewer":                                "without TLS",
		"issuer: https://a.example\ndefault: viewer":                                          "client is missing",
		"issuer: https://a.example\nclient: x":                                                "gives anybody a role",
		"issuer: https://a.example\nclient: x\nroles: {admin: [a]}":                           "claim not where",
		"issuer: https://a.example\nclient: x\nclaim: g\nroles: {owner: [a]}":                 "no role \"owner\"",
		"issuer: https://a.example\nclient: x\ndefault: all":                                  "no role \"all\"",
		"issuer: https://a.example\nclient: x\ndefault: viewer\nsecretFile: /does/not/exist/": "read the secret",
	} {
		file := filepath.Join(t.TempDir(), "oidc.yml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := provider.ReadConfig(file)
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestNextIsNoSignInLink: a page elsewhere can send people to sign in, and not
// have them led onto a link of its own after it, unasked.
func TestNextIsNoSignInLink(t *testing.T) {
	t.Parallel()
	h := withProvider(t, byGroups+"default: viewer\n", someone("vic@example.org"))
	if _, err := h.control.AddUser(t.Context(), "x", "mallory", control.RoleViewer); err != nil {
		t.Fatal(err)
	}
	code, err := h.control.Invite(t.Context(), "x", "mallory")
	if err != nil {
		t.Fatal(err)
	}
	s := h.surfer()
	_, page := s.signIn("vic@example.org", "/login?code="+code)
	m := regexp.MustCompile(`content="0; url=([^"]+)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal(page)
	}
	req, _ := http.NewRequest("GET", h.server.URL+m[1], nil)
	req.Header.Set("Sec-Fetch-Site", "same-origin") // as a browser has it for the refresh
	resp, err := s.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body(t, resp)
	for _, next := range []string{"/login", "/x/../login?code=blc_x", "/%6cogin?code=blc_x", "/login/provider?next=/"} {
		if _, page := h.surfer().signIn("vic@example.org", next); !strings.Contains(page, `url=/"`) {
			t.Errorf("sent on to %s:\n%s", next, page)
		}
	}
	if _, page := h.surfer().signIn("vic@example.org", "/login/terminal?check=x"); !strings.Contains(page, "url=/login/terminal?") {
		t.Errorf("the page that asks for a terminal:\n%s", page)
	}
	if me := s.me(); me.Name != "vic@example.org" {
		t.Errorf("the browser of vic is signed in as %+v, unasked", me)
	}
}
