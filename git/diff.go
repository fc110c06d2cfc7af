package git

import (
	"context"
	"math"
	"strconv"
	"strings"
)

// A Diff is what changed between two commits.
type Diff struct {
	Base   string       `json:"base"`
	Commit string       `json:"commit"`
	Files  []FileChange `json:"files"`
	Patch  string       `json:"patch,omitempty"`
	Cut    bool         `json:"cut,omitempty"` // there is more of the patch, or of the files
}

// A FileChange is one file of a Diff; Added and Deleted are -1 for a binary one.
type FileChange struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
}

// DiffAll is for a diff of any length.
const DiffAll = math.MaxInt64

// Diff compares two commits of the repository. No program of its configuration
// takes part. Of the patch, and of the list of files, there are at most so many
// bytes, in whole lines; 0 is for no patch, and all of the list.
func (r *Repo) Diff(ctx context.Context, base, commit string, most int64) (Diff, error) {
	return diff(ctx, base, commit, most, func(ctx context.Context, c command) (string, error) {
		c.dir = r.Dir
		return r.run(ctx, c)
	})
}

// Diff compares a commit that the shot's repository has with the shot, as
// [Repo.Diff] does.
func (s *Shot) Diff(ctx context.Context, base string, most int64) (Diff, error) {
	h := hostile{dir: s.dir}
	return diff(ctx, base, s.Commit, most, func(ctx context.Context, c command) (string, error) {
		safe := h.command(c.args...)
		safe.most, safe.cut = c.most, c.cut
		return safe.run(ctx)
	})
}

func diff(
	ctx context.Context, base, commit string, most int64, run func(context.Context, command) (string, error),
) (Diff, error) {
	d := Diff{Base: base, Commit: commit, Files: []FileChange{}}
	compare := func(lineEnd byte, how ...string) (string, error) {
		cut := false
		args := append([]string{
			"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames",
			"--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
		}, how...)
		out, err := run(ctx, command{args: append(args, base, commit, "--"), most: most, cut: &cut})
		if cut {
			d.Cut, out = true, out[:strings.LastIndexByte(out, lineEnd)+1]
		}
		return out, err
	}
	out, err := compare(0, "--numstat", "-z")
	if err != nil {
		return d, err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		f := strings.SplitN(line, "\t", 3)
		if len(f) == 3 {
			d.Files = append(d.Files, FileChange{Path: f[2], Added: count(f[0]), Deleted: count(f[1])})
		}
	}
	if most > 0 {
		d.Patch, err = compare('\n', "--patch")
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
