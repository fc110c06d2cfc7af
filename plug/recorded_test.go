package plug_test

import (
	"path/filepath"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// What is written down of an environment goes with it, and is no reason to keep
// a directory that holds nothing; a plug that has a state holds something.
func TestTidyKeepsWhatHolds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec plug.Spec
		kept int
	}{
		"nothing":           {plug.NewSpec("local", "here", nil), 0},
		"a state":           {plug.NewSpec("exec", "db", map[string]any{"onStart": "true"}), 1},
		"a state elsewhere": {plug.NewSpec("exec", "db", map[string]any{"onStart": "true", "reach": "shared"}), 0},
		"a directory":       {plug.NewSpec("worktree", "src", nil), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := plugtest.NewWorld(t, host(t, newRepo(t)), c.spec)
			w.State = filepath.Join(w.State, "any [name]")
			w.Open()
			half := filepath.Join(w.State, "environments", w.Session, c.spec.ID+".json.123")
			write(t, half, "{") // a run was killed while it wrote
			plug.Tidy(t.Context(), w.State, blaise.EnvironmentID(w.Session))
			kept, err := plug.RecordedOf(w.State, blaise.EnvironmentID(w.Session))
			if err != nil || len(kept) != c.kept {
				t.Errorf("got %+v, %v, want %d", kept, err, c.kept)
			}
			if left := w.Leftovers(); c.kept == 0 && len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if err := w.Stack().Destroy(t.Context()); err != nil || len(w.Leftovers()) > 0 {
				t.Errorf("destroy: %v, left %v", err, w.Leftovers())
			}
		})
	}
}
