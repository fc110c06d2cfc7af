package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise/git"
)

// What an agent does to its tree by chance or by malice hides none of its work.
func TestSnapshotHidesNothing(t *testing.T) {
	t.Parallel()
	t.Run("skip-worktree", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		run(t, dir, "update-index", "--skip-worktree", "a.txt")
		run(t, dir, "update-index", "--skip-worktree", "b/b.txt")
		run(t, dir, "update-index", "--assume-unchanged", "b/b.txt")
		write(t, filepath.Join(dir, "a.txt"), "hidden\n")
		write(t, filepath.Join(dir, "b/b.txt"), "twice hidden\n")
		keep(t, r, dir)
		wants(t, run(t, r.CommonDir, "show", "refs/blaise/s/1:a.txt"), "hidden")
		wants(t, run(t, r.CommonDir, "show", "refs/blaise/s/1:b/b.txt"), "twice hidden")
	})
	t.Run("a pipe where a file was", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		_ = os.Remove(filepath.Join(dir, "a.txt"))
		if err := syscall.Mkfifo(filepath.Join(dir, "a.txt"), 0o600); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "n.txt"), "n\n")
		shot, files := keep(t, r, dir)
		wants(t, files, "n.txt", "b/b.txt")
		wants(t, strings.Join(shot.Skipped, "\n"), `"a.txt"`, "saved as deleted")
		if strings.Contains(files, "a.txt") {
			t.Error(files)
		}
	})
	t.Run("attributes that would convert", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, ".gitattributes"), "*.txt working-tree-encoding=UTF-16\n*.bin text ident\n")
		write(t, filepath.Join(dir, "n.txt"), "plain\n")
		write(t, filepath.Join(dir, "n.bin"), "a\r\nb\n$Id: mine $\n")
		keep(t, r, dir)
		wants(t, run(t, r.CommonDir, "show", "refs/blaise/s/1:n.txt"), "plain")
		wants(t, run(t, r.CommonDir, "show", "refs/blaise/s/1:n.bin"), "a\r\nb\n$Id: mine $")
	})
	t.Run("line ends of a checkout are no change", func(t *testing.T) {
		r, repo := newRepo(t)
		write(t, filepath.Join(repo, ".gitattributes"), "*.bat eol=crlf\n*.u working-tree-encoding=UTF-16LE\n*.i ident\n")
		write(t, filepath.Join(repo, "x.bat"), "a\nb\n")
		write(t, filepath.Join(repo, "x.u"), "a\x00b\x00")
		write(t, filepath.Join(repo, "x.i"), "$Id$\n")
		run(t, repo, "add", ".")
		run(t, repo, "commit", "-qm", "attributes")
		if shot, _ := keep(t, r, linked(t, r, "x")); shot.Dirty {
			t.Errorf("nothing was done: %+v", shot)
		}
	})
	t.Run("names that git refuses", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, ".GIT/x"), "precious\n")
		write(t, filepath.Join(dir, "d/git~1"), "too\n")
		write(t, filepath.Join(dir, "n.txt"), "n\n")
		if err := os.Symlink("a.txt", filepath.Join(dir, ".gitmodules")); err != nil {
			t.Fatal(err)
		}
		shot, files := keep(t, r, dir)
		wants(t, files, "n.txt", "refused-by-git/%2EGIT/x", "refused-by-git/d/git%7E1", "refused-by-git/%2Egitmodules")
		wants(t, strings.Join(shot.Skipped, "\n"), `".GIT/x"`, `"d/git~1"`, `".gitmodules"`)
		wants(t, run(t, r.CommonDir, "show", "refs/blaise/s/1:refused-by-git/%2EGIT/x"), "precious")
	})
	t.Run("rubbish in HEAD", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, "n.txt"), "n\n")
		start := run(t, dir, "rev-parse", "HEAD")
		for _, head := range []string{"rubbish", strings.Repeat("ab", 20), "ref: refs/heads/../../x"} {
			write(t, filepath.Join(r.AdminDir(dir), "HEAD"), head+"\n")
			shot, err := git.Snapshot{Tree: dir, GitDir: r.AdminDir(dir), Common: r.CommonDir,
				Home: r.CommonDir, Start: start, Scratch: tempDir(t), Message: "saved"}.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !shot.Lost {
				t.Error("the loss is not said")
			}
			if err := r.MendHead(dir, start); err != nil {
				t.Fatal(err)
			}
			if err := r.Keep(t.Context(), shot, "refs/blaise/s/1"); err != nil {
				t.Error(err)
			}
			wants(t, strings.Join(shot.Skipped, "\n"), "the files are")
			wants(t, run(t, r.CommonDir, "ls-tree", "-r", "refs/blaise/s/1"), "n.txt", "a.txt")
			wants(t, run(t, r.CommonDir, "rev-parse", "refs/blaise/s/1^"), start)
			_ = shot.Close()
		}
	})
	t.Run("directories that may not be read", func(t *testing.T) {
		if os.Getuid() == 0 {
			t.Skip("root may read all")
		}
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, "shut/n.txt"), "n\n")
		_ = os.Chmod(filepath.Join(dir, "shut"), 0)
		defer os.Chmod(filepath.Join(dir, "shut"), 0o700)
		_, err := git.Snapshot{Tree: dir, GitDir: r.AdminDir(dir), Common: r.CommonDir, Scratch: tempDir(t)}.Take(t.Context())
		if err == nil {
			t.Error("what cannot be read was passed over")
		}
	})
}

