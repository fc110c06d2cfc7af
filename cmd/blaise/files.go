package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func filesCommand(a *app) *cobra.Command {
	var out string
	c := a.jsonFlag(&cobra.Command{
		Use: "files ID [SHA256]", Short: "List the files that Blaise keeps for a session, or get one",
		Long: "Lists what Blaise keeps for a session beside its transcript: bundles of saved work,\n" +
			"and events that are too long for a transcript. With the SHA-256 of one, or its\n" +
			"beginning, prints its bytes, or writes them to a new file.",
		Example: "  blaise files k3v9\n  blaise files k3v9 9f86d081 --out work.bundle",
		Args:    rangeArgs(1, 2, "a session", "the SHA-256 of a file"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			all, err := c.Files(ctx, id)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return a.printFiles(all)
			}
			f, err := oneFile(all, id, args[1])
			if err != nil {
				return err
			}
			return a.getFile(ctx, c, id, f, out)
		}),
	})
	c.Flags().StringVar(&out, "out", "", "write the bytes to this new file")
	return c
}

func (a *app) printFiles(all []api.File) error {
	if a.json {
		return printJSON(a.out, api.Files{Files: all})
	}
	if len(all) == 0 {
		fmt.Fprintln(a.out, "Blaise keeps no files of this session")
		return nil
	}
	t := table{head: []string{"SHA256", "BYTES", "AGE", "NAME"}}
	for _, f := range all {
		t.add(f.SHA256[:12], fmt.Sprint(f.Size), rough(a.now().Sub(f.At)), oneLine(f.Name, 80))
	}
	t.print(a.out, a.look())
	return nil
}

func oneFile(all []api.File, id blaise.SessionID, sum string) (api.File, error) {
	var found []api.File
	for _, f := range all {
		if strings.HasPrefix(f.SHA256, strings.ToLower(sum)) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return api.File{}, blaise.Errorf(blaise.CodeNotFound, "session %s has no file %s", id, sum).
			WithHint("see `blaise files %s`", id)
	}
	return api.File{}, usage("%d files of session %s begin with %s", len(found), id, sum).
		WithHint("say more of it; see `blaise files %s --json`", id)
}

func (a *app) getFile(ctx context.Context, c *api.Client, id blaise.SessionID, f api.File, out string) error {
	if out == "" {
		return c.File(ctx, id, f.SHA256, a.out)
	}
	if err := fetchFile(ctx, c, id, f.SHA256, out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.err, "%s: %d bytes\n", out, f.Size)
	return err
}

// fetchFile writes a session's file to a new file; one that does not come whole
// leaves none.
func fetchFile(ctx context.Context, c *api.Client, id blaise.SessionID, sha256, path string) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		return blaise.Errorf(blaise.CodeRefused, "%s is there already", path).WithHint("name a new file")
	}
	if err != nil {
		return err
	}
	err = c.File(ctx, id, sha256, io.Writer(f))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(path) // it is not whole
	}
	return err
}
