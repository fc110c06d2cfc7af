package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/server"
)

// roles is what a user needs to be for each operation. A new one is not served
// untested: it needs an entry here.
var roles = map[string]control.Role{
	"list-sessions": control.RoleViewer, "get-session": control.RoleViewer, "get-history": control.RoleViewer,
	"why": control.RoleViewer, "session-stream": control.RoleViewer, "session-follow": control.RoleViewer,
	"get-transcript": control.RoleViewer, "get-diff": control.RoleViewer, "get-event": control.RoleViewer, "list-files": control.RoleViewer, "get-file": control.RoleViewer,
	"list-agents": control.RoleViewer, "get-agent": control.RoleViewer, "list-runners": control.RoleViewer,
	"leftovers": control.RoleViewer, "list-paused": control.RoleViewer, "me": control.RoleViewer, "login-link": control.RoleViewer,
	"list-personal-tokens": control.RoleViewer, "create-personal-token": control.RoleViewer,
	"sign-out":              control.RoleViewer,
	"logout":                control.RoleViewer,
	"revoke-personal-token": control.RoleViewer, "explain-gate": control.RoleViewer,

	"start-session": control.RoleMember, "post-message": control.RoleMember, "choose-settings": control.RoleMember,
	"withdraw-message": control.RoleMember, "answer-question": control.RoleMember, "end": control.RoleMember,
	"pause": control.RoleMember, "cancel": control.RoleMember, "retry": control.RoleMember,
	"retry-teardown": control.RoleMember, "hold": control.RoleMember, "release": control.RoleMember,
	"pushed": control.RoleMember,

	"mark-destroyed": control.RoleAdmin, "lost": control.RoleAdmin, "apply-agent": control.RoleAdmin,
	"set-agent-state": control.RoleAdmin, "create-token": control.RoleAdmin, "revoke-token": control.RoleAdmin, "rotate-token": control.RoleAdmin,
	"list-users": control.RoleAdmin, "add-user": control.RoleAdmin, "invite-user": control.RoleAdmin,
	"set-role": control.RoleAdmin, "sign-out-user": control.RoleAdmin, "remove-user": control.RoleAdmin,
	"delete-session": control.RoleAdmin, "list-settled": control.RoleAdmin,
	"list-webhooks": control.RoleAdmin, "create-webhook": control.RoleAdmin, "delete-webhook": control.RoleAdmin,
	"list-audit": control.RoleAdmin, "enable-webhook": control.RoleAdmin, "list-deliveries": control.RoleAdmin, "redeliver": control.RoleAdmin,
}

// An operation is a route of the API as its document has it.
type operation struct {
	ID           string `json:"operationId"`
	Method, Path string
	Security     []map[string][]string
}

func (h *house) operations() []operation {
	h.t.Helper()
	var doc struct {
		Paths map[string]map[string]operation
	}
	if err := json.Unmarshal([]byte(body(h.t, h.request("GET", "/openapi.json", "", ""))), &doc); err != nil {
		h.t.Fatal(err)
	}
	var all []operation
	for path, ops := range doc.Paths {
		for method, op := range ops {
			op.Method, op.Path = strings.ToUpper(method), path
			all = append(all, op)
		}
	}
	return all
}

// as makes a user and a token of theirs.
func (h *house) as(name string, role control.Role) string {
	h.t.Helper()
	token, err := h.control.NewUserToken(h.t.Context(), name, role)
	if err != nil {
		h.t.Fatal(err)
	}
	return token
}

// scoped makes a personal token of an administrator.
func (h *house) scoped(scope string) string {
	h.t.Helper()
	p, err := h.user.NewPersonalToken(h.t.Context(), api.NewPersonalToken{Name: scope, Scope: scope})
	if err != nil {
		h.t.Fatal(err)
	}
	return p.Secret
}

// letsIn are the operations that make a sign-in link: none is a script's.
var letsIn = map[string]bool{"add-user": true, "invite-user": true}

var nobody = strings.NewReplacer("{id}", "zzzzzzzz", "{run}", "zzzzzzzz.1", "{n}", "7", "{message}", "zzzzzzzz.m1",
	"{plug}", "none", "{question}", "zzzzzzzz.q1", "{name}", "none", "{token}", "none", "{key}", "none", "{sha256}", "none")

