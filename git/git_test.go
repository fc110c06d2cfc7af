package git_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise/git"
)

func TestMain(m *testing.M) {
	os.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Exit(m.Run())
}

func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "git-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=U", "-c", "user.email=u@x",
		"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func newRepo(t testing.TB, init ...string) (*git.Repo, string) {
	t.Helper()
	dir := filepath.Join(tempDir(t), "repo")
	write(t, filepath.Join(dir, "a.txt"), "a\n")
	write(t, filepath.Join(dir, "b/b.txt"), "b\n")
	run(t, dir, append([]string{"init", "-q", "-b", "main"}, init...)...)
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-qm", "first")
	r, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

// linked makes a linked worktree and answers its directory.
func linked(t testing.TB, r *git.Repo, branch string) string {
	t.Helper()
	dir := filepath.Join(tempDir(t), branch)
	if err := r.AddWorktree(t.Context(), git.NewWorktree{Dir: dir, Branch: branch, Start: "HEAD", Move: true}); err != nil {
		t.Fatal(err)
	}
	if err := r.Fill(t.Context(), dir, "HEAD", nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// keep takes and keeps a shot of a linked worktree, and lists its files.
func keep(t *testing.T, r *git.Repo, dir string) (*git.Shot, string) {
	t.Helper()
	admin := r.AdminDir(dir)
	shot, err := git.Snapshot{Tree: dir, GitDir: admin, Common: r.CommonDir, Roots: []string{admin},
		Scratch: tempDir(t), Message: "saved"}.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Keep(t.Context(), shot, "refs/blaise/s/1"); err != nil {
		t.Fatal(err)
	}
	if err := shot.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, r.CommonDir, "fsck", "--strict")
	return shot, run(t, r.CommonDir, "ls-tree", "-r", "refs/blaise/s/1")
}

func wants(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("got %q, want %q in it", got, p)
		}
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	t.Run("sha256", func(t *testing.T) {
		r, _ := newRepo(t, "--object-format=sha256")
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, "n.txt"), "n\n")
		_, files := keep(t, r, dir)
		wants(t, files, "n.txt")
	})
	t.Run("assume-unchanged hides nothing", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		run(t, dir, "update-index", "--assume-unchanged", "a.txt")
		write(t, filepath.Join(dir, "a.txt"), "hidden change\n")
		keep(t, r, dir)
		wants(t, run(t, r.CommonDir, "show", "refs/blaise/s/1:a.txt"), "hidden change")
	})
	t.Run("sparse checkout deletes nothing", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		run(t, dir, "sparse-checkout", "set", "--no-cone", "/a.txt")
		write(t, filepath.Join(dir, "n.txt"), "n\n")
		_, files := keep(t, r, dir)
		wants(t, files, "b/b.txt", "n.txt")
	})
	t.Run("split index, broken index, no index", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, "n.txt"), "n\n")
		run(t, dir, "update-index", "--split-index")
		_, files := keep(t, r, dir)
		wants(t, files, "a.txt", "n.txt")
		write(t, filepath.Join(r.AdminDir(dir), "index"), "rubbish")
		_, files = keep(t, r, dir)
		wants(t, files, "a.txt", "n.txt")
		_ = os.Remove(filepath.Join(r.AdminDir(dir), "index"))
		_, files = keep(t, r, dir)
		wants(t, files, "a.txt", "n.txt")
	})
	t.Run("a conflict is saved as it lies there", func(t *testing.T) {
		r, repo := newRepo(t)
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, "a.txt"), "x\n")
		run(t, dir, "commit", "-qam", "x")
		write(t, filepath.Join(repo, "a.txt"), "main\n")
		run(t, repo, "commit", "-qam", "main")
		_ = exec.Command("git", "-C", dir, "-c", "user.name=U", "-c", "user.email=u@x", "merge", "main").Run()
		keep(t, r, dir)
		wants(t, run(t, r.CommonDir, "show", "refs/blaise/s/1:a.txt"), "<<<<<<<", "main")
	})
	t.Run("file and directory change places", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		_ = os.RemoveAll(filepath.Join(dir, "b"))
		_ = os.Remove(filepath.Join(dir, "a.txt"))
		write(t, filepath.Join(dir, "b"), "file\n")
		write(t, filepath.Join(dir, "a.txt/in"), "in\n")
		_, files := keep(t, r, dir)
		wants(t, files, "\tb", "a.txt/in")
		if strings.Contains(files, "b/b.txt") {
			t.Error(files)
		}
	})
	t.Run("packed refs, detached HEAD, unborn branch", func(t *testing.T) {
		r, _ := newRepo(t)
		dir := linked(t, r, "x")
		run(t, dir, "pack-refs", "--all")
		write(t, filepath.Join(dir, "n.txt"), "n\n")
		_, files := keep(t, r, dir)
		wants(t, files, "n.txt")
		run(t, dir, "checkout", "-q", "--detach")
		keep(t, r, dir)
		run(t, dir, "checkout", "-q", "--orphan", "new")
		shot, files := keep(t, r, dir)
		wants(t, files, "a.txt", "n.txt")
		if shot.Head != "" {
			t.Errorf("head %q", shot.Head)
		}
	})
	t.Run("shallow history", func(t *testing.T) {
		_, repo := newRepo(t)
		write(t, filepath.Join(repo, "c.txt"), "c\n")
		run(t, repo, "add", ".")
		run(t, repo, "commit", "-qm", "second")
		to := filepath.Join(tempDir(t), "shallow")
		run(t, "/", "clone", "-q", "--depth=1", "file://"+repo, to)
		r, err := git.Open(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		dir := linked(t, r, "x")
		write(t, filepath.Join(dir, "n.txt"), "n\n")
		_, files := keep(t, r, dir)
		wants(t, files, "n.txt")
	})
}

