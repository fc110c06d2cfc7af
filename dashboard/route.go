package dashboard

import (
	"net/http"
	"strings"

	"blaise.dev/blaise/control"
)

// A route is a page or a form of one.
type route struct {
	pattern string
	needs   control.Role // what a user needs to be
	do      http.HandlerFunc
}

// table is all that users may ask for. What an act needs beyond its route, do
// says (act.go).
func (d *dashboard) table() []route {
	return []route{
		{"GET /{$}", control.RoleViewer, d.list},
		{"GET /live", control.RoleViewer, d.listLive},
		{"GET /new", control.RoleMember, d.newForm},
		{"POST /new", control.RoleMember, d.start},
		{"GET /sessions/{id}", control.RoleViewer, d.session},
		{"GET /sessions/{id}/live", control.RoleViewer, d.live},
		{"GET /sessions/{id}/earlier", control.RoleViewer, d.earlier},
		{"GET /sessions/{id}/history", control.RoleViewer, d.history},
		{"GET /sessions/{id}/changes", control.RoleViewer, d.changes},
		{"GET /sessions/{id}/whole/{seq}", control.RoleViewer, d.whole},
		{"GET /sessions/{id}/files/{sha256}", control.RoleViewer, d.file},
		{"POST /sessions/{id}/settings", control.RoleMember, d.choose},
		{"POST /sessions/{id}/messages", control.RoleMember, d.post},
		{"POST /sessions/{id}/withdraw", control.RoleMember, d.withdraw},
		{"POST /sessions/{id}/answer", control.RoleMember, d.answer},
		{"POST /sessions/{id}/act/{act}", control.RoleMember, d.act},
		{"GET /agents", control.RoleViewer, d.agents},
		{"POST /agents", control.RoleAdmin, d.apply},
		{"GET /agents/{name}", control.RoleViewer, d.agent},
		{"POST /agents/{name}/policy", control.RoleAdmin, d.setPolicy},
		{"POST /agents/{name}/state", control.RoleAdmin, d.agentState},
		{"GET /runners", control.RoleViewer, d.runners},
		{"POST /runners", control.RoleAdmin, d.newRunner},
		{"POST /runners/{id}/rotate", control.RoleAdmin, d.rotate},
		{"POST /runners/{id}/revoke", control.RoleAdmin, d.revoke},
		{"GET /webhooks", control.RoleAdmin, d.webhooks},
		{"POST /webhooks", control.RoleAdmin, d.newWebhook},
		{"GET /webhooks/{id}", control.RoleAdmin, d.webhook},
		{"POST /webhooks/{id}/redeliver", control.RoleAdmin, d.redeliver},
		{"POST /webhooks/{id}/enable", control.RoleAdmin, d.enableWebhook},
		{"POST /webhooks/{id}/delete", control.RoleAdmin, d.deleteWebhook},
		{"GET /audit", control.RoleAdmin, d.audit},
		{"GET /people", control.RoleAdmin, d.people},
		{"POST /people", control.RoleAdmin, d.addUser},
		{"POST /people/{name}/link", control.RoleAdmin, d.invite},
		{"POST /people/{name}/role", control.RoleAdmin, d.setRole},
		{"POST /people/{name}/sign-out", control.RoleAdmin, d.signOutUser},
		{"POST /people/{name}/remove", control.RoleAdmin, d.removeUser},
		{"GET /account", control.RoleViewer, d.account},
		{"POST /account/tokens", control.RoleViewer, d.newToken},
		{"POST /account/tokens/revoke", control.RoleViewer, d.revokeToken},
		{"POST /account/sign-out", control.RoleViewer, d.signOut},
	}
}

// only lets users through who have the role.
func (d *dashboard) only(r route) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		_, what, _ := strings.Cut(r.pattern, " ")
		if err := d.o.User(req).May(what, r.needs); err != nil {
			d.fail(w, req, err)
			return
		}
		r.do(w, req)
	}
}