// TestRoles tries every operation with the token of every role, and with a
// personal token of every scope: the operations come from the document of the
// API, so that a new one cannot be forgotten.
func TestRoles(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	script := h.scoped("admin")
	tokens := map[string]control.Role{
		h.as("vic", control.RoleViewer): control.RoleViewer, h.scoped("read"): control.RoleViewer,
		h.as("mia", control.RoleMember): control.RoleMember, h.scoped("write"): control.RoleMember,
		h.token: control.RoleAdmin, script: control.RoleAdmin,
	}
	tried := 0
	for _, op := range h.operations() {
		if len(op.Security) == 0 || op.Security[0]["user"] == nil {
			continue
		}
		tried++
		needs, known := roles[op.ID]
		if said := op.Security[0]["user"]; !known || !slices.Equal(said, []string{string(needs)}) {
			t.Errorf("%s needs %v, and its entry in this test says %q", op.ID, said, needs)
		}
		for token, role := range tokens {
			if strings.HasSuffix(op.Path, "/stream") && role.Allows(needs) || op.ID == "login-link" || op.ID == "sign-out" || op.ID == "logout" {
				continue // TestPersonalTokens has the link, TestSignOut the other
			}
			resp := h.request(op.Method, nobody.Replace(op.Path), token, `{"name": "eve", "role": "viewer"}`)
			want := role.Allows(needs) && (token != script || !letsIn[op.ID])
			if got := resp.StatusCode != http.StatusForbidden; got != want {
				t.Errorf("%s as %s: %s", op.ID, role, resp.Status)
			}
		}
	}
	if tried != len(roles) {
		t.Errorf("%d operations tried, and %d have an entry", tried, len(roles))
	}
}

// bare is who opens the routes beside the API: a role, run, or all the world.
// A new one is not served untested: it needs an entry here.
var bare = map[string]string{
	"GET /livez": "", "GET /readyz": "", "GET /statusz": "viewer", "GET /metrics": "viewer", "GET /docs": "", "GET /login": "", "GET /login/provider": "", "GET /login/callback": "",
	"GET /login/terminal": "viewer", "POST /login/terminal": "viewer", "POST /logout": "",
	"GET /api/sessions/{id}/shell": "member", "GET /api/run/shells/{key}": "run",
}

// TestBareRoutes tries the routes beside the API with no token and as every
// role.
func TestBareRoutes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tokens := map[control.Role]string{"": ""}
	for _, role := range []control.Role{control.RoleViewer, control.RoleMember, control.RoleAdmin} {
		tokens[role] = h.as(string(role)+"1", role)
	}
	for _, b := range server.BareRoutes() {
		who := string(b.Role)
		if b.Kind != "user" {
			who = b.Kind
		}
		if want, known := bare[b.Pattern]; !known || who != want {
			t.Errorf("%s is for %q, and its entry in this test says %q", b.Pattern, who, want)
		}
		if who == "" {
			continue
		}
		method, path, _ := strings.Cut(b.Pattern, " ")
		for role, token := range tokens {
			resp := h.request(method, nobody.Replace(path), token, "")
			refused := resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized
			if refused == role.Allows(b.Role) {
				t.Errorf("%s as %q: %s", b.Pattern, role, resp.Status)
			}
		}
	}
}

// TestOpenOperations: what needs no token is known by name.
func TestOpenOperations(t *testing.T) {
	t.Parallel()
	for _, op := range newHouse(t).operations() {
		if len(op.Security) == 0 && op.ID != "login" {
			t.Errorf("%s needs no token", op.ID)
		}
	}
}

// TestForce: what gives work up is an administrator's, by whichever route.
func TestForce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	member := h.as("mia", control.RoleMember)
	for _, act := range []string{"end", "retry-teardown"} {
		for body, want := range map[string]int{
			`{}`: http.StatusNotFound, `{"force":true,"reason":"x"}`: http.StatusForbidden,
		} {
			if resp := h.request("POST", "/api/sessions/zzzzzzzz/"+act, member, body); resp.StatusCode != want {
				t.Errorf("%s %s: %s", act, body, resp.Status)
			}
		}
	}
}

// TestUsers: a role changes at once for tokens that are there; a removed user's
// open nothing; the last administrator stays.
func TestUsers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	link, err := h.user.AddUser(ctx, api.NewUser{Name: "bob@example.org", Role: "viewer"})
	if err != nil {
		t.Fatal(err)
	}
	in, err := h.client("").Login(ctx, link.Code)
	if err != nil || in.Name != "bob@example.org" || in.Role != "viewer" {
		t.Fatalf("signed in as %+v, %v", in, err)
	}
	bob := h.client(in.Token)
	_, err = bob.StartSession(ctx, api.StartSession{Agent: "demo", Text: "hello"})
	code(t, err, blaise.CodeDenied)
	if err := h.user.SetRole(ctx, "bob@example.org", "member"); err != nil {
		t.Fatal(err)
	}
	if _, err := bob.StartSession(ctx, api.StartSession{Agent: "demo", Text: "hello"}); err != nil {
		t.Error(err)
	}
	code(t, h.user.SetRole(ctx, "ann", "viewer"), blaise.CodeRefused)
	code(t, h.user.RemoveUser(ctx, "ann"), blaise.CodeRefused)
	code(t, h.user.SetRole(ctx, "nobody", "viewer"), blaise.CodeNotFound)
	code(t, h.user.SetRole(ctx, "bob@example.org", "owner"), blaise.CodeInvalid)
	_, err = h.user.AddUser(ctx, api.NewUser{Name: "bob@example.org", Role: "viewer"})
	code(t, err, blaise.CodeRefused)
	for _, name := range []string{"", "clock", "retention", "the gate", "runner laptop", "run 1.1", "blaise dev", "Blaise", "a\u202eb", "a/b", " a"} {
		_, err = h.user.AddUser(ctx, api.NewUser{Name: name, Role: "viewer"})
		code(t, err, blaise.CodeInvalid)
	}
	if err := h.user.RemoveUser(ctx, "bob@example.org"); err != nil {
		t.Fatal(err)
	}
	_, err = bob.Me(ctx)
	code(t, err, blaise.CodeDenied)
}

