package plug_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// A run that is fenced off before the ledger has what it was to make leaves
// nothing in the state directory, whatever that was (X4); what was made stays.
func TestNothingIsLeftOfWhatTheLedgerRefused(t *testing.T) {
	t.Parallel()
	secret := plug.NewSpec("secrets", "", map[string]any{"files": map[string]any{"KEY": map[string]any{"command": "echo hush-hush"}}})
	for _, c := range []struct {
		name  string
		specs []plug.Spec
	}{
		{"secrets", []plug.Spec{secret}},
		{"secrets inside", []plug.Spec{plug.NewSpec("away", "", nil), secret}},
		{"worktree", []plug.Spec{plug.NewSpec("worktree", "", map[string]any{"repo": newRepo(t)})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)), c.specs...)
			w.Options.New = newOrAway
			fencedOff(t, w)
			w.Open()
			if left := tidied(t, w); len(left) == 0 {
				t.Error("what was made is not known any more")
			}
			if err := w.Stack().Destroy(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// fencedOff opens w with a ledger that refuses, and wants nothing left of it.
func fencedOff(t *testing.T, w *plugtest.World) {
	t.Helper()
	w.FailIntend(1)
	if err := w.Stack().Open(t.Context()); err == nil {
		t.Fatal("it opened without the ledger")
	}
	w.FailIntend(0)
	if left := tidied(t, w); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// tidied is what stays of the environment on this machine.
func tidied(t *testing.T, w *plugtest.World) []string {
	t.Helper()
	plug.Tidy(t.Context(), w.State, blaise.EnvironmentID(w.Session))
	left, err := filepath.Glob(filepath.Join(w.State, "environments", w.Session))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range left {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			left = append(left, e.Name())
		}
	}
	return left
}

// newOrAway makes a plug: the own one, of which nothing can be seen from this
// machine, as of a container, or one of Blaise's.
func newOrAway(s plug.Spec) (plug.Plug, error) {
	if s.Use == "away" {
		return away{}, nil
	}
	return plug.New(s)
}

type away struct{}

func (away) Open(_ context.Context, _ plug.Scope, outer plug.Env) (plug.Env, error) {
	return struct{ plug.Env }{outer}, nil
}

func (away) Destroy(context.Context, plug.Scope) error { return nil }
