package dashboard_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"blaise.dev/blaise/control"
	"blaise.dev/blaise/dashboard"
)

// TestPeople holds that an administrator lets people in, changes what they may
// do and removes them, and that the last administrator stays.
func TestPeople(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(o *dashboard.Options) { o.URL = "https://blaise.example.org" })
	resp, got := d.do("POST", "/people", url.Values{"name": {"bob@example.org"}, "role": {"viewer"}})
	link := regexp.MustCompile(`https://blaise\.example\.org(/login\?code=[^<]+)`).FindStringSubmatch(got)
	if resp.StatusCode != http.StatusOK || link == nil {
		t.Fatalf("no link: %s\n%s", resp.Status, got)
	}
	if strings.Contains(got, "this machine alone") {
		t.Error("a link that leads to everybody is said to lead to this machine alone")
	}
	here := newDesk(t, func(o *dashboard.Options) { o.URL = "http://127.0.0.1:7171" })
	if _, got := here.do("POST", "/people", url.Values{"name": {"bob"}, "role": {"viewer"}}); !strings.Contains(got, "It leads to this machine alone") {
		t.Errorf("a link to 127.0.0.1 is handed on without a word:\n%s", got)
	}
	in, err := d.client.Get(d.server.URL + link[1])
	if err != nil {
		t.Fatal(err)
	}
	in.Body.Close()
	if u, err := d.control.ByUserToken(t.Context(), in.Cookies()[0].Value); err != nil || u.Name != "bob@example.org" || u.Role != control.RoleViewer {
		t.Fatalf("the link signs in %+v, %v", u, err)
	}
	if resp, _ := d.do("POST", "/people/bob@example.org/role", url.Values{"role": {"member"}}); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("role: %s", resp.Status)
	}
	if got := d.page("/people"); !strings.Contains(got, `<option selected>member`) || strings.Contains(got, link[1]) {
		t.Errorf("the page does not show the new role, or shows the link again:\n%s", got)
	}
	if resp, got := d.do("POST", "/people/ann/remove", url.Values{}); resp.StatusCode != http.StatusConflict || !strings.Contains(got, "administrator") {
		t.Errorf("the last administrator is removed: %s\n%s", resp.Status, got)
	}
	for _, act := range []string{"sign-out", "remove"} {
		path := "/people/bob@example.org/" + act
		if resp, got := d.do("POST", path, url.Values{}); resp.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: %s\n%s", path, resp.Status, got)
		}
	}
	if resp, got := d.do("POST", "/people", url.Values{"name": {"the gate"}, "role": {"member"}}); resp.StatusCode != http.StatusBadRequest || !strings.Contains(got, `value="the gate"`) {
		t.Errorf("a name of Blaise's own: %s\n%s", resp.Status, got)
	}
}

// TestAccount holds that a viewer makes a token of no more than a viewer's
// scope, sees it once, and makes it worthless.
func TestAccount(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.signIn("vera", control.RoleViewer)
	if got := d.page("/account"); strings.Contains(got, "<option>write") || !strings.Contains(got, "<option>read") {
		t.Errorf("the scopes offered are not a viewer's:\n%s", got)
	}
	resp, got := d.do("POST", "/account/tokens", url.Values{"name": {"ci"}, "scope": {"read"}, "expires": {"30d"}})
	secret := regexp.MustCompile(`blu_[\w-]+`).FindString(got)
	if resp.StatusCode != http.StatusOK || secret == "" {
		t.Fatalf("no token: %s\n%s", resp.Status, got)
	}
	if u, err := d.control.ByUserToken(t.Context(), secret); err != nil || !u.Personal || u.Name != "vera" {
		t.Fatalf("the token is of %+v, %v", u, err)
	}
	if resp, _ := d.do("POST", "/account/tokens", url.Values{"name": {"big"}, "scope": {"admin"}}); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a token of more than a viewer: %s", resp.Status)
	}
	id := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(d.page("/account"))
	if id == nil || strings.Contains(d.page("/account"), secret) {
		t.Fatal("the token is not listed, or shown again")
	}
	if resp, _ := d.do("POST", "/account/tokens/revoke", url.Values{"token": {id[1]}}); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("revoke: %s", resp.Status)
	}
	if _, err := d.control.ByUserToken(t.Context(), secret); err == nil {
		t.Error("the revoked token is good")
	}
}
