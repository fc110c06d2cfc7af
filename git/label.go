package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// labelFile in a worktree's administrative directory says whose it is; it goes
// with the worktree.
const labelFile = "blaise"

// Label marks the worktree in dir as made by us for owner, on a machine.
func (r *Repo) Label(dir, owner, machine string) error {
	entry := r.AdminDir(dir)
	if entry == "" {
		return &Error{Verb: "label worktree", Dir: dir, Kind: ErrBroken}
	}
	return os.WriteFile(filepath.Join(entry, labelFile), []byte(owner+"\n"+machine+"\n"), 0o644)
}

// Owner is for whom Label was called, "" if the worktree in dir is not ours.
func (r *Repo) Owner(dir string) string {
	owner, _ := r.LabelOf(dir)
	return owner
}

// LabelOf is what Label wrote for the worktree in dir, "" if it is not ours.
func (r *Repo) LabelOf(dir string) (owner, machine string) {
	entry := r.AdminDir(dir)
	if entry == "" {
		return "", ""
	}
	b, err := readSmall(filepath.Join(entry, labelFile))
	if err != nil {
		return "", ""
	}
	owner, machine, _ = strings.Cut(strings.TrimSpace(string(b)), "\n")
	return owner, machine
}

// Unmerged are the branches below prefix that hold commits which HEAD of the
// repository does not.
func (r *Repo) Unmerged(ctx context.Context, prefix string) (map[string]bool, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname:lstrip=2)", "--no-merged=HEAD", "refs/heads")
	found := map[string]bool{}
	for name := range strings.Lines(out) {
		if name = strings.TrimSpace(name); strings.HasPrefix(name, prefix) {
			found[name] = true
		}
	}
	return found, err
}

// Saves counts the saves of each session below refs/blaise.
func (r *Repo) Saves(ctx context.Context) (map[string]int, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname)", "refs/blaise/*/*")
	saves := map[string]int{}
	for name := range strings.Lines(out) {
		session, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(name), "refs/blaise/"), "/")
		if ok {
			saves[session]++
		}
	}
	return saves, err
}

// SavesOf are the saves of a session that are in the repository, each with the
// commit at which it is, by the name of its ref.
func (r *Repo) SavesOf(ctx context.Context, session string) (map[string]string, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname) %(objectname)", "refs/blaise/"+session+"/*")
	saves := map[string]string{}
	for line := range strings.Lines(out) {
		if name, commit, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			saves[name] = commit
		}
	}
	return saves, err
}
