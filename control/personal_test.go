package control_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// The name of a token is seen whole: nothing in it hides, turns or breaks a line.
func TestNamesOfPersonalTokens(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	if _, err := h.AddUser(t.Context(), "ann", "alice", control.RoleMember); err != nil {
		t.Fatal(err)
	}
	by := control.User{Name: "alice", Role: control.RoleMember}
	for name, want := range map[string]blaise.Code{
		"ci": "", "nächtlich: Müllers (2) ✓": "",
		"": blaise.CodeInvalid, " ": blaise.CodeInvalid, strings.Repeat("a", 101): blaise.CodeInvalid,
		"ci\u202e": blaise.CodeInvalid, "c\u200bi": blaise.CodeInvalid, "c\ni": blaise.CodeInvalid,
		"c\ti": blaise.CodeInvalid, "\x9b31m": blaise.CodeInvalid, "\x1b[2J": blaise.CodeInvalid,
	} {
		_, _, err := h.NewPersonal(t.Context(), by, control.Personal{Label: name, Scope: "read"})
		if got := blaise.CodeOf(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}
