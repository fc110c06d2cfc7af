package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// elsewhere are operations that need no line: what the first two begin and end
// has a history of its own, and the last changes nothing.
var elsewhere = map[string]bool{"start-session": true, "lost": true, "explain-gate": true}

// An audited operation is one that leaves a line. prepare makes what it is done
// to, "" for nothing.
type audited struct {
	kind    blaise.AuditKind
	prepare func(ctx context.Context, h *house) (thing string, err error)
	do      func(ctx context.Context, h *house, thing string) error
}

// audits is how each operation is done that changes something other than a
// session. A new one is not served untested: it needs an entry here.
var audits = map[string]audited{
	"add-user": {blaise.AuditUserAdded, nothing, func(ctx context.Context, h *house, _ string) error {
		_, err := h.user.AddUser(ctx, api.NewUser{Name: "bob", Role: "viewer"})
		return err
	}},
	"invite-user": {blaise.AuditUserLink, aViewer, func(ctx context.Context, h *house, name string) error {
		_, err := h.user.InviteUser(ctx, name)
		return err
	}},
	"login-link": {blaise.AuditUserLink, nothing, func(ctx context.Context, h *house, _ string) error {
		_, err := h.user.LoginLink(ctx)
		return err
	}},
	"login": {blaise.AuditUserSignedIn, link, func(ctx context.Context, h *house, code string) error {
		_, err := h.client("").Login(ctx, code)
		return err
	}},
	"set-role": {blaise.AuditUserRole, aViewer, func(ctx context.Context, h *house, name string) error {
		return h.user.SetRole(ctx, name, "member")
	}},
	"remove-user": {blaise.AuditUserRemoved, aViewer, func(ctx context.Context, h *house, name string) error {
		return h.user.RemoveUser(ctx, name)
	}},
	"sign-out-user": {blaise.AuditUserSignedOut, aViewer, func(ctx context.Context, h *house, name string) error {
		return h.user.SignOutUser(ctx, name)
	}},
	"sign-out": {blaise.AuditUserSignedOut, nothing, func(ctx context.Context, h *house, _ string) error {
		return h.user.SignOut(ctx)
	}},
	"logout": {blaise.AuditUserSignedOut, terminal, func(ctx context.Context, h *house, token string) error {
		return h.client(token).Logout(ctx)
	}},
	"create-personal-token": {blaise.AuditPersonalCreated, nothing, func(ctx context.Context, h *house, _ string) error {
		_, err := h.user.NewPersonalToken(ctx, api.NewPersonalToken{Name: "ci", Scope: "read"})
		return err
	}},
	"revoke-personal-token": {blaise.AuditPersonalRevoked, script, func(ctx context.Context, h *house, id string) error {
		return h.user.RevokePersonalToken(ctx, id)
	}},
	"create-token": {blaise.AuditTokenCreated, nothing, func(ctx context.Context, h *house, _ string) error {
		_, err := h.user.NewToken(ctx, api.NewToken{Name: "laptop"})
		return err
	}},
	"rotate-token": {blaise.AuditTokenRotated, box, func(ctx context.Context, h *house, id string) error {
		_, err := h.user.RotateToken(ctx, blaise.RunnerID(id), time.Hour)
		return err
	}},
	"revoke-token": {blaise.AuditTokenRevoked, box, func(ctx context.Context, h *house, id string) error {
		return h.user.RevokeToken(ctx, blaise.RunnerID(id))
	}},
	"create-webhook": {blaise.AuditWebhookCreated, nothing, func(ctx context.Context, h *house, _ string) error {
		_, err := hook(ctx, h)
		return err
	}},
	"enable-webhook": {blaise.AuditWebhookEnabled, hook, func(ctx context.Context, h *house, id string) error {
		return h.user.EnableWebhook(ctx, blaise.WebhookID(id))
	}},
	"delete-webhook": {blaise.AuditWebhookDeleted, hook, func(ctx context.Context, h *house, id string) error {
		return h.user.DeleteWebhook(ctx, blaise.WebhookID(id))
	}},
	"redeliver": {blaise.AuditRedelivered, told, func(ctx context.Context, h *house, id string) error {
		return h.user.Redeliver(ctx, blaise.DeliveryID(id))
	}},
	"apply-agent": {blaise.AuditAgentApplied, nothing, func(_ context.Context, h *house, _ string) error {
		h.apply("other", "{}")
		return nil
	}},
	"set-agent-state": {blaise.AuditAgentState, nothing, func(ctx context.Context, h *house, _ string) error {
		return h.user.SetAgentState(ctx, "demo", "enabled")
	}},
	"delete-session": {blaise.AuditSessionDeleted, ended, func(ctx context.Context, h *house, id string) error {
		_, err := h.user.Delete(ctx, blaise.SessionID(id), "old", false)
		return err
	}},
}

func nothing(context.Context, *house) (string, error) { return "", nil }

