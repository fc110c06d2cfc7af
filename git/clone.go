package git

import (
	"context"
	"os"
	"strings"
)

// HalfExt is at the end of the name of a clone that is being made, beside where
// it will be.
const HalfExt = ".half"

// Clone makes a repository in dir that shares nothing with this one, on a new
// branch at start. dir appears when it is whole.
func (r *Repo) Clone(ctx context.Context, n NewWorktree, progress func(Progress)) error {
	half := n.Dir + HalfExt
	if err := os.RemoveAll(half); err != nil {
		return err
	}
	_, err := r.run(ctx, command{dir: r.Dir, progress: progress, args: []string{
		"clone", "--no-hardlinks", "--no-checkout", "--progress", "--", r.CommonDir, half,
	}})
	if err != nil {
		return err
	}
	if err := r.settle(ctx, half, n, progress); err != nil {
		return err
	}
	return os.Rename(half, n.Dir)
}

// settle gives a clone what it needs to live alone: the commit to start from
// though no branch holds it, the user's name, and an origin without secrets.
func (r *Repo) settle(
	ctx context.Context, dir string, n NewWorktree, progress func(Progress),
) error {
	if _, err := r.In(ctx, dir, nil, "fetch", "--quiet", "--no-tags", "origin", n.Start); err != nil {
		return err
	}
	if err := r.lendName(ctx, dir); err != nil {
		return err
	}
	url, err := r.Config(ctx, "remote.origin.url")
	if err != nil {
		return err
	}
	if url = withoutSecrets(url); url != "" {
		if _, err := r.In(ctx, dir, nil, "remote", "set-url", "origin", url); err != nil {
			return err
		}
	}
	return r.begin(ctx, dir, n.Branch, n.Start, progress)
}

// begin puts the repository in dir, in which nothing is checked out, on a branch
// at commit, and checks that out. git checkout would do both, but calls it done
// when a file could not be made.
func (r *Repo) begin(ctx context.Context, dir, branch, commit string, progress func(Progress)) error {
	if _, err := r.In(ctx, dir, nil, "symbolic-ref", "HEAD", "refs/heads/"+branch); err != nil {
		return err
	}
	return r.Fill(ctx, dir, commit, progress)
}

// lendName gives the repository in dir the user's name.
func (r *Repo) lendName(ctx context.Context, dir string) error {
	for _, key := range []string{"user.name", "user.email"} {
		value, err := r.Config(ctx, key)
		if err == nil && value != "" {
			_, err = r.In(ctx, dir, nil, "config", key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutSecrets takes the user and password out of an URL.
func withoutSecrets(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 && strings.HasPrefix(scheme, "http") {
		host = host[i+1:]
	}
	return scheme + "://" + host + "/" + path
}
