package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/daemon"

	"github.com/spf13/cobra"
)

func inventoryCommand(a *app) *cobra.Command {
	var o ledgerOptions
	c := a.jsonFlag(&cobra.Command{
		Use: "inventory", Short: "List what sessions have made on this machine, and whose it is",
		Long: `List what sessions have made on this machine, and hold it against the ledger of
Blaise: ours (its session has it), orphaned (its environment is gone: see
runner reap), kept (saved work), missing (the ledger has it and it is not
there), unowned (of a plug that blaise.yml has no more), unknown (not to be
told; nothing touches it), no answer (Blaise did not say whose it is; untold in
JSON). So it is of all that exists while Blaise is away.

A daemon that runs on the state directory is asked, and weighs what it finds: a
directory, a container (what was written in it beside its volumes), a volume, an
image (what no other has). Where it says - nobody has weighed it yet; else the token says who asks.`,
		Example: "  runner inventory\n  runner inventory --json | jq '.things[] | select(.class == \"orphaned\")'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.inventory(cmd.Context(), o)
			if err != nil {
				return err
			}
			if a.json {
				return a.print(v)
			}
			return a.printInventory(v)
		},
	})
	o.flags(c)
	return c
}

// ledgerOptions say how Blaise is asked where no daemon runs.
type ledgerOptions struct{ url, tokenFile string }

func (o *ledgerOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&o.url, "url", "", "where Blaise is, if no daemon runs here (BLAISE_URL)")
	c.Flags().StringVar(&o.tokenFile, "token-file", "", "a file with the runner token (else BLAISE_RUNNER_TOKEN)")
}

func (o ledgerOptions) ask(ctx context.Context, q api.AskLedger) (api.Ledger, error) {
	url := o.url
	if url == "" {
		url = os.Getenv("BLAISE_URL")
	}
	if url == "" {
		return api.Ledger{}, blaise.Errorf(blaise.CodeUnreachable, "no daemon runs here, and --url does not say where Blaise is")
	}
	secret, err := token(o.tokenFile)
	if err != nil {
		return api.Ledger{}, err
	}
	return api.NewClient(url, secret, api.ClientOptions{Version: programVersion()}).Ledger(ctx, q)
}

// inventory is the daemon's where one runs, so that Blaise hears of it too.
func (a *app) inventory(ctx context.Context, o ledgerOptions) (api.Inventory, error) {
	p, err := a.premises()
	if err != nil {
		return api.Inventory{}, err
	}
	v, err := daemon.Inventory(ctx, p.StateDir)
	if err != nil {
		if blaise.CodeOf(err) != blaise.CodeNotFound {
			return v, err
		}
		v = p.Inventory(ctx, o.ask)
	}
	return v, nil
}

// premises are those of the daemon that runs on the state directory, else what
// the flags say.
func (a *app) premises() (daemon.Premises, error) {
	state, err := filepath.Abs(a.state)
	if err != nil {
		return daemon.Premises{}, err
	}
	if face, err := daemon.ReadFace(state); err == nil {
		return daemon.Premises{StateDir: state, Configs: face.Configs}, nil
	}
	file, err := filepath.Abs(a.config)
	return daemon.Premises{StateDir: state, Configs: []string{file}}, err
}

// classWords is a class as a person reads it.
func classWords(c api.Class) string {
	if c == api.ClassUntold {
		return "no answer"
	}
	return string(c)
}

func (a *app) printInventory(v api.Inventory) error {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	if len(v.Things) > 0 {
		fmt.Fprintln(w, "CLASS\tENVIRONMENT\tKIND\tNAME\tON DISK\tWHY")
	}
	for _, t := range v.Things {
		weight := "-"
		if !t.WeighedAt.IsZero() {
			weight = blaise.Size(t.Bytes)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", classWords(t.Class), t.Environment, t.Kind, printable(t.Name), weight, t.Why)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(v.Things) == 0 && len(v.Unseen) == 0 {
		fmt.Fprintln(a.out, "nothing is here")
	}
	for _, what := range v.Unseen {
		fmt.Fprintf(a.err, "runner: not looked at: %s\n", what)
	}
	return nil
}
