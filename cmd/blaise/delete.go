package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

// A deletion is what is asked for on the command line.
type deletion struct {
	*app
	reason    string
	olderThan string
	dry, yes  bool
	dropWork  bool
}

func deleteCommand(a *app) *cobra.Command {
	d := deletion{app: a}
	c := a.jsonFlag(&cobra.Command{
		Use: "delete [ID]", Short: "Delete the record of a session that has ended",
		Long: "Deletes what Blaise keeps of a session that has ended and whose environment is destroyed:\n" +
			"messages, transcript, files, history. It does not come back. That it was deleted, by whom\n" +
			"and why, its times and what it used stay (blaise why ID). Administrators only.\n" +
			"Saved work is the user's and stays in its repository: there,\n" +
			"  git for-each-ref --format='delete %(refname)' refs/blaise/ID/ | git update-ref --stdin\n" +
			"removes it. Work that Blaise has itself goes with the session, and may be nowhere else: bring\n" +
			"it home first (blaise restore ID), or say --drop-work. With --older-than, all that ended and were not\n" +
			"touched for so long are deleted; blaise serve --retain does that by itself.",
		Example: "  blaise delete k3v9\n  blaise delete k3v9 --yes --reason \"asked to by ann\"\n" +
			"  blaise delete --older-than 90d --dry-run",
		Args: rangeArgs(0, 1, "a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			switch {
			case (len(args) == 1) == (d.olderThan != ""):
				return usage("name a session, or say --older-than").WithHint("see `blaise delete --help`")
			case d.dry && d.olderThan == "":
				return usage("--dry-run lists what --older-than would delete")
			case d.olderThan != "":
				return d.old(ctx, c)
			}
			return d.one(ctx, c, args[0])
		}),
	})
	f := c.Flags()
	f.StringVar(&d.reason, "reason", "", "why, for the record")
	f.BoolVar(&d.yes, "yes", false, "do not ask")
	f.StringVar(&d.olderThan, "older-than", "", "all that ended and were not touched for so `long`, as 90d")
	f.BoolVar(&d.dropWork, "drop-work", false, "also delete saved work that Blaise may be the only one to have")
	f.BoolVar(&d.dry, "dry-run", false, "list what --older-than would delete, and delete nothing")
	return c
}

func (d deletion) one(ctx context.Context, c *api.Client, given string) error {
	s, err := found(ctx, c, given)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("session %s (%s)", s.ID, oneLine(s.Title, 60))
	work := blaise.OnlyHere(s.Saves)
	if len(work) > 0 {
		what += fmt.Sprintf(", and %s of its work that Blaise may be the only one to have (first: blaise restore %s)",
			blaise.Count(len(work), "save"), s.ID)
	}
	if err := d.sure(what); err != nil {
		return err
	}
	asked := !d.yes // about the work, too
	gone, err := c.Delete(ctx, s.ID, d.reason, d.dropWork || asked && len(work) > 0)
	if err != nil {
		return err
	}
	if d.json {
		return printJSON(d.out, gone)
	}
	fmt.Fprintf(d.out, "session %s: deleted\n", gone.Session)
	if gone.Work > 0 {
		fmt.Fprintf(d.out, "%s of its work that Blaise had went with it\n", blaise.Count(gone.Work, "save"))
	}
	if gone.Saves > gone.Work {
		fmt.Fprintf(d.out, "its saved work stays in its repository, under refs/blaise/%s/\n", gone.Session)
	}
	return nil
}

// old deletes all that is old, or lists it.
func (d deletion) old(ctx context.Context, c *api.Client) error {
	all, err := settled(ctx, c, d.olderThan)
	switch {
	case err != nil:
		return err
	case d.dry && d.json:
		return printJSON(d.out, api.Settled{Sessions: all})
	case d.dry:
		d.list(all)
		return nil
	}
	if len(all) > 0 {
		if err := d.sure(blaise.Count(len(all), "session")); err != nil {
			return err
		}
	}
	return d.each(ctx, c, all)
}

// settled lists all sessions that are old, page by page.
func settled(ctx context.Context, c *api.Client, olderThan string) ([]api.Summary, error) {
	all := []api.Summary{}
	for after := ""; ; {
		page, err := c.Settled(ctx, olderThan, after, 500)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Sessions...)
		if after = page.Next; after == "" {
			return all, nil
		}
	}
}

func (d deletion) list(all []api.Summary) {
	t := table{
		head: []string{"ID", "AGENT", "ENDED", "UNTOUCHED", "WORK", "TITLE"}, least: []string{"AGENT"}, paint: d.states(),
	}
	kept := 0
	for _, s := range all {
		work := ""
		if s.Work > 0 {
			work = blaise.Count(s.Work, "save")
			kept++
		}
		t.add(string(s.ID), oneLine(string(s.Agent), 16), string(s.Outcome),
			rough(d.now().Sub(s.UpdatedAt)), work, oneLine(s.Title, 80))
	}
	if len(all) > 0 {
		t.print(d.out, d.look())
	}
	if d.dropWork {
		kept = 0
	}
	fmt.Fprintf(d.out, "%s would be deleted\n", blaise.Count(len(all)-kept, "session"))
	if kept > 0 {
		fmt.Fprintf(d.out, "%s would stay: Blaise may be the only one who has their work; --drop-work deletes it too\n",
			blaise.Count(kept, "session"))
	}
}

// each deletes them one after the other; what is refused is told and left.
func (d deletion) each(ctx context.Context, c *api.Client, all []api.Summary) error {
	gone := []blaise.Deletion{}
	for _, s := range all {
		one, err := c.Delete(ctx, s.ID, d.reason, d.dropWork)
		if err != nil && blaise.CodeOf(err) == blaise.CodeRefused {
			fmt.Fprintln(d.err, harmless(err.Error()))
			continue
		}
		if err != nil {
			return err
		}
		gone = append(gone, one)
	}
	if d.json {
		return printJSON(d.out, gone)
	}
	_, err := fmt.Fprintf(d.out, "%s deleted\n", blaise.Count(len(gone), "session"))
	return err
}

// sure asks the person at the terminal, unless --yes was said.
func (d deletion) sure(what string) error {
	if d.yes {
		return nil
	}
	if !d.interactive() {
		return usage("deleting %s cannot be undone", what).WithHint("if you are sure, add --yes")
	}
	fmt.Fprintf(d.err, "Delete the record of %s? It does not come back. [y/N] ", what)
	line, err := bufio.NewReader(d.in).ReadString('\n')
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return blaise.Errorf(blaise.CodeRefused, "nothing was deleted")
}
