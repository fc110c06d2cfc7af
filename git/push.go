package git

import (
	"context"
	"strings"
)

// Push puts a commit on a branch of a remote, if that goes forward. The user's
// own credentials are used, and no hook runs.
func (r *Repo) Push(ctx context.Context, remote, commit, branch string) error {
	_, err := r.Run(ctx, "push", "--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--",
		remote, commit+":refs/heads/"+branch)
	return err
}

// Remotes are the names of the remotes.
func (r *Repo) Remotes(ctx context.Context) ([]string, error) {
	out, err := r.Run(ctx, "remote")
	return strings.Fields(out), err
}

// FarTip is the commit that a branch of a remote stands at, which the repository
// has from then on; "" if the remote has no such branch.
func (r *Repo) FarTip(ctx context.Context, remote, branch string) (string, error) {
	name := "refs/heads/" + branch
	out, err := r.Run(ctx, "ls-remote", "--", remote, name)
	for line := range strings.Lines(out) {
		if id, found, _ := strings.Cut(strings.TrimSpace(line), "\t"); found == name {
			return id, r.fetch(ctx, remote, name)
		}
	}
	return "", err
}

// Onward answers a commit that leads from tip to a save: the files of the save
// on top of tip, with the history of the save where tip has not got it. It is
// tip itself if that has all of it.
func (r *Repo) Onward(ctx context.Context, tip, save, message string) (string, error) {
	tree, err := r.Tree(ctx, save)
	if err != nil {
		return "", err
	}
	stands, err := r.Tree(ctx, tip)
	if err != nil {
		return "", err
	}
	head, err := r.committed(ctx, save)
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree, "-m", message, "-p", tip}
	switch has, err := r.Contains(ctx, tip, head); {
	case err != nil:
		return "", err
	case !has:
		args = append(args, "-p", save)
	case stands == tree:
		return tip, nil
	}
	out, err := r.run(ctx, command{dir: r.Dir, args: args, more: blaiseName})
	return strings.TrimSpace(out), err
}
