package plug

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"blaise.dev/blaise/git"
)

// linkedNear are the linked worktrees that the agent made in its own or beside
// it, in our directory: both go when the environment goes.
func linkedNear(repo *git.Repo, ours, dir string) []string {
	all := slices.Concat(repo.LinkedBelow(ours), repo.LinkedBelow(dir))
	slices.Sort(all)
	own := repo.AdminDir(dir)
	return slices.DeleteFunc(slices.Compact(all), func(d string) bool {
		return repo.AdminDir(d) == own
	})
}

// forgetNested removes the entries of the worktrees that went with the
// worktree, and their branches if they were made since and base holds them.
func (w *worktree) forgetNested(ctx context.Context, s Scope, repo *git.Repo, m *made) error {
	dirs := linkedNear(repo, s.Dir, m.Dir)
	if len(dirs) == 0 {
		return nil
	}
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	branches := map[string]string{}
	for _, t := range all {
		branches[t.Dir] = t.Branch
	}
	for _, dir := range dirs {
		if err := removeAll(dir); err != nil { // beside: it is saved
			return err
		}
		if err := repo.ForgetWorktree(ctx, dir); err != nil {
			return err
		}
		branch := branches[dir]
		switch {
		case branch == "" || branch == m.Branch:
		case !repo.MadeSince(branch, m.At):
			note(s, "branch %s stays in %s: it may be older than this environment", branch, repo.Dir)
		default:
			if err := w.dropBranch(ctx, s, repo, m, branch); err != nil {
				return err
			}
		}
	}
	return nil
}

// ours reports whether a name in Scope.Dir is the plug's: an agent without a
// sandbox may have put others beside its worktree.
func ours(name, worktree string) bool {
	base := filepath.Base(worktree)
	return name == base || name == base+git.HalfExt || strings.HasPrefix(name, madeFile) ||
		strings.HasPrefix(name, ".trash-") ||
		strings.HasPrefix(name, "shot-") && strings.HasSuffix(name, ".git")
}