// A submodule with work in it, a nested repository in a nested repository, and
// one that leads outside.
func TestSnapshotNested(t *testing.T) {
	t.Parallel()
	_, lib := newRepo(t)
	r, repo := newRepo(t)
	run(t, repo, "submodule", "--quiet", "add", lib, "lib")
	run(t, repo, "commit", "-qm", "lib")
	dir := linked(t, r, "x")
	run(t, dir, "submodule", "--quiet", "update", "--init")
	if shot, _ := keep(t, r, dir); shot.Dirty || len(shot.Nested) != 0 {
		t.Errorf("nothing was done: %+v", shot)
	}
	write(t, filepath.Join(dir, "lib/work.txt"), "w\n")
	inner := filepath.Join(dir, "own/deep")
	for _, d := range []string{filepath.Join(dir, "own"), inner} {
		write(t, filepath.Join(d, "o.txt"), "o\n")
		run(t, d, "init", "-q")
	}
	write(t, filepath.Join(dir, "evil/.git"), "gitdir: "+lib+"/.git\n")
	write(t, filepath.Join(dir, "evil/e.txt"), "e\n")
	shot, files := keep(t, r, dir)
	wants(t, files, "\tlib", "\town")
	wants(t, strings.Join(shot.Skipped, "\n"), "evil", "leads outside")
	for path, want := range map[string]string{"lib": "work.txt", "own": "deep", "own/deep": "o.txt"} {
		wants(t, run(t, r.CommonDir, "ls-tree", "-r", git.SubRef("refs/blaise/s/1", path)), want)
	}
}

// One lock per repository: without it some of these fail (machine.md 2).
func TestWorktreesAtOnce(t *testing.T) {
	t.Parallel()
	r, _ := newRepo(t)
	base := tempDir(t)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for j := range 5 {
				if err := cycle(t.Context(), r, filepath.Join(base, fmt.Sprintf("w%d-%d", i, j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if left, err := r.Worktrees(t.Context()); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	run(t, r.CommonDir, "fsck", "--strict")
}

// Worktree commands wait for the lock, and the end of ctx ends the wait.
func TestLocked(t *testing.T) {
	t.Parallel()
	r, _ := newRepo(t)
	dir := filepath.Join(tempDir(t), "w")
	err := r.Locked(t.Context(), func(context.Context) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		n := git.NewWorktree{Dir: dir, Branch: "w", Start: "main", Move: true}
		for name, err := range map[string]error{
			"add": r.AddWorktree(ctx, n), "forget": r.ForgetWorktree(ctx, dir), "delete": r.DeleteBranch(ctx, "main", "x"),
		} {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s while another holds the lock: got %v", name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func cycle(ctx context.Context, r *git.Repo, dir string) error {
	branch := filepath.Base(dir)
	err := r.AddWorktree(ctx, git.NewWorktree{Dir: dir, Branch: branch, Start: "main", Move: true})
	if err == nil {
		err = r.Fill(ctx, dir, "main", nil)
	}
	tip, tipErr := r.Branch(ctx, branch)
	return errors.Join(err, tipErr, os.RemoveAll(dir), r.ForgetWorktree(ctx, dir), r.DeleteBranch(ctx, branch, tip))
}

func TestClearLock(t *testing.T) {
	t.Parallel()
	lock := filepath.Join(tempDir(t), "index.lock")
	if !git.ClearLock(lock) {
		t.Error("no lock is in nobody's way")
	}
	write(t, lock, "")
	if git.ClearLock(lock) {
		t.Error("a young lock was removed")
	}
	old := time.Now().Add(-time.Minute)
	_ = os.Chtimes(lock, old, old)
	if !git.ClearLock(lock) {
		t.Error("an old lock of nobody stays")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	r, repo := newRepo(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("told to stop")
	cancel(why)
	if _, err := r.Run(ctx, "log"); !errors.Is(err, why) {
		t.Errorf("cancelled: got %v", err)
	}
	_, err := r.Run(t.Context(), "show", "nothing")
	var e *git.Error
	if !errors.As(err, &e) || e.Code != 128 || e.Dir != repo {
		t.Errorf("got %#v", err)
	}
	wants(t, err.Error(), "git show nothing", "unknown revision")
}

func TestProgress(t *testing.T) {
	t.Parallel()
	_, repo := newRepo(t)
	for i := range 300 {
		write(t, filepath.Join(repo, fmt.Sprintf("f%d", i)), strings.Repeat(fmt.Sprint(i), 100))
	}
	run(t, repo, "add", ".")
	run(t, repo, "commit", "-qm", "many")
	r, err := git.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	start := run(t, repo, "rev-parse", "HEAD")
	err = r.Clone(t.Context(), git.NewWorktree{Dir: filepath.Join(tempDir(t), "c"), Branch: "x", Start: start},
		func(p git.Progress) { seen = append(seen, fmt.Sprintf("%s %d", p.What, p.Total)) })
	if err != nil {
		t.Fatal(err)
	}
	t.Log(seen)
}