// TestPersonalTokens: one opens what its scope says and its user may, and makes
// nothing that would outlive it.
func TestPersonalTokens(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	write := h.client(h.scoped("write"))
	if me, err := write.Me(ctx); err != nil || me.Name != "ann" || me.Role != "member" {
		t.Errorf("it is %+v, %v", me, err)
	}
	_, err := write.NewPersonalToken(ctx, api.NewPersonalToken{Name: "x", Scope: "read"})
	code(t, err, blaise.CodeDenied)
	_, err = write.LoginLink(ctx)
	code(t, err, blaise.CodeDenied)
	viewer := h.client(h.as("vic", control.RoleViewer))
	_, err = viewer.NewPersonalToken(ctx, api.NewPersonalToken{Name: "x", Scope: "write"})
	code(t, err, blaise.CodeDenied)
	for _, p := range []api.NewPersonalToken{
		{Name: "", Scope: "read"}, {Name: "x", Scope: "all"}, {Name: "x", Scope: "read", Expires: "367d"},
		{Name: "x", Scope: "read", Expires: "never"}, {Name: "x", Scope: "read", Expires: "soon"},
	} {
		_, err = h.user.NewPersonalToken(ctx, p)
		code(t, err, blaise.CodeInvalid)
	}
	code(t, viewer.RevokePersonalToken(ctx, "write"), blaise.CodeNotFound)
	list, err := h.user.PersonalTokens(ctx)
	if err != nil || len(list) != 1 || list[0].Secret != "" || list[0].Scope != "write" {
		t.Errorf("tokens: %+v, %v", list, err)
	}
	if err := h.user.RevokePersonalToken(ctx, "write"); err != nil {
		t.Fatal(err)
	}
	_, err = write.Me(ctx)
	code(t, err, blaise.CodeDenied)
}

// TestLinkOfALesserToken: a link signs in with no more than who made it had.
func TestLinkOfALesserToken(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	u, err := h.control.ByUserToken(t.Context(), h.token)
	if err != nil {
		t.Fatal(err)
	}
	u.Role = control.RoleViewer
	link, err := h.control.NewLoginCode(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	in, err := h.client("").Login(t.Context(), link)
	if err != nil || in.Role != "viewer" {
		t.Errorf("signed in as %+v, %v", in, err)
	}
}

// TestAuthors: the record says who did what, of every act.
func TestAuthors(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	mia := h.client(h.as("mia", control.RoleMember))
	p, err := mia.StartSession(ctx, api.StartSession{Agent: "demo", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	vera := h.client(h.as("vera", control.RoleMember))
	more, err := vera.PostMessage(ctx, p.Session, api.PostMessage{Text: "more"})
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range []func() error{
		func() error { return mia.Withdraw(ctx, p.Session, more.Message) },
		func() error { return vera.Hold(ctx, p.Session, "look") },
		func() error { return mia.Release(ctx, p.Session) },
		func() error { return vera.End(ctx, p.Session, "enough") },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := h.user.Session(ctx, p.Session)
	if err != nil || s.Author != "mia" || s.Messages[0].Author != "mia" || s.Messages[1].Author != "vera" {
		t.Errorf("authors: %+v, %v", s, err)
	}
	changes, err := h.user.History(ctx, p.Session)
	if err != nil {
		t.Fatal(err)
	}
	by := map[blaise.EventKind]string{}
	for _, c := range changes {
		by[blaise.EventKind(c.Event)] = c.By
		if c.By == "" {
			t.Errorf("nobody did %+v", c)
		}
	}
	for kind, want := range map[blaise.EventKind]string{
		blaise.EventMessageWithdrawn: "mia", blaise.EventHeld: "vera", blaise.EventReleased: "mia",
		blaise.EventEndAsked: "vera",
	} {
		if by[kind] != want {
			t.Errorf("%s by %q, want %q (%v)", kind, by[kind], want, by)
		}
	}
}
