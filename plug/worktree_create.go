package plug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
	"blaise.dev/blaise/transcript"
)

// create makes the worktree. was is what an earlier, unfinished attempt wrote
// down, or nil.
func (w *worktree) create(ctx context.Context, s Scope, was *made) (*made, error) {
	at := w.site(s)
	if err := git.CheckBranch(ctx, at.branch); err != nil {
		return nil, err
	}
	if at.mirror {
		if err := w.refresh(ctx, s, at.repoDir); err != nil {
			return nil, err
		}
	}
	repo, look, err := git.Look(ctx, at.repoDir, w.c.Base, at.branch)
	if err != nil {
		return nil, err
	}
	m := &made{Repo: repo.Dir, CommonDir: repo.CommonDir, Dir: at.dir, Branch: at.branch, Clone: s.Alone || at.mirror,
		Base: look.Base, Start: look.Start, At: time.Now().UTC(), base: look.Start, tree: look.Tree, tip: look.Tip}
	if m.subs, err = w.submodules(ctx, s, repo, m.Start); err != nil {
		return nil, err
	}
	if err := w.chooseStart(ctx, s, repo, m); err != nil {
		return nil, err
	}
	if err := w.clear(ctx, s, repo, at, was); err != nil {
		return nil, err
	}
	move, err := w.chooseBranch(ctx, repo, at, m, was)
	if err != nil {
		return nil, err
	}
	if !move { // the branch is checked out where it stands
		m.Start, m.tree = m.tip, ""
	}
	if err := w.raise(ctx, s, repo, m, move); err != nil {
		return nil, err
	}
	m.Whole = true
	return m, m.save(s.Dir)
}

// clear takes away what an unfinished attempt left. What is not ours is an
// error.
func (w *worktree) clear(
	ctx context.Context, s Scope, repo *git.Repo, at site, was *made,
) error {
	noted := at.ownDir || was != nil && git.SamePath(was.Dir, at.dir)
	ours := noted || repo.Owner(at.dir) == s.Environment
	if half := at.dir + git.HalfExt; !noted && (s.Alone || at.mirror) && !missing(half) {
		return fmt.Errorf("make worktree: %q is there already, where the clone would be made, and is not ours: "+
			"choose another dir, or remove it", half)
	}
	entries, err := os.ReadDir(at.dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return fmt.Errorf("look for worktree: %w", err)
	case !ours && (len(entries) > 0 || repo.AdminDir(at.dir) != ""):
		return fmt.Errorf("make worktree: %q is there already and is not ours: "+
			"choose another dir, or remove it", at.dir)
	default:
		if err := discard(at.dir, s.Environment); err != nil {
			return err
		}
	}
	if repo.AdminDir(at.dir) == "" {
		return nil
	}
	return repo.ForgetWorktree(ctx, at.dir)
}

// chooseBranch decides whether the branch is set to the start (move) or checked
// out where it stands. A branch that somebody has checked out is not touched,
// and no commit is left behind.
func (w *worktree) chooseBranch(
	ctx context.Context, repo *git.Repo, at site, m, was *made,
) (move bool, err error) {
	tip := m.tip
	if m.Clone && (tip == "" || at.ownBranch) {
		return true, nil // the branch is the clone's own
	}
	m.NewBranch = !m.Clone && (tip == "" || was != nil && was.NewBranch && was.Branch == m.Branch)
	if tip == "" {
		return true, nil
	}
	if err := w.refuseHolder(ctx, repo, m); err != nil {
		return false, err
	}
	behind, err := repo.Contains(ctx, m.Start, tip)
	if err != nil || behind {
		return true, err
	}
	ahead, err := repo.Contains(ctx, tip, m.Start)
	if err != nil || ahead || !at.ownBranch {
		return false, err
	}
	return false, &git.Error{Verb: "make branch " + m.Branch, Dir: repo.Dir, Kind: git.ErrBranchExists,
		Hint: fmt.Sprintf("it holds commits that %s does not: rename or delete it, "+
			"or choose another branch", m.Base)}
}

// refuseHolder says who has the branch checked out. A clone has it to itself.
func (w *worktree) refuseHolder(ctx context.Context, repo *git.Repo, m *made) error {
	if m.Clone {
		return nil
	}
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.Branch != m.Branch {
			continue
		}
		e := &git.Error{Verb: "make worktree on branch " + m.Branch, Dir: repo.Dir,
			Kind: git.ErrCheckedOut, Where: t.Dir}
		e.Hint = fmt.Sprintf("%s has it: choose another branch, or switch that one", t.Dir)
		switch owner := repo.Owner(t.Dir); {
		case owner != "":
			e.Hint = fmt.Sprintf("session %s has it, in %s: choose another branch, or end that one",
				blaise.EnvironmentID(owner).Session(), t.Dir)
		case t.Prunable:
			e.Hint = fmt.Sprintf("%s had it and is gone: run git worktree prune in %s", t.Dir, repo.Dir)
		}
		return e
	}
	return nil
}

