package plug_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

func TestSetup(t *testing.T) {
	t.Parallel()
	plugtest.Run(t, func(t *testing.T) plugtest.Setup {
		return plugtest.Setup{
			Spec: plug.NewSpec("setup", "", map[string]any{"once": "true", "always": "true"}),
			Host: host(t, plugtest.TempDir(t)), Keeps: true,
		}
	})
}

// deps is a world whose set-up writes down what it runs, in the agent's place.
func deps(t *testing.T, keys map[string]any) *plugtest.World {
	t.Helper()
	repo := newRepo(t)
	write(t, filepath.Join(repo, "app/go.sum"), "one\n")
	gitIn(t, repo, "add", ".")
	gitIn(t, repo, "commit", "-qm", "sums")
	return plugtest.NewWorld(t, host(t, repo), plug.NewSpec("worktree", "", nil), plug.NewSpec("setup", "", keys))
}

// Once runs for a new environment, and again only when its key or its lines
// have changed; always runs always.
func TestSetupRunsWhatIsDue(t *testing.T) {
	t.Parallel()
	keys := map[string]any{"once": []string{"echo install >>ran.log", "echo got it"}, "always": "echo start >>ran.log", "key": []string{"*/go.sum", "*.lock"}}
	w := deps(t, keys)
	ran := func(want string) {
		t.Helper()
		if got := strings.Join(strings.Fields(plugtest.Sh(t, w.Open().Env(), "cat ran.log; rm ran.log")), " "); got != want {
			t.Errorf("ran %q, want %q", got, want)
		}
	}
	ran("install start")
	ran("start")
	if said := w.Output(); !strings.Contains(said, "got it") || !strings.Contains(said, "once is not run again") ||
		!strings.Contains(said, "no file is called *.lock") {
		t.Errorf("output: %q", said)
	}
	plugtest.Sh(t, w.Open().Env(), "rm ran.log; echo two >>app/go.sum")
	ran("install start")
	ran("start")
	plugtest.Sh(t, w.Open().Env(), "rm ran.log; echo x >new.lock")
	ran("install start")
	keys["once"] = "echo other >>ran.log"
	w.Specs[1] = plug.NewSpec("setup", "", keys)
	ran("other start")
	ran("start")
}

// An install that changes its own lock file has not changed it.
func TestSetupKeyIsThatAfterwards(t *testing.T) {
	t.Parallel()
	w := deps(t, map[string]any{"once": "echo install >>ran.log; echo more >>app/go.sum", "key": []string{"app/go.sum"}})
	w.Open()
	if got := plugtest.Sh(t, w.Open().Env(), "cat ran.log"); got != "install" {
		t.Errorf("ran %q", got)
	}
}

// What fails says which line, how, and what it said last; it runs again in the
// next run, from the first line.
func TestSetupFails(t *testing.T) {
	t.Parallel()
	w := deps(t, map[string]any{"once": []string{"echo one >>ran.log", "echo no network >&2\nfalse\necho not this"}})
	err := w.Stack().Open(t.Context())
	want := "open plug \"setup\" (setup): once, line 2 of 2 (echo no network >&2\nfalse\necho not this): exit code 1; its last output:\nno network"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	w.Specs[1] = plug.NewSpec("setup", "", map[string]any{"once": []string{"echo one >>ran.log"}})
	if got := plugtest.Sh(t, w.Open().Env(), "cat ran.log"); got != "one\none" {
		t.Errorf("ran %q", got)
	}
}

// A line that hangs ends with the limit, and all that it started.
func TestSetupHangs(t *testing.T) {
	t.Parallel()
	w := deps(t, map[string]any{"always": "echo waiting; sleep 300 & wait"})
	ctx, cancel := plugtest.Limit(t, 5*time.Second)
	defer cancel()
	err := w.Stack().Open(ctx)
	if err == nil || !strings.Contains(err.Error(), "killed: context deadline exceeded; its last output:\nwaiting") {
		t.Errorf("got %v", err)
	}
	if left := plugtest.WorkingIn(w.State); len(left) > 0 {
		t.Errorf("processes live on: %v", left)
	}
}

func TestSetupConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys map[string]any
		want string
	}{
		{nil, "nothing to run"},
		{map[string]any{"once": 7}, "once: want a line for the shell, or a list"},
		{map[string]any{"once": []string{""}}, "once: a line is empty"},
		{map[string]any{"once": "true", "key": []string{"/etc/passwd"}}, "want a path within the workspace"},
		{map[string]any{"once": "true", "key": []string{"../x"}}, "want a path within the workspace"},
		{map[string]any{"once": "true", "key": []string{"**/go.sum"}}, "** is not known"},
	} {
		_, err := plug.New(plug.NewSpec("setup", "", c.keys))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.keys, err, c.want)
		}
	}
}
