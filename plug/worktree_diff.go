package plug

import (
	"context"
	"errors"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

// Diff compares the tree, or what was saved of it, with the commit it began at.
func (w *worktree) Diff(ctx context.Context, s Scope, saved blaise.SavedWork) (blaise.Diff, error) {
	m, err := loadMade(s.Dir)
	if err != nil {
		return blaise.Diff{}, err
	}
	if m == nil || !m.Whole {
		return blaise.Diff{}, ErrGone
	}
	repo, err := m.open(ctx)
	if err != nil && !errors.Is(err, git.ErrNotRepository) {
		return blaise.Diff{}, err
	}
	var found git.Diff
	from := m.Dir
	if repo != nil && saved.N > 0 && git.SamePath(saved.Repo, repo.Dir) {
		from = saved.Ref
		found, err = repo.Diff(ctx, saved.Base, saved.Commit, blaise.DiffMost)
	} else {
		found, err = w.diffTree(ctx, s, repo, m)
	}
	d := blaise.Diff{From: from, Patch: found.Patch, Cut: found.Cut, Files: []blaise.FileChange{}}
	for _, f := range found.Files {
		d.Files = append(d.Files, blaise.FileChange(f))
	}
	return d, err
}

func (w *worktree) diffTree(ctx context.Context, s Scope, repo *git.Repo, m *made) (git.Diff, error) {
	shot, err := w.snapshot(ctx, s, repo, m).Take(ctx)
	if err != nil {
		return git.Diff{}, fmt.Errorf("look at worktree %q: %w", m.Dir, err)
	}
	found, err := shot.Diff(ctx, m.Start, blaise.DiffMost)
	return found, errors.Join(err, shot.Close())
}
