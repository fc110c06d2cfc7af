package plug

import (
	"context"
	"errors"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

// List finds the worktrees with our label, the branches of our name, and the
// sessions of which work is saved.
func (w *worktree) List(ctx context.Context, host Env) ([]blaise.Resource, error) {
	if ByURL(w.c.Repo) || strings.HasPrefix(w.c.Repo, "{input.") {
		return nil, nil // clones of a mirror; Mirrors has the rest
	}
	repo, err := git.Open(ctx, hostPath(host.Place(), w.c.Repo))
	if err != nil {
		return nil, err
	}
	trees, treeErr := w.listTrees(ctx, repo)
	branches, branchErr := w.listBranches(ctx, repo)
	saves, saveErr := listSaves(ctx, repo)
	return append(append(trees, branches...), saves...), errors.Join(treeErr, branchErr, saveErr)
}

func (w *worktree) listTrees(ctx context.Context, repo *git.Repo) (found []blaise.Resource, err error) {
	all, err := repo.Worktrees(ctx)
	for _, t := range all {
		owner, machine := repo.LabelOf(t.Dir)
		if owner == "" {
			continue
		}
		r := worktreeResource(repo, t.Dir)
		r.Environment, r.Machine = blaise.EnvironmentID(owner), blaise.MachineID(machine)
		found = append(found, r)
	}
	return found, err
}

// listBranches finds those that are named after an environment. One with
// commits of its own is the user's from the end of its environment on.
func (w *worktree) listBranches(ctx context.Context, repo *git.Repo) (found []blaise.Resource, err error) {
	before, after, named := cutName(w.c.Branch)
	if !named {
		return nil, nil
	}
	names, err := repo.Branches(ctx, before)
	if err != nil {
		return nil, err
	}
	unmerged, err := repo.Unmerged(ctx, before)
	for _, name := range names {
		env, ours := strings.CutSuffix(strings.TrimPrefix(name, before), after)
		if !ours || !envPattern.MatchString(env) {
			continue
		}
		r := branchResource(repo, name)
		r.Environment = blaise.EnvironmentID(env)
		if session, _, restored := strings.Cut(env, "-restored"); restored {
			r.Kind, r.Environment, r.Kept = ResourceRestored, blaise.EnvironmentID(session), "restored from "+session
		} else if unmerged[name] {
			r.Kept = "it holds commits of its own"
		}
		found = append(found, r)
	}
	return found, err
}

// cutName is what stands before and after the environment in a branch's name.
func cutName(branch string) (before, after string, named bool) {
	for _, p := range []string{"{session}", "{environment}"} {
		if before, after, named = strings.Cut(branch, p); named {
			break
		}
	}
	return before, after, named && !strings.Contains(before+after, "{")
}

func listSaves(ctx context.Context, repo *git.Repo) (found []blaise.Resource, err error) {
	saves, err := repo.Saves(ctx)
	for session, n := range saves {
		found = append(found, blaise.Resource{
			Kind: ResourceSaves, Name: "refs/blaise/" + session, Where: repo.CommonDir,
			Environment: blaise.EnvironmentID(session), Kept: "saved work, " + blaise.Count(n, "time"),
		})
	}
	return found, err
}

// The kinds of what is left of a session on purpose: its saves, and a branch
// that a person had made of one.
const (
	ResourceSaves    = "saved work"
	ResourceRestored = "restored branch"
)
