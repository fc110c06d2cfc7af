package plug_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/git"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// Bad repositories, bases and branches: each error says what to do.
func TestWorktreeBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys map[string]any
		hurt func(t *testing.T, repo string)
		kind error
		want string
	}{
		"no repository": {map[string]any{"repo": "/"}, nil, git.ErrNotRepository, "git init"},
		"no directory":  {map[string]any{"repo": "/no/such"}, nil, git.ErrNotRepository, "/no/such"},
		"no commits": {nil, func(t *testing.T, repo string) {
			remove(t, filepath.Join(repo, ".git"))
			gitIn(t, repo, "init", "-q", "-b", "main")
		}, git.ErrEmpty, "first commit"},
		"no base": {map[string]any{"base": "mian"}, func(t *testing.T, repo string) {
			gitIn(t, repo, "branch", "unlike")
		}, git.ErrNoRevision, "there are: main"},
		"base is an option":                    {map[string]any{"base": "--help"}, nil, git.ErrNoRevision, ""},
		"branch checked out in the repository": {map[string]any{"branch": "main"}, nil, git.ErrCheckedOut, "/repo has it"},
		"branch checked out in a worktree": {map[string]any{"branch": "taken"}, func(t *testing.T, repo string) {
			gitIn(t, repo, "worktree", "add", "-q", "-b", "taken", repo+"-other")
		}, git.ErrCheckedOut, "/repo-other has it"},
		"branch held by a dead worktree": {map[string]any{"branch": "taken"}, func(t *testing.T, repo string) {
			gitIn(t, repo, "worktree", "add", "-q", "-b", "taken", repo+"-other")
			remove(t, repo+"-other")
		}, git.ErrCheckedOut, "git worktree prune"},
		"branch has no name": {map[string]any{"branch": "a..b"}, nil, nil, `"a..b" cannot be the name`},
		"directory in use":   {map[string]any{"dir": "sub"}, nil, nil, "is not ours"},
	} {
		t.Run(name, func(t *testing.T) {
			repo := newRepo(t)
			if c.hurt != nil {
				c.hurt(t, repo)
			}
			w := newWorktree(t, repo, c.keys)
			err := openError(t, w)
			if c.kind != nil && !errors.Is(err, c.kind) {
				t.Errorf("got %v, want %v", err, c.kind)
			}
			contains(t, err.Error(), c.want)
			if err := w.Stack().Destroy(t.Context()); err != nil {
				t.Errorf("destroy: %v", err)
			}
			if left := w.Leftovers(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			read(t, filepath.Join(repo, "sub/b.txt")) // the user's
		})
	}
}

// What is made is in the ledger, worktree and branch; what is destroyed is not
// (X4).
func TestX4_WorktreeAndBranchAreInTheLedger(t *testing.T) {
	t.Parallel()
	w := newWorktree(t, newRepo(t), nil)
	s := w.Open()
	var kinds []string
	for _, r := range w.Ledger() {
		kinds = append(kinds, r.Kind)
	}
	slices.Sort(kinds)
	if !slices.Equal(kinds, []string{"branch", "worktree"}) {
		t.Errorf("in the ledger: %v", kinds)
	}
	if err := s.Destroy(t.Context()); err != nil || len(w.Ledger()) > 0 {
		t.Errorf("destroy: %v, in the ledger: %v", err, w.Ledger())
	}
}

