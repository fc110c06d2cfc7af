package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/git"

	"github.com/spf13/cobra"
)

func restoreCommand(a *app) *cobra.Command {
	var o restoreOptions
	c := a.jsonFlag(&cobra.Command{
		Use: "restore ID", Short: "Bring back the work that was saved of a session",
		Long: "Brings back the last save of a session's work: as the branch blaise/ID-restored of the\n" +
			"repository, without touching what is checked out; with --to, as files in a new folder.",
		Example: "  blaise restore k3v9\n  blaise restore k3v9 --to ../k3v9", Args: cobra.ExactArgs(1),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			s, err := c.Session(ctx, id)
			if err != nil {
				return err
			}
			done, err := o.restore(ctx, s)
			if err != nil {
				return err
			}
			return a.restored(done)
		}),
	})
	c.Flags().StringVar(&o.to, "to", "", "make a worktree with the files in this new folder")
	c.Flags().StringVar(&o.repo, "repo", "", "the repository, if it has moved")
	return c
}

type restoreOptions struct{ to, repo string }

// A restored says what was brought back.
type restored struct {
	Session blaise.SessionID `json:"session"`
	Ref     string           `json:"ref"`
	Commit  string           `json:"commit"`
	Repo    string           `json:"repo"`
	Branch  string           `json:"branch"`
	Dir     string           `json:"dir,omitempty"`
}

func (a *app) restored(r restored) error {
	if a.json {
		return printJSON(a.out, r)
	}
	fmt.Fprintf(a.out, "branch %s in %s has the work saved as %s\n", r.Branch, r.Repo, r.Ref)
	if r.Dir != "" {
		fmt.Fprintf(a.out, "its files are in %s\n", r.Dir)
	}
	return nil
}

func (o restoreOptions) restore(ctx context.Context, s api.Session) (restored, error) {
	save, err := lastSave(s)
	if err != nil {
		return restored{}, err
	}
	r, err := openSource(ctx, or(o.repo, save.Repo))
	if err != nil {
		return restored{}, err
	}
	done := restored{
		Session: s.ID, Ref: save.Ref, Repo: r.Dir, Branch: "blaise/" + string(s.ID) + "-restored",
	}
	if done.Commit, err = bring(ctx, r, s.ID, save); err != nil {
		return done, err
	}
	if err := putBranch(ctx, r, s.Saves, done); err != nil {
		return done, err
	}
	if o.to == "" {
		return done, nil
	}
	if done.Dir, err = filepath.Abs(o.to); err != nil {
		return done, err
	}
	return done, fill(ctx, r, done)
}

// lastSave is the newest save that has a commit.
func lastSave(s api.Session) (blaise.SavedWork, error) {
	var last blaise.SavedWork
	for _, w := range s.Saves {
		if w.N > last.N && (w.Commit != "" || w.Ref != "") {
			last = w
		}
	}
	if last.N == 0 {
		return last, blaise.Errorf(blaise.CodeNotFound, "session %s has no saved work", s.ID).
			WithHint("work is saved at every pause and end; if it runs now: blaise pause %s", s.ID)
	}
	return last, nil
}

func openSource(ctx context.Context, dir string) (*git.Repo, error) {
	r, err := git.Open(ctx, dir)
	if err == nil {
		return r, nil
	}
	if _, statErr := os.Stat(dir); statErr != nil || errors.Is(err, git.ErrNotRepository) {
		return nil, blaise.Errorf(blaise.CodeNotFound, "the repository %s is not here", dir).
			WithHint("run this on the machine where it is, or name its new place with --repo")
	}
	return nil, err
}

// bring finds the commit of a save in the repository; a save that is a bundle
// is brought into it first.
func bring(ctx context.Context, r *git.Repo, id blaise.SessionID, save blaise.SavedWork) (string, error) {
	ref := save.Ref
	if !strings.HasPrefix(ref, "refs/") {
		ref = fmt.Sprintf("refs/blaise/%s/%d", id, save.N)
		if err := r.Borrow(ctx, save.Ref, ref); err != nil {
			return "", err
		}
	}
	commit, err := r.Ref(ctx, ref)
	if err != nil {
		return "", err
	}
	if commit == "" {
		return "", blaise.Errorf(blaise.CodeNotFound, "%s is not in repository %s", save.Ref, r.Dir).
			WithHint("if the repository has moved, name its new place with --repo")
	}
	return commit, nil
}

// putBranch makes the branch, or moves it where it is checked out nowhere.
func putBranch(ctx context.Context, r *git.Repo, saves []blaise.SavedWork, done restored) error {
	trees, err := r.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if t.Branch == done.Branch || t.Branch == "refs/heads/"+done.Branch {
			return blaise.Errorf(blaise.CodeRefused, "branch %s is checked out in %s", done.Branch, t.Dir).
				WithHint("the work is in %s as well: git -C %s log %s", done.Ref, r.Dir, done.Ref)
		}
	}
	old, err := r.Branch(ctx, done.Branch)
	if err != nil {
		return err
	}
	if old != "" && !saved(ctx, r, saves, old) {
		return blaise.Errorf(blaise.CodeRefused, "branch %s has commits that no save has", done.Branch).
			WithHint("rename or delete it: git -C %s branch -m %s OTHER", r.Dir, done.Branch)
	}
	_, err = r.Run(ctx, "branch", "--force", "--no-track", done.Branch, done.Commit)
	return err
}

// saved says whether some save holds a commit: a save need not hold the ones
// before it.
func saved(ctx context.Context, r *git.Repo, saves []blaise.SavedWork, commit string) bool {
	for _, w := range saves {
		if w.Commit == commit {
			return true
		}
		if has, err := r.Contains(ctx, w.Commit, commit); err == nil && has {
			return true
		}
	}
	return false
}

// fill makes a worktree of the branch.
func fill(ctx context.Context, r *git.Repo, done restored) error {
	if entries, err := os.ReadDir(done.Dir); err == nil && len(entries) > 0 {
		return blaise.Errorf(blaise.CodeRefused, "%s is there already and not empty", done.Dir).
			WithHint("name a new folder; the branch %s has the work", done.Branch)
	}
	if _, err := r.Run(ctx, "worktree", "add", "--quiet", done.Dir, done.Branch); err != nil {
		return err
	}
	return r.Unfold(ctx, done.Dir, done.Commit, done.Ref)
}
