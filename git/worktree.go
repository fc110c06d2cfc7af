package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Worktree is an entry of a repository's list of worktrees.
type Worktree struct {
	Dir      string
	Branch   string // "" if detached
	Prunable bool   // its directory is gone
}

// Worktrees lists the worktrees, the main one first.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.Run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var all []Worktree
	for field := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(field, " ")
		if key == "worktree" {
			all = append(all, Worktree{Dir: value})
			continue
		}
		if len(all) == 0 {
			continue
		}
		w := &all[len(all)-1]
		switch key {
		case "branch":
			w.Branch = strings.TrimPrefix(value, "refs/heads/")
		case "prunable":
			w.Prunable = true
		}
	}
	return all, nil
}

// findWorktree is the entry for dir, nil if there is none. Links in dir are
// resolved, as git does.
func (r *Repo) findWorktree(ctx context.Context, dir string) (*Worktree, error) {
	all, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	dir = realPath(dir)
	for i := range all {
		if realPath(all[i].Dir) == dir {
			return &all[i], nil
		}
	}
	return nil, nil
}

// SamePath reports whether two paths lead to one place, or would if it were
// there, whatever links are on the way.
func SamePath(a, b string) bool {
	if at, err := os.Stat(a); err == nil {
		to, err := os.Stat(b)
		return err == nil && os.SameFile(at, to)
	}
	return realPath(a) == realPath(b)
}

// realPath resolves links as far as the path exists.
func realPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	dir := filepath.Dir(p)
	if dir == p {
		return p
	}
	return filepath.Join(realPath(dir), filepath.Base(p))
}

// A NewWorktree says which worktree to make.
type NewWorktree struct {
	Dir    string
	Branch string
	Start  string // a commit; with Move the branch is set to it, or made
	Move   bool   // false: check the existing branch out where it stands
}

// AddWorktree makes a linked worktree with an empty directory: 9 ms under the
// lock, while checking out takes as long as there are files. Fill comes after.
// ErrCheckedOut with Where is in the chain if another worktree has the branch.
func (r *Repo) AddWorktree(ctx context.Context, n NewWorktree) error {
	args := []string{"worktree", "add", "--no-checkout"}
	if n.Move {
		args = append(args, "-B", n.Branch, "--", n.Dir, n.Start)
	} else {
		args = append(args, "--", n.Dir, n.Branch)
	}
	return r.Locked(ctx, func(ctx context.Context) error {
		_, err := r.Run(ctx, args...)
		return err
	})
}

// Fill checks out what the worktree in dir is to hold, over whatever is there.
// It is for worktrees in which no agent has worked yet.
func (r *Repo) Fill(ctx context.Context, dir, commit string, progress func(Progress)) error {
	_, err := r.run(ctx, command{dir: dir, progress: progress,
		args: []string{"reset", "--hard", "--no-recurse-submodules", commit}})
	return r.believed(ctx, commit, err)
}

// In runs git in a worktree of the repository that no agent has worked in.
func (r *Repo) In(
	ctx context.Context, dir string, progress func(Progress), args ...string,
) (string, error) {
	return r.run(ctx, command{dir: dir, args: args, progress: progress})
}

// ForgetWorktree removes the entry for dir, whose directory is gone, and looks
// whether it did: locked or half-made entries too, and no one else's. Where it
// cannot name the entry it prunes all that are dead, as git would.
func (r *Repo) ForgetWorktree(ctx context.Context, dir string) error {
	return r.Locked(ctx, func(ctx context.Context) error {
		if err := r.dropEntry(ctx, dir); err != nil {
			return err
		}
		w, err := r.findWorktree(ctx, dir)
		if err != nil || w == nil {
			return err
		}
		return &Error{Verb: "forget worktree", Dir: dir, Kind: ErrBroken,
			Hint: "git worktree list still shows it: remove it by hand in " + r.CommonDir}
	})
}

