package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Borrow brings the commit of a bundle (see Shot.Bundle) into the repository as
// ref, with its branches, tags and nested repositories as Keep would have put
// them, every object checked.
func (r *Repo) Borrow(ctx context.Context, bundle, ref string) error {
	stem := strings.TrimSuffix(bundle, ".bundle")
	nested, _ := filepath.Glob(escapeGlob(stem) + ".*.bundle")
	for _, file := range nested {
		hash := strings.TrimSuffix(strings.TrimPrefix(file, stem+"."), ".bundle")
		if err := r.borrow(ctx, file, ref+".d/sub/"+hash); err != nil {
			return err
		}
	}
	return r.borrow(ctx, bundle, ref)
}

func (r *Repo) borrow(ctx context.Context, bundle, ref string) error {
	return r.fetch(ctx, bundle, "+refs/heads/*:"+ref+".d/heads/*", "+refs/tags/*:"+ref+".d/tags/*",
		"+refs/blaise/shot:"+ref)
}

// Extras are what a save holds beside its files, in words: what Unfold does not
// put back (with whole false: nothing is unfolded).
func (r *Repo) Extras(ctx context.Context, commit, ref string, whole bool) ([]string, error) {
	unfolded := map[string]bool{}
	if whole {
		paths, err := r.nestedPaths(ctx, commit)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			unfolded[SubRef(ref, path)] = true
		}
	}
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname)", ref+".d")
	var all []string
	for name := range strings.Lines(out) {
		name = strings.TrimSpace(name)
		switch kind, rest, _ := strings.Cut(strings.TrimPrefix(name, ref+".d/"), "/"); {
		case unfolded[name]:
		case kind == "sub" && !strings.Contains(rest, "/"):
			all = append(all, "a nested repository, or a worktree beside the folder: "+name)
		case kind == "stray", rest == "stray":
			all = append(all, "commits that no branch led to: the parents of "+name)
		default:
			all = append(all, strings.TrimSuffix(kind, "s")+" "+rest+": "+name)
		}
	}
	return all, err
}

func (r *Repo) nestedPaths(ctx context.Context, commit string) (paths []string, err error) {
	out, err := r.Run(ctx, "ls-tree", "-r", "-z", commit)
	for line := range strings.SplitSeq(out, "\x00") {
		if path, nested := strings.CutPrefix(line, "160000 commit "); nested {
			_, path, _ = strings.Cut(path, "\t")
			paths = append(paths, path)
		}
	}
	return paths, err
}

// Loosen makes what a save had committed uncommitted again, in a worktree of no
// agent that was filled with the save. It answers the commit HEAD is at then.
func (r *Repo) Loosen(ctx context.Context, dir, commit string) (head string, err error) {
	head, err = r.committed(ctx, commit)
	if err != nil || head == commit {
		return head, err
	}
	_, err = r.In(ctx, dir, nil, "reset", "--mixed", "--quiet", head)
	return head, err
}

// committed is what the agent had committed of a save: the save itself, or the
// commit below the one that holds what was not.
func (r *Repo) committed(ctx context.Context, save string) (string, error) {
	text, err := r.Run(ctx, "log", "-1", "--format=%P%n%B", save, "--")
	if err != nil {
		return "", err
	}
	parent, body, _ := strings.Cut(text, "\n")
	if !strings.Contains(body, uncommittedMark) || parent == "" || strings.Contains(parent, " ") {
		return save, nil
	}
	return parent, nil
}

// Unfold puts the nested repositories of a save back into a worktree that was
// filled with it.
func (r *Repo) Unfold(ctx context.Context, dir, commit, ref string) error {
	paths, err := r.nestedPaths(ctx, commit)
	if err != nil {
		return err
	}
	for _, path := range paths {
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
	} {
		if _, err := r.In(ctx, to, nil, args...); err != nil {
			return err
		}
	}
	if err := r.begin(ctx, to, "saved", commit, nil); err != nil {
		return err
	}
	_, err = r.Loosen(ctx, to, commit)
	return err
}
