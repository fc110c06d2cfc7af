package plug

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

func saveRef(session string, n int) string { return fmt.Sprintf("refs/blaise/%s/%d", session, n) }

func trimLine(s string) string { return strings.TrimSuffix(s, "\n") }

// Save takes the worktree as it is into refs/blaise/SESSION/N of the user's
// repository (X5), or into a bundle in Scope.Dir if that repository is gone.
// N is 0 if there was nothing that the last save, or the start, does not hold.
// The agent must have ended.
func (w *worktree) Save(ctx context.Context, s Scope, _ Env) (blaise.SavedWork, error) {
	m, err := loadMade(s.Dir)
	if err != nil || m == nil || !m.Whole {
		return blaise.SavedWork{}, err
	}
	if !isDir(m.Dir) {
		note(s, "worktree %s is gone: what was not saved before is lost", m.Dir)
		return blaise.SavedWork{}, nil
	}
	repo, err := m.open(ctx)
	if err != nil && !errors.Is(err, git.ErrNotRepository) {
		return blaise.SavedWork{}, err
	}
	shot, err := w.shot(ctx, s, repo, m)
	if err != nil {
		return blaise.SavedWork{}, fmt.Errorf("save worktree %q: %w", m.Dir, err)
	}
	defer shot.Close()
	return w.keep(ctx, s, repo, m, shot)
}

// shot takes the worktree's files, out of reach of whatever the agent wrote.
// repo is nil if the repository is gone.
func (w *worktree) shot(ctx context.Context, s Scope, repo *git.Repo, m *made) (*git.Shot, error) {
	take := git.Snapshot{
		Tree: m.Dir, Scratch: s.Dir, Limit: w.c.SaveLimit << 20,
		Message: fmt.Sprintf("Work of session %s, not committed, saved by Blaise", s.Session),
	}
	if repo != nil {
		take.Excludes = repo.Excludes(ctx, s.Host.Place().Home)
	}
	switch {
	case m.Clone:
	case repo == nil:
		take.Orphan = true
	default:
		take.Common, take.GitDir = repo.CommonDir, repo.AdminDir(m.Dir)
		take.Roots = []string{take.GitDir}
		if take.GitDir == "" {
			take.Orphan, take.Roots = true, nil
		}
	}
	shot, err := take.Take(ctx)
	if err == nil {
		for _, what := range shot.Skipped {
			note(s, "not saved: %s", what)
		}
	}
	return shot, err
}

func (w *worktree) keep(
	ctx context.Context, s Scope, repo *git.Repo, m *made, shot *git.Shot,
) (blaise.SavedWork, error) {
	print := shot.Fingerprint()
	if print == m.Saved && (!m.Clone || repo == nil || !repo.Lacks(ctx, shot)) {
		return blaise.SavedWork{}, nil
	}
	work := blaise.SavedWork{N: s.Save, Commit: shot.Commit, Base: m.Start, At: time.Now().UTC()}
	var err error
	if repo == nil {
		work.Ref = filepath.Join(s.Dir, fmt.Sprintf("saved-%d.bundle", s.Save))
		err = shot.Bundle(ctx, work.Ref)
		note(s, "repository %s is gone: work saved to %s", m.Repo, work.Ref)
	} else {
		work, err = w.bringHome(ctx, s, repo, shot, work)
	}
	if err != nil {
		return blaise.SavedWork{}, err
	}
	m.Saved = print
	return work, m.save(s.Dir)
}

func (w *worktree) bringHome(
	ctx context.Context, s Scope, repo *git.Repo, shot *git.Shot, work blaise.SavedWork,
) (blaise.SavedWork, error) {
	n, err := freeNumber(ctx, repo, s.Session, s.Save)
	if err != nil {
		return work, err
	}
	work.N, work.Ref, work.Repo = n, saveRef(s.Session, n), repo.Dir
	if err := repo.Keep(ctx, shot, work.Ref); err != nil {
		return work, err
	}
	if work.Files, err = repo.Changed(ctx, work.Base, work.Commit); err != nil {
		return work, err
	}
	return work, nil
}

// freeNumber is n, or the next that no earlier save has: a save is never
// written over, though Blaise did not hear of it.
func freeNumber(ctx context.Context, repo *git.Repo, session string, n int) (int, error) {
	for ; ; n++ {
		taken, err := repo.Ref(ctx, saveRef(session, n))
		if err != nil || taken == "" {
			return n, err
		}
	}
}
