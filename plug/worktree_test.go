package plug_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// newWorktree makes a world with a worktree of repo.
func newWorktree(t testing.TB, repo string, keys map[string]any) *plugtest.World {
	return plugtest.NewWorld(t, host(t, repo), plug.NewSpec("worktree", "src", keys))
}

func save(t testing.TB, s *plug.Stack) []blaise.SavedWork {
	t.Helper()
	saved, err := s.Save(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func openError(t *testing.T, w *plugtest.World) error {
	t.Helper()
	err := w.Stack().Open(t.Context())
	var oe *plug.OpenError
	if !errors.As(err, &oe) || oe.Plug != "src" || oe.Use != "worktree" {
		t.Fatalf("open: got %v, want an OpenError of src", err)
	}
	return err
}

func contains(t *testing.T, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

// X5: commits, changed, untracked, deleted and force-added files; ignored ones
// not. Nothing new: nothing saved.
func TestWorktreeSave(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := newWorktree(t, repo, nil)
	s := w.Open()
	dir := s.Env().Place().Dir
	if saved := save(t, s); len(saved) != 0 {
		t.Errorf("nothing was done: got %v, want no save", saved)
	}
	write(t, filepath.Join(dir, "committed.txt"), "c\n")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-qm", "agent's")
	write(t, filepath.Join(dir, "a.txt"), "changed\n")
	write(t, filepath.Join(dir, "new/file with ü.txt"), "new\n")
	write(t, filepath.Join(dir, "x.log"), "ignored\n")
	write(t, filepath.Join(dir, "forced.log"), "forced\n")
	gitIn(t, dir, "add", "-f", "forced.log")
	gitIn(t, dir, "rm", "-q", "--cached", "sub/b.txt")
	remove(t, filepath.Join(dir, "sub"))
	saved := save(t, s)
	if len(saved) != 1 || saved[0].N != 1 {
		t.Fatalf("got %+v, want save 1", saved)
	}
	got := saved[0]
	if got.Ref != "refs/blaise/"+w.Session+"/1" || got.Repo != repo || got.Files != 5 {
		t.Errorf("saved %+v", got)
	}
	files := gitIn(t, repo, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", got.Ref)
	if want := ".gitignore\na.txt\ncommitted.txt\nforced.log\nnew/file with ü.txt"; files != want {
		t.Errorf("saved files:\n%s\nwant:\n%s", files, want)
	}
	if again := save(t, w.Stack()); len(again) != 0 {
		t.Errorf("saved again: %+v", again)
	}
	if gitIn(t, dir, "status", "--porcelain") == "" {
		t.Error("saving changed the agent's index")
	}
	write(t, filepath.Join(dir, "a.txt"), "more\n")
	if next := save(t, w.Stack()); len(next) != 1 || next[0].N != 2 {
		t.Errorf("got %+v, want save 2 (1 is taken)", next)
	}
	gitIn(t, repo, "fsck", "--strict")
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	contains(t, w.Notices(), "branch blaise/"+w.Session+" stays")
	gitIn(t, repo, "cat-file", "-e", "refs/blaise/"+w.Session+"/2^{commit}")
}

// A22: a new environment begins with the saved work, uncommitted as it was.
func TestWorktreeRestore(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{false, true} {
		t.Run("alone "+strconv.FormatBool(alone), func(t *testing.T) {
			repo := newRepo(t)
			w := newWorktree(t, repo, nil)
			if alone {
				isolate(w)
			}
			s := w.Open()
			dir := s.Env().Place().Dir
			write(t, filepath.Join(dir, "c.txt"), "c\n")
			gitIn(t, dir, "add", ".")
			gitIn(t, dir, "commit", "-qm", "agent's")
			write(t, filepath.Join(dir, "u.txt"), "u\n")
			write(t, filepath.Join(dir, "a.txt"), "changed\n")
			nested(t, filepath.Join(dir, "vendor/lib"))
			saved := save(t, s)
			if err := s.Destroy(t.Context()); err != nil {
				t.Fatal(err)
			}
			next := newWorktree(t, repo, nil)
			next.Session = w.Session
			next.Options.Environment, next.Options.Restore = w.Session+"-2", saved[0]
			if alone {
				isolate(next)
			}
			s = next.Open()
			dir = s.Env().Place().Dir
			contains(t, gitIn(t, dir, "status", "--porcelain"), " M a.txt", "?? u.txt", "?? vendor/")
			contains(t, gitIn(t, dir, "log", "-1", "--format=%s"), "agent's")
			contains(t, read(t, filepath.Join(dir, "vendor/lib/n.txt")), "uncommitted")
			contains(t, gitIn(t, filepath.Join(dir, "vendor/lib"), "log", "--format=%s"), "nested one")
			contains(t, next.Notices(), "saved as refs/blaise/")
		})
	}
}

// nested makes a repository with a commit and uncommitted work.
func nested(t testing.TB, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, "n.txt"), "one\n")
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-qm", "nested one")
	write(t, filepath.Join(dir, "n.txt"), "uncommitted\n")
}

// DESIGN, git as hostile: nothing that an agent can write runs as us or reaches
// out of the worktree.
func TestWorktreeHostile(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{false, true} {
		t.Run("alone "+strconv.FormatBool(alone), func(t *testing.T) {
			repo := newRepo(t)
			w := newWorktree(t, repo, nil)
			if alone {
				isolate(w)
			}
			s := w.Open()
			dir := s.Env().Place().Dir
			ran := filepath.Join(plugtest.TempDir(t), "ran")
			secret := filepath.Join(plugtest.TempDir(t), "secret")
			write(t, filepath.Join(secret, "s.txt"), "secret\n")
			write(t, filepath.Join(secret, "b.txt"), "secret, behind a link\n")
			nest := filepath.Join(dir, "nest")
			nested(t, nest)
			for _, at := range []string{dir, nest} {
				for _, kv := range [][2]string{
					{"core.fsmonitor", "touch " + ran}, {"filter.x.clean", "touch " + ran + "; cat"},
					{"filter.x.required", "true"}, {"core.hooksPath", dir}, {"diff.external", "touch " + ran},
				} {
					gitIn(t, at, "config", kv[0], kv[1])
				}
			}
			write(t, filepath.Join(nest, "n.txt"), "two\n") // of the old size: git would look inside
			write(t, filepath.Join(nest, ".gitattributes"), "* filter=x\n")
			write(t, filepath.Join(dir, ".gitattributes"), "* filter=x\n")
			write(t, filepath.Join(dir, "a.txt"), "changed\n")
			if err := os.Symlink(secret, filepath.Join(dir, "leak")); err != nil {
				t.Fatal(err)
			}
			remove(t, filepath.Join(dir, "sub"))
			if err := os.Symlink(secret, filepath.Join(dir, "sub")); err != nil {
				t.Fatal(err)
			}
			if alone {
				gitIn(t, dir, "config", "core.worktree", secret)
			}
			remove(t, ran) // our own git above ran it
			saved := save(t, s)
			if len(saved) != 1 {
				t.Fatalf("saved %+v\n%s", saved, w.Notices())
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("a command of the agent's configuration ran")
			}
			out, err := exec.Command("git", "--git-dir="+filepath.Join(repo, ".git"), "ls-tree", "-r", saved[0].Commit).Output()
			if err != nil {
				t.Fatal(err)
			}
			files := string(out)
			contains(t, files, "a.txt", "120000 blob", "160000 commit")
			if strings.Contains(files, "s.txt") || strings.Contains(files, "b.txt") {
				t.Errorf("a file from outside was saved:\n%s", files)
			}
		})
	}
}

// A .git that the agent pointed elsewhere decides nothing.
func TestWorktreeGitFileMoved(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := newWorktree(t, repo, nil)
	s := w.Open()
	dir := s.Env().Place().Dir
	other := newRepo(t)
	write(t, filepath.Join(dir, ".git"), "gitdir: "+other+"/.git\n")
	write(t, filepath.Join(dir, "new.txt"), "n\n")
	saved := save(t, s)
	if len(saved) != 1 {
		t.Fatalf("saved %v", saved)
	}
	contains(t, gitIn(t, repo, "ls-tree", "-r", "--name-only", saved[0].Commit), "new.txt", "a.txt")
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(other, ".git/HEAD")); err != nil {
		t.Errorf("the other repository: %v", err)
	}
}

// A clone holds branches and a stash that nobody else has.
func TestWorktreeCloneSavesBranches(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := newWorktree(t, repo, nil)
	isolate(w)
	s := w.Open()
	dir := s.Env().Place().Dir
	if st, err := os.Stat(filepath.Join(dir, ".git")); err != nil || !st.IsDir() {
		t.Fatalf("want a clone: %v", err)
	}
	gitIn(t, dir, "checkout", "-q", "-b", "other")
	write(t, filepath.Join(dir, "o.txt"), "o\n")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-qm", "on another branch")
	gitIn(t, dir, "checkout", "-q", "blaise/"+w.Session)
	saved := save(t, s)
	if len(saved) != 1 {
		t.Fatalf("saved %v", saved)
	}
	contains(t, gitIn(t, repo, "log", "-1", "--format=%s", saved[0].Ref+".d/heads/other"), "on another branch")
	if again := save(t, w.Stack()); len(again) != 0 {
		t.Errorf("saved again: %+v", again)
	}
}

func TestWorktreeRepoGone(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{false, true} {
		t.Run("alone "+strconv.FormatBool(alone), func(t *testing.T) {
			repo := newRepo(t)
			w := newWorktree(t, repo, nil)
			if alone {
				isolate(w)
			}
			s := w.Open()
			write(t, filepath.Join(s.Env().Place().Dir, "new.txt"), "n\n")
			remove(t, repo)
			saved := save(t, s)
			if len(saved) != 1 || filepath.Ext(saved[0].Ref) != ".bundle" {
				t.Fatalf("saved %+v", saved)
			}
			if err := s.Destroy(t.Context()); err != nil {
				t.Fatal(err)
			}
			clone := filepath.Join(plugtest.TempDir(t), "c")
			gitIn(t, "/", "clone", "-q", "--bare", saved[0].Ref, clone)
			gitIn(t, clone, "fetch", "-q", saved[0].Ref, "refs/blaise/shot:refs/heads/x")
			contains(t, gitIn(t, clone, "ls-tree", "-r", "--name-only", "x"), "new.txt", "a.txt")
		})
	}
}

func TestWorktreeLimit(t *testing.T) {
	t.Parallel()
	w := newWorktree(t, newRepo(t), map[string]any{"saveLimit": 1})
	s := w.Open()
	write(t, filepath.Join(s.Env().Place().Dir, "big.bin"), strings.Repeat("x", 2<<20))
	_, err := s.Save(t.Context())
	var le *plug.LayerError
	if !errors.Is(err, git.ErrTooLarge) || !errors.As(err, &le) || le.Plug != "src" {
		t.Fatalf("got %v, want ErrTooLarge of src", err)
	}
	contains(t, err.Error(), "big.bin", "saveLimit")
}

// isolate puts a plug inside that sees nothing but Dir.
func isolate(w *plugtest.World) {
	w.Specs = append(w.Specs, plug.NewSpec("box", "", nil))
	w.Options.New = func(s plug.Spec) (plug.Plug, error) {
		if s.Use == "box" {
			return box{}, nil
		}
		return plug.New(s)
	}
}
