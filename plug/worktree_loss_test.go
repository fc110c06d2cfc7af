package plug_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blaise.dev/blaise/git"
)

// Worktrees that the agent made go with its own, saved, and leave nothing in
// the user's repository but branches with commits.
func TestWorktreeNestedWorktrees(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	gitIn(t, repo, "branch", "users")
	w := newWorktree(t, repo, nil)
	s := w.Open()
	dir := s.Env().Place().Dir
	for path, branch := range map[string]string{"wt1": "clean", "x.log/wt2": "ahead", "../wt3": "beside"} {
		gitIn(t, dir, "worktree", "add", "-q", path, "-b", branch)
		write(t, filepath.Join(dir, path, "precious"), branch+"\n")
		log := filepath.Join(repo, ".git/logs/refs/heads", branch) // a second later than the worktree
		who, rest, _ := strings.Cut(read(t, log), "> ")
		write(t, log, who+"> 9"+rest)
	}
	gitIn(t, dir, "worktree", "add", "-q", "wt4", "users")
	gitIn(t, dir+"/x.log/wt2", "commit", "-q", "--allow-empty", "-m", "ahead")
	write(t, filepath.Join(dir, "../notes"), "the agent's\n")
	saved := save(t, s)
	if len(saved) != 1 {
		t.Fatalf("saved %+v\n%s", saved, w.Notices())
	}
	for path, branch := range map[string]string{"wt1": "clean", "x.log/wt2": "ahead", "../wt3": "beside"} {
		if got := gitIn(t, repo, "show", git.SubRef(saved[0].Ref, path)+":precious"); got != branch {
			t.Errorf("%s: got %q", path, got)
		}
	}
	if again := save(t, w.Stack()); len(again) != 0 {
		t.Errorf("saved again: %+v", again)
	}
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := gitIn(t, repo, "worktree", "list"); strings.Contains(got, "\n") {
		t.Errorf("left:\n%s", got)
	}
	branches := gitIn(t, repo, "branch", "--format=%(refname:short)")
	if branches != "ahead\nmain\nusers" {
		t.Errorf("branches %q\n%s", branches, w.Notices())
	}
	contains(t, w.Notices(), "branch ahead stays", "branch users stays", "notes stays")
	read(t, filepath.Join(dir, "../notes"))
}

// What the repository refuses is saved without it, or in a bundle.
func TestWorktreeRefused(t *testing.T) {
	t.Parallel()
	const evil = "[submodule \"x\"]\n\tpath = x\n\turl = -oops\n"
	for _, alone := range []bool{false, true} {
		for _, committed := range []bool{false, true} {
			t.Run("alone "+strconv.FormatBool(alone)+", committed "+strconv.FormatBool(committed), func(t *testing.T) {
				repo := newRepo(t)
				w := newWorktree(t, repo, nil)
				if alone {
					isolate(w)
				}
				s := w.Open()
				dir := s.Env().Place().Dir
				write(t, filepath.Join(dir, ".gitmodules"), evil)
				if committed {
					gitIn(t, dir, "add", ".")
					gitIn(t, dir, "commit", "-qm", "evil")
				}
				write(t, filepath.Join(dir, "precious"), "p\n")
				saved := save(t, s)
				if len(saved) != 1 {
					t.Fatalf("saved %+v\n%s", saved, w.Notices())
				}
				contains(t, gitIn(t, repo, "ls-tree", "-r", saved[0].Commit), "precious", "gitmodules", "a.txt")
				if !committed || alone {
					contains(t, w.Notices(), `not saved: ".gitmodules" under its name`)
				}
				if again := save(t, w.Stack()); len(again) != 0 {
					t.Errorf("saved again: %+v", again)
				}
				if err := w.Stack().Destroy(t.Context()); err != nil {
					t.Fatal(err)
				}
				if alone && committed {
					bundles, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*.bundle"))
					if len(bundles) != 1 {
						t.Fatalf("bundles %v\n%s", bundles, w.Notices())
					}
					contains(t, gitIn(t, repo, "bundle", "list-heads", bundles[0]), "refs/blaise/shot")
				}
			})
		}
	}
}

// Rubbish where the agent's repository should be: the files are saved on top of
// the start.
func TestWorktreeRubbishInGit(t *testing.T) {
	t.Parallel()
	for name, hurt := range map[string]func(t *testing.T, gitDir string){
		"HEAD":           func(t *testing.T, d string) { write(t, filepath.Join(d, "HEAD"), "rubbish\n") },
		"HEAD of nought": func(t *testing.T, d string) { write(t, filepath.Join(d, "HEAD"), strings.Repeat("1", 40)+"\n") },
		"HEAD is gone":   func(t *testing.T, d string) { remove(t, filepath.Join(d, "HEAD")) },
		"all is gone":    func(t *testing.T, d string) { remove(t, d) },
		"alternates": func(t *testing.T, d string) {
			write(t, filepath.Join(d, "objects/info/alternates"), newRepo(t)+"/.git/objects\n")
		},
	} {
		for _, alone := range []bool{false, true} {
			t.Run(name+", alone "+strconv.FormatBool(alone), func(t *testing.T) {
				repo := newRepo(t)
				w := newWorktree(t, repo, nil)
				if alone {
					isolate(w)
				}
				s := w.Open()
				dir := s.Env().Place().Dir
				write(t, filepath.Join(dir, "a.txt"), "changed\n")
				write(t, filepath.Join(dir, "precious"), "p\n")
				gitDir := gitIn(t, dir, "rev-parse", "--absolute-git-dir")
				hurt(t, gitDir)
				saved := save(t, s)
				if len(saved) != 1 || saved[0].Files != 2 {
					t.Fatalf("saved %+v\n%s", saved, w.Notices())
				}
				if got := gitIn(t, repo, "rev-parse", saved[0].Commit+"^"); got != saved[0].Base {
					t.Errorf("on top of %s, want %s", got, saved[0].Base)
				}
			})
		}
	}
}

// A session may begin with what another one saved, nested repositories too.
func TestWorktreeRestoreOfAnother(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := newWorktree(t, repo, nil)
	s := w.Open()
	dir := s.Env().Place().Dir
	write(t, filepath.Join(dir, "c.txt"), "c\n")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-qm", "agent's")
	write(t, filepath.Join(dir, "u.txt"), "u\n")
	nested(t, filepath.Join(dir, "vendor/lib"))
	saved := save(t, s)
	next := newWorktree(t, repo, nil)
	next.Session = w.Session + "b"
	next.Options.Environment, next.Options.Restore = next.Session, saved[0]
	dir = next.Open().Env().Place().Dir
	contains(t, gitIn(t, dir, "status", "--porcelain"), "?? u.txt", "?? vendor/")
	contains(t, gitIn(t, dir, "log", "-1", "--format=%s"), "agent's")
	contains(t, read(t, filepath.Join(dir, "vendor/lib/n.txt")), "uncommitted")
	contains(t, gitIn(t, filepath.Join(dir, "vendor/lib"), "log", "--format=%s"), "nested one")
	if _, err := os.Stat(filepath.Join(dir, "c.txt")); err != nil {
		t.Error(err)
	}
}
