package control_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/redact"
)

// A token of Blaise's own is taken out of all that leaves a run, whoever printed
// it there (X8).
func TestOwnTokensAreKnownByTheirShapes(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	_, runner, err := h.NewRunner(t.Context(), "ann", "desk", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	user, err := h.NewUserToken(t.Context(), "ann", control.RoleAdmin)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{runner, user} {
		if got := redact.New().String("TOKEN=" + token + " was set"); got != "TOKEN="+redact.Mark+" was set" {
			t.Errorf("%s became %q", token, got)
		}
	}
}

// A runner's old token opens beside the new one for as long as was said, and the
// runner is the same; a second rotation ends the oldest; a revocation ends all.
func TestRotateToken(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	r, first, err := h.NewRunner(t.Context(), "ann", "desk", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	rotate := func(overlap time.Duration) string {
		t.Helper()
		_, secret, err := h.RotateToken(t.Context(), "bob", r.ID, overlap)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	opens := func(token string, want bool) {
		t.Helper()
		got, err := h.ByRunnerToken(t.Context(), token)
		if (err == nil) != want || got.ID != r.ID && want {
			t.Errorf("got %s, %v; want it to open: %t", got.ID, err, want)
		}
	}
	second := rotate(time.Hour)
	opens(first, true)
	opens(second, true)
	w.step(time.Hour)
	opens(second, true)
	_, err = h.ByRunnerToken(t.Context(), first)
	if blaise.CodeOf(err) != blaise.CodeDenied || !strings.Contains(err.Error(), "was replaced by bob and was good until 2030-01-01T13:00:00Z") {
		t.Errorf("after the overlap: %v", err)
	}
	third, fourth := rotate(time.Hour), rotate(time.Hour)
	opens(second, false)
	opens(third, true)
	opens(fourth, true)
	last := rotate(0)
	opens(fourth, false)
	if err := h.RevokeRunner(t.Context(), "ann", r.ID); err != nil {
		t.Fatal(err)
	}
	opens(last, false)
	if _, _, err := h.RotateToken(t.Context(), "bob", r.ID, 0); blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("of a revoked one: %v", err)
	}
	if _, _, err := h.RotateToken(t.Context(), "bob", h.runner.ID, 31*24*time.Hour); blaise.CodeOf(err) != blaise.CodeInvalid {
		t.Errorf("for a month and more: %v", err)
	}
	once, _, err := h.NewRunner(t.Context(), "ann", "ci", nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.RotateToken(t.Context(), "bob", once.ID, 0); blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("of a single-use one: %v", err)
	}
}
