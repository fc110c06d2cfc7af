package plug

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blaise.dev/blaise/git"
)

// Destroy removes the worktree, its entry in the repository, and the branch if
// base holds all its commits; else the branch stays and a notice says so. It
// looks for each thing afterwards. Bundles in Scope.Dir stay.
func (w *worktree) Destroy(ctx context.Context, s Scope) error {
	m, err := loadMade(s.Dir)
	if err != nil {
		return err
	}
	at := w.site(s)
	repo, err := w.openFor(ctx, at, m)
	if err != nil && !errors.Is(err, git.ErrNotRepository) {
		return err
	}
	if m == nil && repo != nil {
		m = w.guess(s, repo, at)
	}
	if m == nil {
		m = &made{Dir: at.dir, Clone: !at.ownDir} // nothing of ours but Scope.Dir
	}
	if at.ownDir || m.Repo != "" {
		if err := discard(m.Dir, s.Environment); err != nil {
			return err
		}
		if err := removeAll(m.half()); err != nil {
			return err
		}
	}
	if repo != nil && m.Repo != "" {
		if err := w.forget(ctx, s, repo, m); err != nil {
			return err
		}
	}
	return sweep(s, m.Dir)
}

func (w *worktree) openFor(ctx context.Context, at site, m *made) (*git.Repo, error) {
	if m != nil {
		return m.open(ctx)
	}
	return git.Open(ctx, at.repoDir)
}

// guess says what was made if what was written down is lost: the worktree with
// our label, the branch with the environment's name.
func (w *worktree) guess(s Scope, repo *git.Repo, at site) *made {
	if repo.Owner(at.dir) != s.Environment && !at.ownBranch {
		return nil
	}
	m := &made{Repo: repo.Dir, CommonDir: repo.CommonDir, Dir: at.dir, Branch: at.branch,
		NewBranch: at.ownBranch, Base: w.c.Base}
	m.Clone = repo.Owner(at.dir) != s.Environment && !at.ownDir // then dir is not ours
	if m.Clone {
		m.Dir = filepath.Join(s.Dir, s.Environment)
	}
	return m
}

func (w *worktree) forget(ctx context.Context, s Scope, repo *git.Repo, m *made) error {
	if err := repo.ForgetWorktree(ctx, m.Dir); err != nil {
		return err
	}
	if err := s.Forget(ctx, worktreeResource(repo, m.Dir)); err != nil {
		return err
	}
	if err := w.forgetNested(ctx, s, repo, m); err != nil {
		return err
	}
	if !m.NewBranch {
		return nil
	}
	if err := w.dropBranch(ctx, s, repo, m, m.Branch); err != nil {
		return err
	}
	return s.Forget(ctx, branchResource(repo, m.Branch))
}

// dropBranch deletes a branch if base holds it. One with commits of its own
// is the user's from here on.
func (w *worktree) dropBranch(
	ctx context.Context, s Scope, repo *git.Repo, m *made, branch string,
) error {
	tip, err := repo.Branch(ctx, branch)
	if err != nil || tip == "" {
		return err
	}
	base := m.Base
	if base == "" {
		if base, err = repo.HeadBranch(ctx); err != nil {
			return err
		}
	}
	held, err := repo.Contains(ctx, base, tip)
	if err != nil && m.Start != "" { // base itself is gone
		held, err = repo.Contains(ctx, m.Start, tip)
	}
	if err != nil {
		return err
	}
	if !held {
		note(s, "branch %s stays in %s: it holds commits that %s does not", branch, repo.Dir, base)
		return nil
	}
	err = repo.DeleteBranch(ctx, branch, tip)
	if errors.Is(err, git.ErrCheckedOut) {
		note(s, "branch %s stays: %v", branch, err)
		return nil
	}
	return err
}

// discard moves a directory out of the way, so that it is gone at once, then
// removes it.
func discard(dir, environment string) error {
	trash := filepath.Join(filepath.Dir(dir), ".trash-"+environment)
	if err := removeAll(trash); err != nil {
		return err
	}
	if err := os.Rename(dir, trash); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move %q to trash: %w", dir, err)
	}
	return removeAll(trash)
}

// removeAll removes a tree, directories that deny writing (Go's module cache)
// included. It follows no links.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove %q: %w", dir, err)
	}
	return nil
}

// sweep removes what the plug kept in Scope.Dir, but bundles of saved work, and
// looks that the worktree is gone. What is not the plug's stays.
func sweep(s Scope, worktree string) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(s.Dir, e.Name())
		if filepath.Ext(path) == ".bundle" {
			continue
		}
		if !ours(e.Name(), worktree) {
			note(s, "%s stays: it was made beside the worktree, and is not saved", path)
			continue
		}
		if err := removeAll(path); err != nil {
			return err
		}
	}
	if git.SamePath(filepath.Dir(worktree), s.Dir) && isDir(worktree) {
		return fmt.Errorf("remove %q: it is still there", worktree)
	}
	return nil
}
