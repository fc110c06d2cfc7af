package plug

import (
	"context"
	"errors"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

func saveRef(session string, n int) string { return fmt.Sprintf("refs/blaise/%s/%d", session, n) }

// Save takes the worktree as it is into refs/blaise/SESSION/N of the user's
// repository (X5), or into a bundle in Scope.Dir if that repository is gone.
// N is 0 if there was nothing that the last save, or the start, does not hold.
// The agent must have ended.
func (w *worktree) Save(ctx context.Context, s Scope, _ Env) (blaise.SavedWork, error) {
	m, err := loadMade(s.Dir)
	if err == nil && m == nil {
		m, err = w.labelled(ctx, s)
	}
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
	take := w.snapshot(ctx, s, repo, m)
	shot, err := take.Take(ctx)
	if err != nil {
		return blaise.SavedWork{}, fmt.Errorf("save worktree %q: %w", m.Dir, err)
	}
	defer shot.Close()
	sayWhatIsNot(s, shot)
	print := shot.Fingerprint()
	k := keeper{s: s, repo: repo, m: m, take: take}
	kept := print == m.Saved && (m.Home || !s.Leaves)
	if kept && (!m.Clone || repo == nil || m.Refused == k.heads(shot) || !repo.Lacks(ctx, shot)) {
		return blaise.SavedWork{}, nil
	}
	work, err := k.keep(ctx, shot)
	if err != nil {
		return blaise.SavedWork{}, err
	}
	if err := k.sendHome(ctx, &work); err != nil {
		return work, err
	}
	m.Saved, m.Home = print, work.Bundle != ""
	return work, m.save(s.Dir)
}

// labelled is the worktree that carries our label though nothing is written down
// of it: the state directory was lost, the work was not.
func (w *worktree) labelled(ctx context.Context, s Scope) (*made, error) {
	at := w.site(s)
	repo, err := git.Open(ctx, at.repoDir)
	if errors.Is(err, git.ErrNotRepository) {
		return nil, nil
	}
	if err != nil || repo.Owner(at.dir) != s.Environment || !isDir(at.dir) {
		return nil, err
	}
	m := w.guess(s, repo, at)
	m.Whole = true
	if m.Base == "" {
		m.Base = "HEAD"
	}
	m.Start, err = repo.Resolve(ctx, m.Base)
	return m, err
}

// snapshot says how to take the worktree's files, out of reach of whatever the
// agent wrote. repo is nil if the repository is gone.
func (w *worktree) snapshot(ctx context.Context, s Scope, repo *git.Repo, m *made) git.Snapshot {
	take := git.Snapshot{
		Tree: m.Dir, Scratch: s.Dir, Limit: w.c.SaveLimit << 20,
		Message: fmt.Sprintf("Work of session %s, not committed, saved by Blaise", s.Session),
	}
	if repo == nil {
		take.Orphan = !m.Clone
		return take
	}
	take.Excludes = repo.Excludes(ctx, s.Host.Place().Home)
	take.Home, take.Start = repo.CommonDir, m.Start
	if m.Clone {
		return take
	}
	take.Linked = linkedNear(repo, s.Dir, m.Dir)
	take.Common, take.GitDir = repo.CommonDir, repo.AdminDir(m.Dir)
	take.Roots = []string{take.GitDir}
	if take.GitDir == "" {
		take.Orphan, take.Roots = true, nil
	}
	return take
}

func sayWhatIsNot(s Scope, shot *git.Shot) {
	for _, what := range shot.Skipped {
		note(s, "not saved: %s", what)
	}
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
