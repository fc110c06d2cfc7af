package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
			"repository, without touching what is checked out; with --to, as files in a new folder.\n" +
			"Of a repository by URL that branch is in the runner's mirror: take --to, or blaise push.\n" +
			"Work of a runner that was there for one run comes from Blaise, into the clone of its\n" +
			"repository that this is run in or that --repo names.\n" +
			"While a save is under way it waits for it, for up to a minute. --save brings back an older\n" +
			"one, by its number: blaise show lists them.",
		Example: "  blaise restore k3v9\n  blaise restore k3v9 --to ../k3v9\n  blaise restore k3v9 --save 2 --to ../before",
		Args:    exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			s, save, err := o.chosen(ctx, a, c, args[0])
			if err != nil {
				return err
			}
			a.aboutSave(s, save)
			done, err := o.restore(ctx, c, s, save)
			if err != nil {
				return err
			}
			return a.restored(done)
		}),
	})
	c.Flags().StringVar(&o.to, "to", "", "make a worktree with the files in this new folder")
	c.Flags().StringVar(&o.repo, "repo", "", "the repository, if it has moved or is on another machine")
	o.saveFlag(c)
	return c
}

type restoreOptions struct {
	to, repo string
	save     int // 0: the last
}

func (o *restoreOptions) saveFlag(c *cobra.Command) {
	c.Flags().IntVar(&o.save, "save", 0, "the `NUMBER` of the save, as blaise show lists them (default the last)")
}

// chosen is the session, and the save of it that is meant.
func (o restoreOptions) chosen(ctx context.Context, a *app, c *api.Client, given string) (
	s api.Session, save blaise.SavedWork, err error,
) {
	if o.save == 0 {
		if s, err = a.settled(ctx, c, given); err == nil {
			save, err = lastSave(s)
		}
		return s, save, err
	}
	if s, err = found(ctx, c, given); err == nil {
		save, err = saveOf(s, o.save)
	}
	return s, save, err
}

// saveOf is the save with a number.
func saveOf(s api.Session, n int) (blaise.SavedWork, error) {
	var have []string
	for _, w := range s.Saves {
		if w.Commit == "" && w.Ref == "" {
			continue
		}
		if w.N == n {
			return w, nil
		}
		have = append(have, strconv.Itoa(w.N))
	}
	if len(have) == 0 {
		return lastSave(s) // it says what to do
	}
	return blaise.SavedWork{}, blaise.Errorf(blaise.CodeNotFound, "session %s has no save %d", s.ID, n).
		WithHint("it has %s: blaise show %s", strings.Join(have, ", "), s.ID)
}

// A restored says what was brought back.
type restored struct {
	Session blaise.SessionID `json:"session"`
	Ref     string           `json:"ref"`
	Commit  string           `json:"commit"`
	Repo    string           `json:"repo"`
	From    string           `json:"from,omitempty"` // Repo is a runner's mirror of this address
	Branch  string           `json:"branch"`
	Dir     string           `json:"dir,omitempty"`
	Also    []string         `json:"also,omitempty"` // what else was saved, and where it is
}

func (a *app) restored(r restored) error {
	if a.json {
		return printJSON(a.out, r)
	}
	fmt.Fprintf(a.out, "branch %s in %s has the work saved as %s\n", r.Branch, r.Repo, r.Ref)
	switch {
	case r.Dir != "":
		fmt.Fprintf(a.out, "its files are in %s\n", r.Dir)
	case r.From != "":
		fmt.Fprintf(a.out, "that is the runner's mirror of %s, and no place to work in. To have the work, one of:\n"+
			"  blaise restore %s --to DIR      its files in a new folder\n"+
			"  blaise push %s                  as branch blaise/%s of %s\n"+
			"  git fetch %s %s   in a clone of it on this machine\n",
			harmless(r.From), r.Session, r.Session, r.Session, harmless(r.From), quoted(r.Repo), r.Branch)
	}
	for _, what := range r.Also {
		fmt.Fprintf(a.out, "saved too: %s\n", harmless(what))
	}
	return nil
}

func (o restoreOptions) restore(
	ctx context.Context, c *api.Client, s api.Session, save blaise.SavedWork,
) (restored, error) {
	r, err := o.source(ctx, save)
	if err != nil {
		return restored{}, err
	}
	done := restored{
		Session: s.ID, Ref: save.Ref, Repo: r.Dir, Branch: "blaise/" + string(s.ID) + "-restored",
		From: git.MirroredFrom(r.CommonDir),
	}
	if done.Commit, err = bring(ctx, c, r, s.ID, save); err != nil {
		return done, err
	}
	if done.Also, err = r.Extras(ctx, done.Commit, savedRef(s.ID, save), o.to != ""); err != nil {
		return done, err
	}
	if o.to == "" {
		return done, putBranch(ctx, r, s.Saves, done)
	}
	if done.Dir, err = filepath.Abs(o.to); err != nil {
		return done, err
	}
	if entries, err := os.ReadDir(done.Dir); err == nil && len(entries) > 0 {
		return done, blaise.Errorf(blaise.CodeRefused, "%s is there already and not empty", done.Dir).
			WithHint("name a new folder")
	}
	if done.Branch, err = freeBranch(ctx, r, s.Saves, done); err != nil {
		return done, err
	}
	return done, fill(ctx, r, done, savedRef(s.ID, save))
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
			WithHint("%s", blaise.UnsavedHint(s.ID, s.State == blaise.SessionEnded, s.Environment.State))
	}
	return last, nil
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
				WithHint("take another folder with --to; the work is in %s as well: git -C %s log %s",
					done.Ref, r.Dir, done.Ref)
		}
	}
	old, err := r.Branch(ctx, done.Branch)
	if err != nil {
		return err
	}
	if old != "" && !saved(ctx, r, saves, old) {
		return blaise.Errorf(blaise.CodeRefused, "branch %s has commits that no save has", done.Branch).
			WithHint("rename it: git -C %s branch -m %s OTHER, or take a folder with --to", r.Dir, done.Branch)
	}
	_, err = r.Run(ctx, "branch", "--force", "--no-track", done.Branch, done.Commit)
	return err
}

// freeBranch is the first of ID-restored, ID-restored-2 and so on that can have
// the work of a folder of its own; it is made.
func freeBranch(ctx context.Context, r *git.Repo, saves []blaise.SavedWork, done restored) (string, error) {
	first := done.Branch
	for n := 2; ; n++ {
		err := putBranch(ctx, r, saves, done)
		if blaise.CodeOf(err) != blaise.CodeRefused || n > maxBranches {
			return done.Branch, err
		}
		done.Branch = fmt.Sprintf("%s-%d", first, n)
	}
}

// maxBranches is how many branches of one session freeBranch looks at.
const maxBranches = 100

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
func fill(ctx context.Context, r *git.Repo, done restored, ref string) error {
	if _, err := r.Run(ctx, "worktree", "add", "--quiet", done.Dir, done.Branch); err != nil {
		return err
	}
	return r.Unfold(ctx, done.Dir, done.Commit, ref)
}
