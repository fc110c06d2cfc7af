package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Borrow brings the commit of a bundle (see Shot.Bundle) into the repository as
// ref, every object checked.
func (r *Repo) Borrow(ctx context.Context, bundle, ref string) error {
	return r.fetch(ctx, bundle, "+refs/blaise/shot:"+ref)
}

// Loosen makes what a save had committed uncommitted again, in a worktree of no
// agent that was filled with the save. It answers the commit HEAD is at then.
func (r *Repo) Loosen(ctx context.Context, dir, commit string) (head string, err error) {
	text, err := r.Run(ctx, "log", "-1", "--format=%P%n%B", commit)
	if err != nil {
		return "", err
	}
	parent, body, _ := strings.Cut(text, "\n")
	if !strings.Contains(body, uncommittedMark) || parent == "" || strings.Contains(parent, " ") {
		return commit, nil
	}
	_, err = r.In(ctx, dir, nil, "reset", "--mixed", "--quiet", parent)
	return parent, err
}

// Unfold puts the nested repositories of a save back into a worktree that was
// filled with it.
func (r *Repo) Unfold(ctx context.Context, dir, commit, ref string) error {
	out, err := r.Run(ctx, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		path, nested := strings.CutPrefix(line, "160000 commit ")
		if !nested {
			continue
		}
		_, path, _ = strings.Cut(path, "\t")
		if err := r.unfold(ctx, dir, ref, path); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) unfold(ctx context.Context, dir, ref, path string) error {
	sub := SubRef(ref, path)
	commit, err := r.Ref(ctx, sub)
	if err != nil || commit == "" {
		return err
	}
	to := filepath.Join(dir, path)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"fetch", "--quiet", "--no-tags", r.CommonDir, sub},
		{"checkout", "--quiet", "-B", "saved", commit},
	} {
		if _, err := r.In(ctx, to, nil, args...); err != nil {
			return err
		}
	}
	_, err = r.Loosen(ctx, to, commit)
	return err
}
