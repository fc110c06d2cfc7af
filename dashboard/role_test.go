package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"blaise.dev/blaise/control"
	"blaise.dev/blaise/dashboard"
)

// pages is what each page and form needs. A new one is not served untested: it
// needs an entry here.
var pages = map[string]control.Role{
	"GET /{$}":                          control.RoleViewer,
	"GET /live":                         control.RoleViewer,
	"GET /new":                          control.RoleMember,
	"POST /new":                         control.RoleMember,
	"GET /sessions/{id}":                control.RoleViewer,
	"GET /sessions/{id}/live":           control.RoleViewer,
	"GET /sessions/{id}/earlier":        control.RoleViewer,
	"GET /sessions/{id}/history":        control.RoleViewer,
	"GET /sessions/{id}/changes":        control.RoleViewer,
	"GET /sessions/{id}/files/{sha256}": control.RoleViewer,
	"GET /sessions/{id}/whole/{seq}":    control.RoleViewer,
	"POST /sessions/{id}/settings":      control.RoleMember,
	"POST /sessions/{id}/messages":      control.RoleMember,
	"POST /sessions/{id}/withdraw":      control.RoleMember,
	"POST /sessions/{id}/answer":        control.RoleMember,
	"POST /sessions/{id}/act/{act}":     control.RoleMember,
	"GET /agents":                       control.RoleViewer,
	"POST /agents":                      control.RoleAdmin,
	"GET /agents/{name}":                control.RoleViewer,
	"POST /agents/{name}/policy":        control.RoleAdmin,
	"POST /agents/{name}/state":         control.RoleAdmin,
	"GET /runners":                      control.RoleViewer,
	"POST /runners":                     control.RoleAdmin,
	"POST /runners/{id}/rotate":         control.RoleAdmin,
	"POST /runners/{id}/revoke":         control.RoleAdmin,
	"GET /webhooks":                     control.RoleAdmin,
	"POST /webhooks":                    control.RoleAdmin,
	"GET /webhooks/{id}":                control.RoleAdmin,
	"POST /webhooks/{id}/redeliver":     control.RoleAdmin,
	"POST /webhooks/{id}/enable":        control.RoleAdmin,
	"POST /webhooks/{id}/delete":        control.RoleAdmin,
	"GET /audit":                        control.RoleAdmin,
	"GET /people":                       control.RoleAdmin,
	"POST /people":                      control.RoleAdmin,
	"POST /people/{name}/link":          control.RoleAdmin,
	"POST /people/{name}/role":          control.RoleAdmin,
	"POST /people/{name}/sign-out":      control.RoleAdmin,
	"POST /people/{name}/remove":        control.RoleAdmin,
	"GET /account":                      control.RoleViewer,
	"POST /account/tokens":              control.RoleViewer,
	"POST /account/tokens/revoke":       control.RoleViewer,
	"POST /account/sign-out":            control.RoleViewer,
}

// signIn signs the desk's browser in as another user.
func (d *desk) signIn(name string, role control.Role) {
	d.t.Helper()
	token, err := d.control.NewUserToken(d.t.Context(), name, role)
	if err != nil {
		d.t.Fatal(err)
	}
	d.cookie.Value = token
}

// TestPagesOfRoles tries every page as every role: the pages come from the
// table that they are served from.
func TestPagesOfRoles(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for pattern, needs := range dashboard.Routes() {
		if pages[pattern] != needs {
			t.Errorf("%s needs %s, and its entry in this test says %q", pattern, needs, pages[pattern])
		}
	}
	fill := strings.NewReplacer("{$}", "", "{id}", "zzzzzzzz", "{sha256}", "none", "{act}", "hold", "{name}", "none")
	for _, role := range []control.Role{control.RoleViewer, control.RoleMember, control.RoleAdmin} {
		d.signIn(string(role)+"1", role)
		for pattern, needs := range pages {
			method, path, _ := strings.Cut(pattern, " ")
			if strings.HasSuffix(path, "live") {
				continue // streams; the list's is open to all that the list is
			}
			var form url.Values
			if method == http.MethodPost {
				form = url.Values{}
			}
			resp, _ := d.do(method, fill.Replace(path), form)
			if got, want := resp.StatusCode != http.StatusForbidden, role.Allows(needs); got != want {
				t.Errorf("%s as %s: %s", pattern, role, resp.Status)
			}
		}
	}
}

func TestActsOfAdministrators(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct {
		act  string
		form url.Values
		want control.Role
	}{
		{"end", url.Values{}, control.RoleMember},
		{"end", url.Values{"force": {"1"}, "reason": {"x"}}, control.RoleAdmin},
		{"retry-teardown", url.Values{}, control.RoleMember},
		{"retry-teardown", url.Values{"force": {"1"}}, control.RoleAdmin},
		{"mark-destroyed", url.Values{"reason": {"x"}}, control.RoleAdmin},
		{"delete", url.Values{"sure": {"1"}}, control.RoleAdmin},
	} {
		for _, role := range []control.Role{control.RoleMember, control.RoleAdmin} {
			d.signIn(string(role), role)
			resp, _ := d.do("POST", "/sessions/zzzzzzzz/act/"+c.act, c.form)
			if got := resp.StatusCode != http.StatusForbidden; got != role.Allows(c.want) {
				t.Errorf("%s %v as %s: %s", c.act, c.form, role, resp.Status)
			}
		}
	}
}
