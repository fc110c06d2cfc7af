package git

import (
	"context"
	"strconv"
	"strings"
)

// A Diff is what changed between two commits.
type Diff struct {
	Base   string       `json:"base"`
	Commit string       `json:"commit"`
	Files  []FileChange `json:"files"`
	Patch  string       `json:"patch,omitempty"`
}

// A FileChange is one file of a Diff; Added and Deleted are -1 for a binary one.
type FileChange struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
}

// Diff compares two commits of the repository. No program of its configuration
// takes part.
func (r *Repo) Diff(ctx context.Context, base, commit string, patch bool) (Diff, error) {
	return diff(ctx, base, commit, patch, r.Run)
}

// Diff compares a commit that the shot's repository has with the shot.
func (s *Shot) Diff(ctx context.Context, base string, patch bool) (Diff, error) {
	h := hostile{dir: s.dir}
	return diff(ctx, base, s.Commit, patch, func(ctx context.Context, args ...string) (string, error) {
		return h.feed(ctx, nil, args...)
	})
}

func diff(
	ctx context.Context, base, commit string, patch bool, run func(context.Context, ...string) (string, error),
) (Diff, error) {
	d := Diff{Base: base, Commit: commit, Files: []FileChange{}}
	args := func(how ...string) []string {
		return append(append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"}, how...),
			base, commit, "--")
	}
	out, err := run(ctx, args("--numstat", "-z")...)
	if err != nil {
		return d, err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		f := strings.SplitN(line, "\t", 3)
		if len(f) == 3 {
			d.Files = append(d.Files, FileChange{Path: f[2], Added: count(f[0]), Deleted: count(f[1])})
		}
	}
	if patch {
		d.Patch, err = run(ctx, args("--patch")...)
	}
	return d, err
}

func count(n string) int {
	v, err := strconv.Atoi(n)
	if err != nil {
		return -1
	}
	return v
}

// Fork is where commit left the branch that the repository is on.
func (r *Repo) Fork(ctx context.Context, commit string) (string, error) {
	out, err := r.Run(ctx, "merge-base", "HEAD", commit)
	return strings.TrimSpace(out), err
}

// Fork is where the shot left the branch that the repository is on; where that
// has gone on out of the shot's sight, the last commit of the shot itself.
func (s *Shot) Fork(ctx context.Context, r *Repo) (string, error) {
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	h := hostile{dir: s.dir}
	if fork, err := h.git(ctx, "merge-base", head, s.Commit); err == nil {
		return fork, nil
	}
	return s.Head, ctx.Err()
}
