package main

import (
	"context"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/daemon"

	"github.com/spf13/cobra"
)

type reapOptions struct {
	ledgerOptions
	dryRun  bool
	discard bool
	reason  string
}

func reapCommand(a *app) *cobra.Command {
	var o reapOptions
	c := a.jsonFlag(&cobra.Command{
		Use: "reap", Short: "Remove what is left of environments that are gone",
		Long: `Remove what runner inventory calls orphaned, and nothing else: made by this
runner, of an environment that Blaise says is gone or does not know, and mirrors
that nobody has fetched for runner.mirrorDays (the daemon removes these itself). Work
in an environment is saved first; where that fails it stays, unless --discard gives the work up,
with a reason. Blaise must answer: without its word nothing is removed.`,
		Example: "  runner reap --dry-run\n  runner reap\n  runner reap --discard --reason \"the disk is broken\"",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.discard && strings.TrimSpace(o.reason) == "" {
				return usage("giving work up needs a reason").WithHint("say it with --reason")
			}
			return a.reap(cmd.Context(), o)
		},
	})
	o.flags(c)
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "only say what would be removed")
	c.Flags().BoolVar(&o.discard, "discard", false, "remove it even if the work in it cannot be saved")
	c.Flags().StringVar(&o.reason, "reason", "", "why work is given up")
	return c
}

func (a *app) reap(ctx context.Context, o reapOptions) error {
	v, err := a.inventory(ctx, o.ledgerOptions)
	if err != nil {
		return err
	}
	for _, t := range v.Things {
		if t.Class == api.ClassUntold {
			return blaise.Errorf(blaise.CodeUnreachable, "Blaise was not asked, so nothing is removed: %s",
				strings.Join(v.Unseen, "; ")).WithHint("start the runner, or say where Blaise is with --url and --token-file")
		}
	}
	p, err := a.premises()
	if err != nil {
		return err
	}
	done := daemon.Orphans(v)
	for i := range done {
		if !o.dryRun {
			done[i] = p.Reap(ctx, done[i], o.reason)
		}
	}
	if !o.dryRun && len(done) > 0 {
		_, _ = daemon.Inventory(ctx, p.StateDir) // Blaise hears of it with the next one anyway
	}
	return a.reaped(done, o)
}

func (a *app) reaped(done []daemon.Reaped, o reapOptions) error {
	if a.json {
		if done == nil {
			done = []daemon.Reaped{}
		}
		if err := a.print(done); err != nil {
			return err
		}
	}
	failed := 0
	for _, r := range done {
		if r.Error != "" {
			failed++
		}
		if !a.json {
			a.printReaped(r, o.dryRun)
		}
	}
	if failed > 0 {
		return blaise.Errorf(blaise.CodeInternal, "%d of %d are still there", failed, len(done))
	}
	if len(done) == 0 && !a.json {
		fmt.Fprintln(a.out, "nothing is orphaned")
	}
	return nil
}

func (a *app) printReaped(r daemon.Reaped, dry bool) {
	verb := "removed"
	switch {
	case dry:
		verb = "would remove"
	case r.Error != "":
		verb = "not removed"
	}
	for _, t := range r.Things {
		of := ""
		if t.Environment != "" {
			of = " of " + string(t.Environment)
		}
		fmt.Fprintf(a.out, "%s: %s %s%s: %s\n", verb, t.Kind, printable(t.Name), of, t.Why)
	}
	for _, w := range r.Saved {
		fmt.Fprintf(a.out, "saved: %s in %s (%s)\n", w.Ref, w.Repo, blaise.Count(w.Files, "file"))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(a.out, "note: %s\n", printable(note))
	}
	if r.Error != "" {
		of := "mirrors"
		if r.Environment != "" {
			of = "environment " + string(r.Environment)
		}
		fmt.Fprintf(a.err, "runner: %s: %s\n", of, printable(r.Error))
	}
}
