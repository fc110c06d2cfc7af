package plug

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blaise.dev/blaise/git"
)

// A submodule is one that a worktree of a repository by URL begins with.
type submodule struct {
	git.Submodule
	parent string // the path of the repository that has it, "" for the worktree itself
	mirror string
}

func (m submodule) path() string { return filepath.Join(m.parent, m.Path) }

// most submodules of one worktree, all levels together.
const maxSubmodules = 200

// submodules fetches the mirrors of all submodules of a commit, theirs included.
// The commit is that of base: what an agent has committed names no address that
// the runner goes to with its credentials. Each must be one that runner.repos
// allows, as if a session had asked for it.
func (w *worktree) submodules(ctx context.Context, s Scope, repo *git.Repo, base string) ([]submodule, error) {
	if !w.c.Submodules || !ByURL(w.c.Repo) {
		return nil, nil
	}
	u, err := git.ParseURL(w.c.Repo)
	if err != nil {
		return nil, err
	}
	var all []submodule
	err = w.gather(ctx, s, repo, submodule{Submodule: git.Submodule{Commit: base, URL: u}}, &all)
	return all, err
}

// gather adds the submodules of one, each before its own.
func (w *worktree) gather(ctx context.Context, s Scope, repo *git.Repo, of submodule, all *[]submodule) error {
	some, err := repo.Submodules(ctx, of.Commit, of.URL)
	if err != nil {
		return fmt.Errorf("%w: submodules of %s: %w", ErrRefused, of.URL, err)
	}
	for _, one := range some {
		m := submodule{Submodule: one, parent: of.path(), mirror: filepath.Join(s.Mirrors, one.URL.Name())}
		if *all = append(*all, m); len(*all) > maxSubmodules {
			return fmt.Errorf("%w: %s has more than %d submodules", ErrRefused, w.c.Repo, maxSubmodules)
		}
		at, err := w.fetchSubmodule(ctx, s, m)
		if err != nil {
			return err
		}
		if err := w.gather(ctx, s, at, m, all); err != nil {
			return err
		}
	}
	return nil
}

func (w *worktree) fetchSubmodule(ctx context.Context, s Scope, m submodule) (*git.Repo, error) {
	if err := mirrorOf(ctx, s, m.URL, m.mirror); err != nil {
		return nil, fmt.Errorf("submodule %q: %w", m.path(), err)
	}
	at, err := git.Open(ctx, m.mirror)
	if err != nil {
		return nil, err
	}
	if _, err := at.Resolve(ctx, m.Commit); err != nil {
		return nil, fmt.Errorf("%w: submodule %q: no branch or tag of %s leads to its commit %s: push it there, then: blaise retry %s",
			ErrRefused, m.path(), m.URL, m.Commit, s.Session)
	}
	return at, nil
}

// addSubmodules checks them out. What saved work has put back already is left as
// it is, and one that does not fit to saved work is told and stays empty.
func (w *worktree) addSubmodules(ctx context.Context, s Scope, repo *git.Repo, m *made) error {
	var left []string // paths whose submodules are not looked at
	for _, sub := range m.subs {
		dir := filepath.Join(m.Dir, sub.parent)
		around := func(path string) bool { return strings.HasPrefix(sub.path(), path+"/") }
		if slices.ContainsFunc(left, around) || !missing(filepath.Join(dir, sub.Path, ".git")) {
			left = append(left, sub.path())
			continue
		}
		err := repo.AddSubmodule(ctx, dir, sub.Submodule, sub.mirror, progress(s))
		if err == nil {
			continue
		}
		if m.Start == m.base || ctx.Err() != nil {
			return fmt.Errorf("submodule %q: %w", sub.path(), err)
		}
		note(s, "submodule %s is not checked out, it does not fit to the saved work: %v", sub.path(), err)
		left = append(left, sub.path())
	}
	return nil
}
