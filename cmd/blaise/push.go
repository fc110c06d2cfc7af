package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/git"

	"github.com/spf13/cobra"
)

// A pushed says where saved work went.
type pushed struct {
	Session blaise.SessionID `json:"session"`
	Ref     string           `json:"ref"`
	Commit  string           `json:"commit"`
	Remote  string           `json:"remote"`
	Branch  string           `json:"branch"`
}

func pushCommand(a *app) *cobra.Command {
	var o restoreOptions
	var p pushed
	c := a.jsonFlag(&cobra.Command{
		Use: "push ID", Short: "Push the saved work of a session as a branch",
		Long: "Pushes the work that was saved last, or with --save an older save, to a branch of a remote, from\n" +
			"the machine whose repository has it, with the git credentials of who runs this. What the agent\n" +
			"had not committed is a commit of its own on top. A branch that stands at a push before this one goes on from there; one that\n" +
			"would not go forward otherwise is left alone. The record says that it was done.",
		Example: "  blaise push k3v9\n  blaise push k3v9 --branch fix-123 --remote upstream\n" +
			"  blaise push k3v9 --save 2 --branch before",
		Args: exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if err := mayRecord(ctx, c); err != nil {
				return err
			}
			s, save, err := o.chosen(ctx, a, c, args[0])
			if err != nil {
				return err
			}
			a.aboutSave(s, save)
			if err := o.push(ctx, c, s, save, &p); err != nil {
				return err
			}
			if err := c.Pushed(ctx, s.ID, fmt.Sprintf("%s pushed to %s of %s", p.Ref, p.Branch, p.Remote)); err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, p)
			}
			_, err = fmt.Fprintf(a.out, "pushed the work saved as %s: it is branch %s of %s\n", p.Ref, p.Branch, p.Remote)
			return err
		}),
	})
	c.Flags().StringVar(&p.Branch, "branch", "", "the branch; default: blaise/ID")
	c.Flags().StringVar(&p.Remote, "remote", "origin", "the remote")
	c.Flags().StringVar(&o.repo, "repo", "", "the repository, if it has moved")
	o.saveFlag(c)
	return c
}

func (o restoreOptions) push(
	ctx context.Context, c *api.Client, s api.Session, save blaise.SavedWork, p *pushed,
) error {
	r, err := o.source(ctx, save)
	if err != nil {
		return err
	}
	p.Session, p.Ref, p.Branch = s.ID, save.Ref, cmp.Or(p.Branch, "blaise/"+string(s.ID))
	if err := git.CheckBranch(ctx, p.Branch); err != nil {
		return usage("%v", err)
	}
	remotes, err := r.Remotes(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains(remotes, p.Remote) {
		return blaise.Errorf(blaise.CodeNotFound, "repository %s has no remote %q", r.Dir, p.Remote).
			WithHint("its remotes: %s", cmp.Or(strings.Join(remotes, ", "), "none; git remote add origin URL"))
	}
	if p.Commit, err = bring(ctx, c, r, s.ID, save); err != nil {
		return err
	}
	return p.put(ctx, r, s)
}

// mayRecord asks Blaise before anything is pushed: the record is to say it.
func mayRecord(ctx context.Context, c *api.Client) error {
	me, err := c.Me(ctx)
	if err != nil || control.Role(me.Role).Allows(control.RoleMember) {
		return err
	}
	return blaise.Errorf(blaise.CodeDenied, "nothing was pushed: a push is put into the record, which needs the role %s; %s is %s here",
		control.RoleMember, me.Name, me.Role).WithHint("`blaise restore` brings the work into your repository without")
}

// put pushes the commit, on top of what was pushed before if the branch stands
// there.
func (p *pushed) put(ctx context.Context, r *git.Repo, s api.Session) error {
	err := r.Push(ctx, p.Remote, p.Commit, p.Branch)
	var e *git.Error
	if !errors.As(err, &e) || !strings.Contains(e.Stderr, "rejected") {
		return err
	}
	tip, tipErr := r.FarTip(ctx, p.Remote, p.Branch)
	if tipErr != nil {
		return errors.Join(err, tipErr)
	}
	ours, tipErr := pushedBefore(ctx, r, s, tip)
	if tipErr != nil {
		return errors.Join(err, tipErr)
	}
	if !ours {
		return blaise.Errorf(blaise.CodeRefused, "branch %s of %s does not lead to the work: %s", p.Branch, p.Remote, e.Stderr).
			WithHint("push it to another with --branch")
	}
	if p.Commit, err = r.Onward(ctx, tip, p.Commit, "Work of session "+string(s.ID)+", saved by Blaise"); err != nil {
		return err
	}
	return r.Push(ctx, p.Remote, p.Commit, p.Branch)
}

// pushedBefore says that a commit has the files of a save of the session, so
// that nothing of anybody else's is covered by the next one.
func pushedBefore(ctx context.Context, r *git.Repo, s api.Session, tip string) (bool, error) {
	if tip == "" {
		return false, nil
	}
	stands, err := r.Tree(ctx, tip)
	if err != nil {
		return false, err
	}
	for _, save := range s.Saves {
		commit, err := r.Ref(ctx, savedRef(s.ID, save))
		if err != nil || commit == "" {
			continue // a save that was never here was not pushed from here
		}
		if tree, err := r.Tree(ctx, commit); err != nil || tree == stands {
			return err == nil, err
		}
	}
	return false, nil
}