// dropEntry removes the administrative directory itself: git refuses to in too
// many half-made states (a missing HEAD, a lock of a killed add).
func (r *Repo) dropEntry(ctx context.Context, dir string) error {
	entry := r.AdminDir(dir)
	if entry == "" {
		return nil
	}
	if _, err := os.Lstat(dir); err == nil {
		return &Error{Verb: "forget worktree", Dir: dir, Kind: ErrBroken,
			Hint: "its directory is still there"}
	}
	_, err := r.Run(ctx, "worktree", "remove", "--force", "--force", "--", dir)
	if _, statErr := os.Stat(entry); errors.Is(statErr, os.ErrNotExist) {
		return nil
	}
	if rmErr := os.RemoveAll(entry); rmErr != nil {
		return errors.Join(err, rmErr)
	}
	_ = os.Remove(filepath.Dir(entry)) // if it was the last
	return nil
}

// AdminDir is the repository's own directory for the worktree in dir, "" if
// there is none. It is found without git, which does not list half-made ones.
func (r *Repo) AdminDir(dir string) string {
	want := filepath.Join(realPath(dir), ".git")
	entries, _ := filepath.Glob(filepath.Join(escapeGlob(r.CommonDir), "worktrees", "*", "gitdir"))
	for _, e := range entries {
		b, err := readSmall(e)
		if err != nil {
			continue
		}
		link := strings.TrimSpace(string(b))
		if filepath.Join(realPath(filepath.Dir(link)), ".git") == want {
			return filepath.Dir(e)
		}
	}
	return ""
}

// LinkedBelow answers the directories of the linked worktrees below dir, dir
// not among them. It too goes without git.
func (r *Repo) LinkedBelow(dir string) []string {
	dir = realPath(dir)
	var found []string
	entries, _ := filepath.Glob(filepath.Join(escapeGlob(r.CommonDir), "worktrees", "*", "gitdir"))
	for _, e := range entries {
		b, err := readSmall(e)
		tree := realPath(filepath.Dir(strings.TrimSpace(string(b))))
		if err == nil && tree != dir && under(dir, tree) {
			found = append(found, tree)
		}
	}
	return found
}

// MendHead puts HEAD of the worktree in dir, which makes no sense, to a commit:
// one that names nothing is in the way of every fetch of the repository.
func (r *Repo) MendHead(dir, commit string) error {
	entry := r.AdminDir(dir)
	if entry == "" {
		return nil
	}
	head := filepath.Join(entry, "HEAD")
	if err := os.RemoveAll(head); err != nil {
		return err
	}
	return os.WriteFile(head, []byte(commit+"\n"), 0o644)
}

// MadeSince reports whether a branch was made after t, to the second and by
// its log. It is false where there is none.
func (r *Repo) MadeSince(branch string, t time.Time) bool {
	b, err := readSmall(filepath.Join(r.CommonDir, "logs", "refs", "heads", branch))
	line, _, _ := strings.Cut(string(b), "\n")
	who, _, _ := strings.Cut(line, "\t")
	f := strings.Fields(who)
	if err != nil || len(f) < 4 || strings.Trim(f[0], "0") != "" {
		return false
	}
	at, err := strconv.ParseInt(f[len(f)-2], 10, 64)
	return err == nil && !t.IsZero() && at > t.Unix()
}

func escapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// DeleteBranch deletes a branch that still stands at commit and is checked out
// nowhere. Somebody who moved it in between keeps it.
func (r *Repo) DeleteBranch(ctx context.Context, branch, commit string) error {
	return r.Locked(ctx, func(ctx context.Context) error {
		all, err := r.Worktrees(ctx)
		if err != nil {
			return err
		}
		for _, w := range all {
			if w.Branch == branch {
				e := &Error{Verb: "delete branch " + branch, Dir: r.Dir, Kind: ErrCheckedOut, Where: w.Dir}
				e.Hint = "it is checked out in " + w.Dir
				return e
			}
		}
		_, err = r.Run(ctx, "update-ref", "-d", "refs/heads/"+branch, commit)
		return err
	})
}
