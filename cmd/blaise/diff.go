package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/git"
	"blaise.dev/blaise/internal/tty"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/transcript"

	"github.com/spf13/cobra"
)

// A sessionDiff is what a session changed.
type sessionDiff struct {
	Session blaise.SessionID `json:"session"`
	From    string           `json:"from"`              // the worktree as it is, or the ref of the save
	Run     blaise.RunID     `json:"run,omitempty"`     // that told Blaise, where the files are elsewhere
	Without string           `json:"without,omitempty"` // where the last save is, if the worktree has it not
	AsOf    *time.Time       `json:"as_of,omitempty"`   // when it came here, where the agent works elsewhere
	git.Diff
}

func diffCommand(a *app) *cobra.Command {
	var o restoreOptions
	var stat bool
	c := a.jsonFlag(&cobra.Command{
		Use: "diff ID", Short: "Show what a session changed",
		Long: "Shows what a session changed since it began: of its worktree as it is now, where that is on\n" +
			"this machine; of another machine as the run that is there tells, the first MB of it; else of\n" +
			"the work that was saved last, or with --save of an older save. What the agent has not committed\n" +
			"counts. Where it works in a volume or a remote sandbox, that is fetched while a run has it.",
		Example: "  blaise diff k3v9\n  blaise diff k3v9 --stat\n  blaise diff k3v9 --save 2", Args: exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			d, err := o.changes(ctx, a, c, args[0], !stat)
			if err != nil {
				return err
			}
			return a.printDiff(d, stat)
		}),
	})
	c.Flags().BoolVar(&stat, "stat", false, "only name the files")
	c.Flags().StringVar(&o.repo, "repo", "", "the repository, if it has moved")
	o.saveFlag(c)
	return c
}

// changes are those up to now, or to the save that is named.
func (o restoreOptions) changes(
	ctx context.Context, a *app, c *api.Client, given string, patch bool,
) (sessionDiff, error) {
	if o.save != 0 {
		s, save, err := o.chosen(ctx, a, c, given)
		if err != nil {
			return sessionDiff{}, err
		}
		return o.savedDiff(ctx, c, s, save, patch)
	}
	s, err := found(ctx, c, given)
	if err != nil {
		return sessionDiff{}, err
	}
	return o.diff(ctx, c, s, patch)
}

func (o restoreOptions) diff(ctx context.Context, c *api.Client, s api.Session, patch bool) (sessionDiff, error) {
	tree, here := worktreeHere(s)
	if here && !worksElsewhere(s) {
		return liveDiff(ctx, s, tree, patch)
	}
	if s.Environment.State == blaise.EnvOpen && o.repo == "" {
		if d, err := toldDiff(ctx, c, s.ID); err == nil {
			return d, nil
		}
	}
	if here {
		return broughtDiff(ctx, s, tree, patch)
	}
	save, err := lastSave(s)
	if err != nil {
		return sessionDiff{}, err
	}
	d, err := o.savedDiff(ctx, c, s, save, patch)
	if blaise.CodeOf(err) == blaise.CodeNotFound && o.repo == "" {
		if told, toldErr := toldDiff(ctx, c, s.ID); toldErr == nil {
			return told, nil
		}
	}
	return d, err
}

// toldPatience is how long a run elsewhere may take to look.
const toldPatience = 20 * time.Second

// toldDiff is what a run on another machine tells of its changes.
func toldDiff(ctx context.Context, c *api.Client, id blaise.SessionID) (sessionDiff, error) {
	told, err := c.Diff(ctx, id, toldPatience)
	if err == nil && told.Error != "" {
		err = blaise.Errorf(blaise.CodeRefused, "run %s could not look: %s", told.Run, told.Error)
	}
	d := sessionDiff{Session: id, Run: told.Run, From: told.From}
	d.Patch, d.Cut, d.Files = told.Patch, told.Cut, []git.FileChange{}
	for _, f := range told.Files {
		d.Files = append(d.Files, git.FileChange(f))
	}
	return d, err
}

func (o restoreOptions) savedDiff(
	ctx context.Context, c *api.Client, s api.Session, save blaise.SavedWork, patch bool,
) (sessionDiff, error) {
	r, err := o.source(ctx, save)
	if err != nil {
		return sessionDiff{}, err
	}
	d := sessionDiff{Session: s.ID, From: save.Ref}
	commit, err := bring(ctx, c, r, s.ID, save)
	if err != nil {
		return d, err
	}
	base, err := r.Resolve(ctx, save.Base)
	if err != nil {
		if base, err = r.Fork(ctx, commit); err != nil {
			return d, err
		}
	}
	d.Diff, err = r.Diff(ctx, base, commit, most(patch))
	return d, err
}

// most is how long a patch may be, 0 if none is wanted.
func most(patch bool) int64 {
	if patch {
		return git.DiffAll
	}
	return 0
}