// Nested directories of git that are not plain repositories.
func TestSnapshotNestedOdd(t *testing.T) {
	t.Parallel()
	sub := func(t *testing.T, r *git.Repo, path string) string {
		t.Helper()
		return run(t, r.CommonDir, "ls-tree", "-r", git.SubRef("refs/blaise/s/1", path))
	}
	t.Run("a linked worktree, and one in it", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		run(t, dir, "worktree", "add", "-q", "./wt2", "-b", "f")
		run(t, dir+"/wt2", "worktree", "add", "-q", "--detach", "./wt3")
		write(t, filepath.Join(dir, "wt2/precious"), "p\n")
		write(t, filepath.Join(dir, "wt2/wt3/deep"), "p\n")
		shot, _ := keep(t, r, dir)
		wants(t, sub(t, r, "wt2"), "precious", "a.txt")
		wants(t, sub(t, r, "wt2/wt3"), "deep")
		wants(t, run(t, r.CommonDir, "rev-parse", git.SubRef("refs/blaise/s/1", "wt2")+"^"), run(t, r.CommonDir, "rev-parse", "f"))
		if len(shot.Skipped) > 0 {
			t.Error(shot.Skipped)
		}
	})
	t.Run("a clone that borrows from us", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		run(t, dir, "clone", "-q", "--shared", dir, "nested")
		run(t, dir+"/nested", "checkout", "-q", "-b", "own")
		run(t, dir+"/nested", "commit", "-q", "--allow-empty", "-m", "on own")
		run(t, dir+"/nested", "checkout", "-q", "x")
		write(t, filepath.Join(dir, "nested/precious"), "p\n")
		shot, _ := keep(t, r, dir)
		wants(t, sub(t, r, "nested"), "precious", "a.txt")
		wants(t, run(t, r.CommonDir, "log", "-1", "--format=%s", git.SubRef("refs/blaise/s/1", "nested")+".d/heads/own"), "on own")
		if len(shot.Skipped) > 0 {
			t.Error(shot.Skipped)
		}
	})
	t.Run("a clone that borrows from elsewhere", func(t *testing.T) {
		_, other := newRepo(t)
		write(t, filepath.Join(other, "secret"), "s\n")
		run(t, other, "add", ".")
		run(t, other, "commit", "-qm", "secret")
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		run(t, dir, "clone", "-q", "--shared", other, "nested")
		write(t, filepath.Join(dir, "nested/precious"), "p\n")
		write(t, filepath.Join(dir, "nested/.gitignore"), "a.txt\n")
		_ = os.Remove(filepath.Join(dir, "nested/secret"))
		shot, _ := keep(t, r, dir)
		got := sub(t, r, "nested")
		wants(t, got, "precious", "a.txt") // tracked, though ignored
		wants(t, strings.Join(shot.Skipped, "\n"), `"nested"`, "borrows objects from elsewhere")
		if strings.Contains(got, "secret") {
			t.Error(got)
		}
	})
	t.Run("a submodule without its .git", func(t *testing.T) {
		_, lib := newRepo(t)
		r, repo := newRepo(t)
		run(t, repo, "submodule", "--quiet", "add", lib, "lib")
		run(t, repo, "commit", "-qm", "lib")
		dir := linked(t, r, "x")
		if shot, _ := keep(t, r, dir); shot.Dirty || len(shot.Nested) > 0 {
			t.Errorf("nothing was done: %+v", shot)
		}
		write(t, filepath.Join(dir, "lib/precious"), "p\n")
		keep(t, r, dir)
		wants(t, sub(t, r, "lib"), "precious")
	})
	t.Run("behind a link", func(t *testing.T) {
		_, lib := newRepo(t)
		_, other := newRepo(t)
		r, repo := newRepo(t)
		run(t, repo, "submodule", "--quiet", "add", lib, "in/lib")
		run(t, repo, "commit", "-qm", "lib")
		dir := linked(t, r, "x")
		out := filepath.Dir(other)
		if err := os.Rename(other, filepath.Join(out, "lib")); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(out, "lib/secret"), "s\n")
		_ = os.RemoveAll(filepath.Join(dir, "in"))
		if err := os.Symlink(out, filepath.Join(dir, "in")); err != nil {
			t.Fatal(err)
		}
		if shot, files := keep(t, r, dir); len(shot.Nested) > 0 || !strings.Contains(files, "120000") {
			t.Errorf("took %v\n%s", shot.Nested, files)
		}
	})
	t.Run("in sha256", func(t *testing.T) {
		r, _ := newRepo(t, "--object-format=sha256")
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, "n/precious"), "p\n")
		run(t, dir+"/n", "init", "-q")
		run(t, dir+"/n", "add", ".")
		run(t, dir+"/n", "commit", "-qm", "n")
		keep(t, r, dir)
		wants(t, sub(t, r, "n"), "precious")
	})
}