func TestWorktreeBranches(t *testing.T) {
	t.Parallel()
	t.Run("an existing branch is worked on and stays", func(t *testing.T) {
		repo := newRepo(t)
		gitIn(t, repo, "branch", "mine")
		w := newWorktree(t, repo, map[string]any{"branch": "mine"})
		s := w.Open()
		contains(t, gitIn(t, s.Env().Place().Dir, "branch", "--show-current"), "mine")
		if err := s.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		gitIn(t, repo, "rev-parse", "--verify", "mine")
	})
	t.Run("a branch of our name with other commits is an error", func(t *testing.T) {
		repo := newRepo(t)
		w := newWorktree(t, repo, nil)
		gitIn(t, repo, "checkout", "-q", "-b", "blaise/"+w.Session)
		gitIn(t, repo, "commit", "-q", "--allow-empty", "-m", "theirs")
		gitIn(t, repo, "checkout", "-q", "main")
		gitIn(t, repo, "commit", "-q", "--allow-empty", "-m", "ours")
		if err := openError(t, w); !errors.Is(err, git.ErrBranchExists) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("base is HEAD's, detached too", func(t *testing.T) {
		repo := newRepo(t)
		gitIn(t, repo, "checkout", "-q", "--detach")
		newWorktree(t, repo, nil).Open()
	})
	t.Run("a bare repository will do", func(t *testing.T) {
		repo := newRepo(t)
		bare := filepath.Join(filepath.Dir(repo), "bare.git")
		gitIn(t, "/", "clone", "-q", "--bare", repo, bare)
		w := newWorktree(t, bare, nil)
		s := w.Open()
		write(t, filepath.Join(s.Env().Place().Dir, "n.txt"), "n\n")
		if saved := save(t, s); len(saved) != 1 {
			t.Errorf("saved %v", saved)
		}
		if err := s.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("the user's uncommitted changes stay outside, and that is said", func(t *testing.T) {
		repo := newRepo(t)
		write(t, filepath.Join(repo, "a.txt"), "dirty\n")
		w := newWorktree(t, repo, nil)
		if got := read(t, filepath.Join(w.Open().Env().Place().Dir, "a.txt")); got != "a\n" {
			t.Errorf("got %q", got)
		}
		contains(t, w.Notices(), "uncommitted changes")
	})
}

// P01, P09, R15: entries that git itself will not remove.
func TestWorktreeDeadEntries(t *testing.T) {
	t.Parallel()
	for name, hurt := range map[string]func(t *testing.T, repo, dir string){
		"locked, directory gone": func(t *testing.T, repo, dir string) {
			gitIn(t, repo, "worktree", "lock", "--reason", "initializing", dir)
			remove(t, dir)
		},
		"locked, directory there": func(t *testing.T, repo, dir string) { gitIn(t, repo, "worktree", "lock", dir) },
		"HEAD missing": func(t *testing.T, repo, dir string) {
			remove(t, filepath.Join(repo, ".git/worktrees", filepath.Base(dir), "HEAD"))
		},
		"pruned": func(t *testing.T, repo, dir string) { remove(t, filepath.Join(repo, ".git/worktrees")) },
		"read-only directories": func(t *testing.T, _, dir string) {
			write(t, filepath.Join(dir, "mod/x/y"), "y")
			_ = os.Chmod(filepath.Join(dir, "mod/x"), 0o500)
		},
		"what was made is forgotten": func(t *testing.T, _, dir string) {
			remove(t, filepath.Join(filepath.Dir(dir), "made.json"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := worktreeSetup(t, nil)
			w := plugtest.NewWorld(t, set.Host, set.Spec)
			dir := w.Open().Env().Place().Dir
			hurt(t, set.Host.Place().Dir, dir)
			if err := w.Stack().Destroy(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := append(set.Left(t), w.Leftovers()...); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// R17: a lock file of a killed git is cleared, one of a living git is not.
func TestWorktreeStaleLock(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := newWorktree(t, repo, nil)
	dir := w.Open().Env().Place().Dir
	lock := filepath.Join(repo, ".git/worktrees", filepath.Base(dir), "index.lock")
	write(t, lock, "")
	old := time.Now().Add(-time.Minute)
	_ = os.Chtimes(lock, old, old)
	held, err := os.Open(lock)
	if err != nil {
		t.Fatal(err)
	}
	w.Open()
	if _, err := os.Stat(lock); err != nil {
		t.Error("a lock that is held was removed")
	}
	contains(t, w.Notices(), "index.lock")
	held.Close()
	w.Open()
	if _, err := os.Stat(lock); err == nil {
		t.Error("a lock that nobody holds is still there")
	}
}

func TestWorktreeInventory(t *testing.T) {
	t.Parallel()
	set := worktreeSetup(t, nil)
	w := plugtest.NewWorld(t, set.Host, set.Spec)
	dir := w.Open().Env().Place().Dir
	p, err := plug.New(set.Spec)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.(plug.Lister).List(t.Context(), set.Host)
	if err != nil || len(found) != 2 || found[0].Name != dir || found[1].Name != "blaise/"+w.Session {
		t.Errorf("got %+v, %v", found, err)
	}
	if l := w.Ledger(); len(l) != 2 || l[0].Plug != "src" || !strings.HasSuffix(l[0].Where, "/.git") {
		t.Errorf("ledger: %+v", l)
	}
}

// bigRepo has n files in directories of 100.
func bigRepo(t testing.TB, n int) string {
	t.Helper()
	repo := newRepo(t)
	for i := range n {
		write(t, filepath.Join(repo, "d"+string(rune('a'+i/1000%26))+itoa(i/100), "f"+itoa(i)+".txt"), strings.Repeat(itoa(i)+"\n", 100))
	}
	gitIn(t, repo, "add", ".")
	gitIn(t, repo, "commit", "-qm", "many")
	return repo
}

func itoa(i int) string {
	return string([]byte{byte('0' + i/10000%10), byte('0' + i/1000%10), byte('0' + i/100%10), byte('0' + i/10%10), byte('0' + i%10)})
}

func TestWorktreeManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 files")
	}
	repo := bigRepo(t, 20000)
	w := newWorktree(t, repo, nil)
	began := time.Now()
	s := w.Open()
	opened := time.Since(began)
	if saved := save(t, s); len(saved) != 0 {
		t.Errorf("saved %+v", saved)
	}
	unchanged := time.Since(began) - opened
	write(t, filepath.Join(s.Env().Place().Dir, "new.txt"), "n\n")
	if saved := save(t, s); len(saved) != 1 || saved[0].Files != 1 {
		t.Errorf("saved %+v", saved)
	}
	began = time.Now()
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("open %v, save unchanged %v, destroy %v", opened, unchanged, time.Since(began))
}
