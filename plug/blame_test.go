package plug_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// Why a layer does not open is told apart: what was asked for cannot be had from
// anywhere, or this machine lacks something. What is neither may be either.
func TestWhoIsToBlame(t *testing.T) {
	t.Parallel()
	worktree := func(keys map[string]any) plug.Spec { return plug.NewSpec("worktree", "", keys) }
	here := newRepo(t)
	for _, c := range []struct {
		name         string
		spec         plug.Spec
		asked, lacks bool
	}{
		{"a branch that is nowhere", worktree(map[string]any{"repo": here, "base": "nowhere"}), true, false},
		{"a branch that is out", worktree(map[string]any{"repo": here, "branch": "main"}), true, false},
		{"nothing to fetch", worktree(map[string]any{"repo": "file://" + here + "/none"}), true, false},
		{"not to be fetched", worktree(map[string]any{"repo": "https://elsewhere.invalid/app"}), true, false},
		{"no program", plug.NewSpec("exec", "", map[string]any{"onStart": []string{"no-such-program"}}), false, true},
		{"no engine", plug.NewSpec("container", "", map[string]any{"image": "a", "engine": "unix:///no/such.sock"}), false, true},
		{"a line that fails", plug.NewSpec("exec", "", map[string]any{"onStart": "exit 1"}), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			specs := []plug.Spec{c.spec}
			if c.spec.Use == "container" {
				specs = append([]plug.Spec{plug.NewSpec("local", "", nil)}, specs...)
			}
			w := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)), specs...)
			w.Options.Repos = []string{"file:///**"}
			err := w.Stack().Open(t.Context())
			if err == nil || plug.Asked(err) != c.asked || plug.Lacks(err) != c.lacks {
				t.Errorf("%v: asked %v, lacks %v", err, plug.Asked(err), plug.Lacks(err))
			}
			if c.asked && !errors.Is(err, plug.ErrRefused) {
				t.Errorf("%v: the message does not wait", err)
			}
		})
	}
	err := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)), plug.NewSpec("local", "", nil),
		plug.NewSpec("setup", "", map[string]any{"once": "exit 1"})).Stack().Open(t.Context())
	if !plug.Theirs(err) || plug.Asked(err) || plug.Lacks(err) {
		t.Errorf("a line that sets up: %v", err)
	}
	full := fmt.Errorf("%w: %w", plug.ErrRefused, syscall.ENOSPC)
	if plug.Asked(full) || !plug.Lacks(full) {
		t.Error("a full disk is not the machine's")
	}
}