func aViewer(_ context.Context, h *house) (string, error) {
	name := strings.ToLower(string(blaise.NewWebhookID()))[3:]
	h.as(name, control.RoleViewer)
	return name, nil
}

func link(ctx context.Context, h *house) (string, error) {
	l, err := h.user.LoginLink(ctx)
	return l.Code, err
}

func terminal(ctx context.Context, h *house) (string, error) {
	code, err := link(ctx, h)
	if err != nil {
		return "", err
	}
	in, err := h.client("").Login(ctx, code)
	return in.Token, err
}

func script(ctx context.Context, h *house) (string, error) {
	p, err := h.user.NewPersonalToken(ctx, api.NewPersonalToken{Name: "script", Scope: "read"})
	return p.ID, err
}

func box(ctx context.Context, h *house) (string, error) {
	t, err := h.user.NewToken(ctx, api.NewToken{Name: "box"})
	return string(t.ID), err
}

func hook(ctx context.Context, h *house) (string, error) {
	w, err := h.user.NewWebhook(ctx, api.NewWebhook{URL: "https://example.invalid/a-key"})
	return string(w.ID), err
}

func ended(ctx context.Context, h *house) (string, error) {
	id := h.start("never read").Session
	return string(id), h.user.End(ctx, id, "")
}

// told is a delivery to a webhook.
func told(ctx context.Context, h *house) (string, error) {
	id, err := hook(ctx, h)
	if err == nil {
		_, err = ended(ctx, h)
	}
	if err != nil {
		return "", err
	}
	l, err := h.user.Deliveries(ctx, blaise.WebhookID(id), "", 1)
	if err != nil || len(l.Deliveries) == 0 {
		h.t.Fatalf("deliveries: %+v, %v", l, err)
	}
	return string(l.Deliveries[0].ID), nil
}

// lines are the last lines of the audit record.
func (h *house) lines() []blaise.Audit {
	h.t.Helper()
	all, err := h.user.Audits(h.t.Context(), api.AuditFilter{Limit: 500})
	if err != nil {
		h.t.Fatal(err)
	}
	return all.Lines
}

// TestAudited: each operation that changes something beside a session leaves one
// line. The operations come from the document of the API, so that a new one
// cannot be forgotten.
func TestAudited(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tried := 0
	for _, op := range h.operations() {
		if op.Method == http.MethodGet || elsewhere[op.ID] || op.ID != "delete-session" && strings.HasPrefix(op.Path, "/api/sessions/{id}") ||
			len(op.Security) > 0 && op.Security[0]["user"] == nil {
			continue
		}
		a, known := audits[op.ID]
		if !known {
			t.Errorf("%s has no entry in this test", op.ID)
			continue
		}
		tried++
		thing, err := a.prepare(t.Context(), h)
		if err != nil {
			t.Fatalf("%s: %v", op.ID, err)
		}
		before := len(h.lines())
		if err := a.do(t.Context(), h, thing); err != nil {
			t.Errorf("%s: %v", op.ID, err)
		}
		got := h.lines()
		if len(got) != before+1 || got[0].Kind != a.kind || got[0].By != "ann" || got[0].Outcome != blaise.AuditDone ||
			got[0].Thing == "" || strings.Contains(got[0].Detail, "a-key") {
			t.Errorf("%s left %d lines, the last is %+v", op.ID, len(got)-before, got[0])
		}
	}
	if tried != len(audits) {
		t.Errorf("%d operations tried, and %d have an entry", tried, len(audits))
	}
}

// TestAuditOfTheDoor: who signs in, is not signed in, and leaves is kept.
func TestAuditOfTheDoor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	last := func(kind blaise.AuditKind, by, outcome string) {
		t.Helper()
		if got := h.lines()[0]; got.Kind != kind || got.By != by || got.Outcome != outcome {
			t.Errorf("the last line is %+v", got)
		}
	}
	_, err := h.client("").Login(t.Context(), control.CodePrefix+"guessed")
	code(t, err, blaise.CodeDenied)
	last(blaise.AuditUserSignedIn, "", blaise.AuditRefused)
	h.request("POST", "/login/terminal?check=ABCD-2345", h.token, "")
	last(blaise.AuditUserLink, "ann", blaise.AuditDone)
	code(t, h.user.SetRole(t.Context(), "ann", "viewer"), blaise.CodeRefused)
	last(blaise.AuditUserRole, "ann", blaise.AuditRefused)
}

// TestAuditIsBounded: who guesses codes does not fill the record.
func TestAuditIsBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	before := len(h.lines())
	why := blaise.Errorf(blaise.CodeDenied, "no")
	for range 100 {
		if err := h.control.SignInFailed(t.Context(), "", "192.0.2.1", why); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(h.lines()) - before; got < 1 || got > 40 {
		t.Errorf("100 failed sign-ins left %d lines", got)
	}
}

func TestAuditOfAnUnknownKind(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, err := h.user.Audits(t.Context(), api.AuditFilter{Kind: "token.create"})
	code(t, err, blaise.CodeInvalid)
}
