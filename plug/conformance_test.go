package plug_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

func TestLocalPlug(t *testing.T) {
	t.Parallel()
	plugtest.Run(t, func(t *testing.T) plugtest.Setup {
		dir := filepath.Join(plugtest.TempDir(t), "here")
		write(t, filepath.Join(dir, "a.txt"), "a\n")
		return plugtest.Setup{
			Spec: plug.NewSpec("local", "", map[string]any{"dir": "here"}), Host: host(t, filepath.Dir(dir)),
			Break: func(t *testing.T, env plug.Env) { remove(t, env.Place().Dir) }, Keeps: true,
		}
	})
}

func TestWorktree(t *testing.T) {
	t.Parallel()
	plugtest.Run(t, func(t *testing.T) plugtest.Setup { return worktreeSetup(t, nil) })
}

func TestWorktreeElsewhere(t *testing.T) {
	t.Parallel()
	plugtest.Run(t, func(t *testing.T) plugtest.Setup {
		dir := filepath.Join(plugtest.TempDir(t), "trees", "{session}")
		return worktreeSetup(t, map[string]any{"dir": dir})
	})
}

func worktreeSetup(t *testing.T, keys map[string]any) plugtest.Setup {
	repo := newRepo(t)
	return plugtest.Setup{
		Spec: plug.NewSpec("worktree", "src", keys), Host: host(t, repo),
		Break: func(t *testing.T, env plug.Env) { remove(t, env.Place().Dir) },
		Left: func(t *testing.T) []string {
			left := strings.Split(gitIn(t, repo, "worktree", "list"), "\n")[1:]
			if b := gitIn(t, repo, "branch", "--list", "blaise/*"); b != "" {
				left = append(left, b)
			}
			gitIn(t, repo, "fsck", "--strict")
			return left
		},
	}
}

func remove(t *testing.T, dir string) {
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}
