package control_test

import (
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// A link is for the user it was made for: it ends with them, with the next
// invitation, and when they are signed out.
func TestLinksEndWithTheirUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	ctx := t.Context()
	invite := func() string {
		t.Helper()
		code, err := h.Invite(ctx, "ann", "alice")
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	worthless := func(code, why string) {
		t.Helper()
		if _, u, err := h.Login(ctx, code, "x", "here"); blaise.CodeOf(err) != blaise.CodeDenied {
			t.Errorf("%s, and its link signs in %+v, %v", why, u, err)
		}
	}
	add := func(role control.Role) {
		t.Helper()
		if _, err := h.AddUser(ctx, "ann", "alice", role); err != nil {
			t.Fatal(err)
		}
	}
	add(control.RoleViewer)
	old := invite()
	if err := h.RemoveUser(ctx, "ann", "alice"); err != nil {
		t.Fatal(err)
	}
	add(control.RoleMember)
	worthless(old, "the user is another")
	old = invite()
	last := invite()
	worthless(old, "there is a newer one")
	if _, _, err := h.Login(ctx, last, "x", "here"); err != nil {
		t.Error(err)
	}
	old = invite()
	if err := h.SignOut(ctx, control.User{Name: "ann"}, "alice"); err != nil {
		t.Fatal(err)
	}
	worthless(old, "the user was signed out")
}

// What a link of theirs signs in, and a link of that, ends with the day of who
// came from the provider.
func TestProvidersDayStaysADay(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	ctx := t.Context()
	_, u, err := h.SignIn(ctx, control.Person{Subject: "s", Name: "eve@example.org", Default: control.RoleMember}, "browser", "here")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.step(time.Hour)
		code, err := h.NewLoginCode(ctx, u)
		if err != nil {
			t.Fatal(err)
		}
		if _, u, err = h.Login(ctx, code, "terminal", "here"); err != nil {
			t.Fatal(err)
		}
	}
	all, err := h.db.UserTokens(ctx, "eve@example.org")
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for _, x := range all {
		if !x.ExpiresAt.Equal(all[0].ExpiresAt) {
			t.Errorf("token %q lives until %v, the day ends at %v", x.Label, x.ExpiresAt, all[0].ExpiresAt)
		}
	}
}