// worktreeHere is the session's worktree, if it is on this machine.
func worktreeHere(s api.Session) (blaise.Resource, bool) {
	for _, p := range s.Environment.Plugs {
		for _, r := range p.Resources {
			st, err := os.Lstat(r.Name)
			if r.Kind == blaise.ResourceWorktree && !r.Gone && err == nil && st.IsDir() {
				return r, true
			}
		}
	}
	return blaise.Resource{}, false
}

// worksElsewhere says that the agent works in a copy of the worktree, in a volume
// or a remote sandbox.
func worksElsewhere(s api.Session) bool {
	for _, p := range s.Environment.Plugs {
		for _, r := range p.Resources {
			if !r.Gone && (r.Kind == plug.ResourceRemote || r.Kind == blaise.ResourceVolume && plug.HoldsCheckout(r.Name)) {
				return true
			}
		}
	}
	return false
}

// broughtDiff is of a worktree into which the agent's copy came home last.
// Nobody else writes there: its time is when that was.
func broughtDiff(ctx context.Context, s api.Session, tree blaise.Resource, patch bool) (sessionDiff, error) {
	d, err := liveDiff(ctx, s, tree, patch)
	st, statErr := os.Stat(tree.Name)
	if statErr == nil && s.Environment.State != blaise.EnvPaused { // a pause brings all of it home
		at := st.ModTime().UTC()
		d.AsOf = &at
	}
	return d, err
}

// liveDiff looks at the worktree without touching it: an agent may work in it.
func liveDiff(ctx context.Context, s api.Session, tree blaise.Resource, patch bool) (sessionDiff, error) {
	d := sessionDiff{Session: s.ID, From: tree.Name}
	r, err := git.Open(ctx, strings.TrimSuffix(tree.Where, "/.git"))
	if err != nil {
		return d, err
	}
	scratch, err := os.MkdirTemp("", "blaise-diff-")
	if err != nil {
		return d, err
	}
	defer os.RemoveAll(scratch)
	take := git.Snapshot{Tree: tree.Name, Home: r.CommonDir, Scratch: scratch, Message: "as it is"}
	if admin := r.AdminDir(tree.Name); admin != "" {
		take.GitDir, take.Common, take.Roots = admin, r.CommonDir, []string{admin}
	}
	shot, err := take.Take(ctx)
	if err != nil {
		return d, err
	}
	base := ""
	if save, err := lastSave(s); err == nil {
		base, _ = r.Resolve(ctx, save.Base)
		if _, err := r.Resolve(ctx, save.Commit); err != nil {
			d.Without = placeOf(save)
		}
	}
	if base == "" {
		base, err = shot.Fork(ctx, r)
	}
	if err == nil {
		d.Diff, err = shot.Diff(ctx, base, most(patch))
	}
	if closeErr := shot.Close(); err == nil {
		err = closeErr
	}
	return d, err
}

// painted is a patch in colours, where there are any: what it says stays as it is.
func painted(look tty.Look, patch string) string {
	if !look.Colour {
		return patch
	}
	var b strings.Builder
	inHunk := false
	for line := range strings.Lines(patch) {
		text, end := strings.CutSuffix(line, "\n")
		paint := func(s string) string { return s }
		switch {
		case strings.HasPrefix(text, "diff --git "):
			inHunk, paint = false, look.Strong
		case strings.HasPrefix(text, "@@"):
			inHunk, paint = true, look.Dim
		case !inHunk:
			paint = look.Strong // the names of the file
		case strings.HasPrefix(text, "+"):
			paint = look.Good
		case strings.HasPrefix(text, "-"):
			paint = look.Bad
		}
		b.WriteString(paint(text))
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (a *app) printDiff(d sessionDiff, stat bool) error {
	if a.json {
		return printJSON(a.out, d)
	}
	if d.Without != "" {
		fmt.Fprintf(a.err, "warning: %s lacks the work that was saved last: it is %s\n", d.From, d.Without)
	}
	if d.AsOf != nil {
		fmt.Fprintf(a.err, "warning: this is as of %s, when it came here last: the agent works elsewhere, and what is there "+
			"could not be fetched\n", d.AsOf.Format(time.RFC3339))
	}
	if d.Cut {
		fmt.Fprintln(a.err, "warning: this is the first MB of the changes: run this on the machine of the runner for all")
	}
	if len(d.Files) == 0 {
		_, err := fmt.Fprintf(a.out, "session %s has changed nothing\n", d.Session)
		return err
	}
	if !stat {
		patch := d.Patch
		if a.screen || a.look().Colour { // on a terminal it moves nothing; elsewhere it is to be applied
			patch = harmless(patch)
		}
		_, err := fmt.Fprint(a.out, painted(a.look(), patch))
		return err
	}
	for _, f := range d.Files {
		if f.Added < 0 {
			fmt.Fprintf(a.out, "  binary  %s\n", named(f.Path))
			continue
		}
		fmt.Fprintf(a.out, "%+5d %+5d  %s\n", f.Added, -f.Deleted, named(f.Path))
	}
	return nil
}

// named is the name of a file on a line of its own, quoted as git does where it
// holds what is no text.
func named(path string) string {
	if strings.ContainsFunc(path, transcript.Deceives) || !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}
