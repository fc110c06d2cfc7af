package plug_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

func urlWorld(t *testing.T, repo string, allowed ...string) *plugtest.World {
	t.Helper()
	w := newWorktree(t, repo, map[string]any{"repo": "file://" + repo})
	w.Options.Repos = allowed
	return w
}

// A repository by URL: a clone of a mirror, whose work is saved in the mirror,
// and which nothing inside can write.
func TestWorktreeByURL(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := urlWorld(t, repo, "file://"+filepath.Dir(repo)+"/*")
	w.State = filepath.Join(w.State, "any [name]")
	s := w.Open()
	dir := s.Env().Place().Dir
	contains(t, gitIn(t, dir, "remote", "get-url", "origin"), "file://"+repo)
	contains(t, gitIn(t, dir, "branch", "--show-current"), "blaise/"+w.Session)
	common := strings.TrimSpace(gitIn(t, dir, "rev-parse", "--path-format=absolute", "--git-common-dir"))
	if !strings.HasPrefix(common, dir) {
		t.Errorf("the agent writes in %s", common)
	}
	write(t, filepath.Join(dir, "n.txt"), "n\n")
	saved := save(t, s)
	if len(saved) != 1 || !strings.HasPrefix(saved[0].Repo, filepath.Join(w.State, "mirrors")) {
		t.Fatalf("saved %+v", saved)
	}
	contains(t, gitIn(t, saved[0].Repo, "show", saved[0].Ref+":n.txt"), "n")
	if _, err := os.Stat(filepath.Join(repo, ".git/refs/blaise")); err == nil {
		t.Error("the source was written to")
	}
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := w.Ledger(); len(left) > 0 {
		t.Errorf("in the ledger: %v", left)
	}
	found, err := plug.Mirrors(t.Context(), w.State, 0)
	if err != nil || len(found) != 2 || found[0].Kind != plug.ResourceMirror || found[1].Kind != plug.ResourceSaves {
		t.Errorf("listed: %+v, %v", found, err)
	}
}

// What is not allowed, and what cannot be had, refuses the run before anything
// is made, and says what to do.
func TestWorktreeByURLIsRefused(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	for name, c := range map[string]struct {
		allowed, want string
	}{
		"nothing is allowed":     {"", "runner.repos"},
		"another is allowed":     {"file:///srv/*", "runner.repos"},
		"it is not there":        {"file:///**", "fetch file://"},
		"others of its own host": {"https://git.example.com/**", "runner.repos"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := urlWorld(t, repo+"-gone", c.allowed)
			w.Options.Host = host(t, repo)
			err := openError(t, w)
			if !errors.Is(err, plug.ErrRefused) {
				t.Errorf("got %v, want a refusal", err)
			}
			contains(t, err.Error(), c.want)
			made, _ := filepath.Glob(filepath.Join(w.State, "mirrors", "*"))
			if c.want == "runner.repos" && len(made) > 0 {
				t.Errorf("made: %v", made)
			}
			if len(w.Ledger()) > 0 {
				t.Errorf("in the ledger: %v", w.Ledger())
			}
		})
	}
}

// What has the look of an address is one or is refused: it is never a path, not
// though a placeholder stands in it that a value brought along.
func TestWorktreeByURLIsNeverAPath(t *testing.T) {
	t.Parallel()
	secret := newRepo(t)
	home := filepath.Join(filepath.Dir(secret), "home")
	for _, repo := range []string{
		"https://{input.x}/../../../" + filepath.Base(secret),
		"x::{input.x}/../../" + filepath.Base(secret),
		"git@h:{input.x}\n/../../" + filepath.Base(secret),
	} {
		w := newWorktree(t, home, map[string]any{"repo": repo})
		w.Options.Repos = []string{"file:///**"}
		if err := openError(t, w); !errors.Is(err, plug.ErrRefused) {
			t.Errorf("%q: got %v, want a refusal", repo, err)
		}
		if left := w.Ledger(); len(left) > 0 {
			t.Errorf("%q made %v", repo, left)
		}
		if err := w.Stack().Destroy(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Nor is it one to a devcontainer, which reads directories alone.
func TestDevcontainerReadsNoRepositoryByURL(t *testing.T) {
	t.Parallel()
	w := plugtest.NewWorld(t, host(t, newRepo(t)),
		plug.NewSpec("devcontainer", "box", map[string]any{"repo": "x://../.."}))
	if err := w.Stack().Open(t.Context()); !errors.Is(err, plug.ErrRefused) {
		t.Errorf("got %v, want a refusal", err)
	}
}

// A run that ends while the clone is made at a dir of the user's own leaves half
// of it there: the note of it stays until the half is gone too.
func TestWorktreeByURLHalfCloned(t *testing.T) {
	t.Parallel()
	repo, trees := newRepo(t), plugtest.TempDir(t)
	w := newWorktree(t, repo, map[string]any{"repo": "file://" + repo, "dir": trees + "/{session}"})
	w.Options.Repos = []string{"file:///**"}
	w.Open()
	dir := filepath.Join(trees, w.Session)
	if err := os.Rename(dir, dir+".half"); err != nil {
		t.Fatal(err)
	}
	layer := filepath.Join(w.State, "environments", w.Session, "src")
	note := filepath.Join(layer, "made.json")
	write(t, note, strings.Replace(read(t, note), `"whole":true`, `"whole":false`, 1))
	if plug.Unmade(t.Context(), layer) {
		t.Error("half a clone is there, and its note is thrown away")
	}
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(trees, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What is the user's where the clone would be made is not taken for a half.
func TestWorktreeByURLLeavesTheUsersHalf(t *testing.T) {
	t.Parallel()
	repo, trees := newRepo(t), plugtest.TempDir(t)
	write(t, filepath.Join(trees, "app.half/precious"), "mine\n")
	w := newWorktree(t, repo, map[string]any{"repo": "file://" + repo, "dir": trees + "/app"})
	w.Options.Repos = []string{"file:///**"}
	contains(t, openError(t, w).Error(), "app.half", "is not ours")
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Error(err)
	}
	read(t, filepath.Join(trees, "app.half/precious"))
}