// raise writes down what is made and makes it. Beside, git looks at the user's own working tree: a third of
// the time that 20,000 files would add to the opening.
func (w *worktree) raise(ctx context.Context, s Scope, repo *git.Repo, m *made, move bool) error {
	looking, stop := context.WithCancel(ctx)
	defer stop()
	var beside sync.WaitGroup
	dirty := false
	beside.Go(func() {
		is, err := repo.Dirty(looking)
		dirty = is && err == nil
	})
	err := w.intend(ctx, s, repo, m)
	if err == nil {
		err = w.build(ctx, s, repo, m, move)
	}
	if err != nil {
		stop()
	}
	beside.Wait()
	if dirty && err == nil {
		note(s, "%s has uncommitted changes; the worktree begins at %s without them", repo.Dir, m.Base)
	}
	return err
}

// intend writes down, here and in the ledger, what is about to be made: all at
// once, for the ledger is a round trip away, and whole before anything is made.
func (w *worktree) intend(ctx context.Context, s Scope, repo *git.Repo, m *made) error {
	var g errgroup.Group
	g.Go(func() error { return m.save(s.Dir) })
	g.Go(func() error {
		if err := s.Intend(ctx, worktreeResource(repo, m.Dir)); err != nil {
			return fmt.Errorf("enter worktree in the ledger: %w", err)
		}
		return nil
	})
	if m.NewBranch && !m.Clone {
		g.Go(func() error {
			if err := s.Intend(ctx, branchResource(repo, m.Branch)); err != nil {
				return fmt.Errorf("enter branch in the ledger: %w", err)
			}
			return nil
		})
	}
	return g.Wait()
}

func (w *worktree) build(ctx context.Context, s Scope, repo *git.Repo, m *made, move bool) error {
	n := git.NewWorktree{Dir: m.Dir, Branch: m.Branch, Start: m.Start, Move: move}
	var err error
	if m.Clone {
		err = repo.Clone(ctx, n, progress(s))
	} else {
		err = w.link(ctx, s, repo, m, n)
	}
	if err != nil {
		return err
	}
	if err := w.restore(ctx, s, repo, m); err != nil {
		return fmt.Errorf("restore saved work: %w", err)
	}
	if ByURL(w.c.Repo) {
		return w.addSubmodules(ctx, s, repo, m)
	}
	if w.c.Submodules {
		_, err = repo.In(ctx, m.Dir, progress(s), "submodule", "update", "--init", "--recursive", "--progress")
	}
	return err
}

func (w *worktree) link(ctx context.Context, s Scope, repo *git.Repo, m *made, n git.NewWorktree) error {
	if err := repo.AddWorktree(ctx, n); err != nil {
		return err
	}
	if err := repo.Label(m.Dir, s.Environment, string(s.Machine)); err != nil {
		return err
	}
	return repo.Fill(ctx, m.Dir, m.Start, progress(s))
}

// restore makes uncommitted again what was uncommitted when it was saved, and
// notes what the worktree begins with, so that only new work is saved.
func (w *worktree) restore(ctx context.Context, s Scope, repo *git.Repo, m *made) (err error) {
	if m.tree == "" {
		if m.tree, err = repo.Tree(ctx, m.Start); err != nil {
			return err
		}
	}
	m.Saved, m.Home = m.Start+" "+m.tree, true
	if s.Restore.N == 0 || s.Restore.Commit != m.Start {
		return nil
	}
	m.Home = s.Restore.Bundle != ""
	head, err := repo.Loosen(ctx, m.Dir, m.Start)
	if err != nil {
		return err
	}
	m.Saved = head + " " + m.tree
	note(s, "beginning with the work saved as %s", s.Restore.Ref)
	extras, err := repo.Extras(ctx, m.Start, restoreRef(s), true)
	for _, what := range extras {
		note(s, "saved too, and not put back: %s", what)
	}
	return errors.Join(err, repo.Unfold(ctx, m.Dir, m.Start, restoreRef(s)))
}

func progress(s Scope) func(git.Progress) {
	return func(p git.Progress) {
		s.Note(transcript.New(transcript.KindProgress, map[string]any{
			"plug": s.ID, "what": p.What, "done": p.Done, "total": p.Total, "unit": "",
		}))
	}
}

func isFile(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular()
}
