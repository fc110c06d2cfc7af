package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"

	"github.com/spf13/cobra"
)

func backupVerifyCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "verify FILE", Short: "Read a backup whole, and say what it holds",
		Example: "  blaise backup verify /backups/blaise-20261130T020000Z.tar.gz", Args: exactArgs("a backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			work, err := os.MkdirTemp("", "blaise-verify-*")
			if err != nil {
				return err
			}
			defer os.RemoveAll(work)
			m, err := unpackVerified(cmd.Context(), args[0], work)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, m)
			}
			_, err = fmt.Fprintf(a.out, "%s of %s, by version %s: all is as it was written\n",
				m.Holds, m.At.Format(time.RFC3339), m.Version)
			return err
		},
	})
}

func backupRestoreCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "restore FILE", Short: "Make a data folder from a backup",
		Long: "Makes the data folder anew from a backup. The folder must be empty, and the backup is\n" +
			"verified first. Runs that lived when it was made are stopped as soon as they are heard:\n" +
			"they may have told what came after it. Their sessions go on in the environments that\n" +
			"they left. Tokens, users and roles are as they were: what was revoked since then is to\n" +
			"be revoked again. What webhooks were to be told then is given up. (The work of one session is given back by `blaise restore ID`.)",
		Example: "  blaise backup restore /backups/blaise-20261130T020000Z.tar.gz --data /var/lib/blaise",
		Args:    exactArgs("a backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := a.folder()
			if err != nil {
				return err
			}
			return a.restoreFolder(cmd.Context(), args[0], data)
		},
	})
}

func unpackVerified(ctx context.Context, from, to string) (manifest, error) {
	m, err := unpack(ctx, from, to)
	if err != nil {
		return m, err
	}
	found, err := store.Verify(ctx, filepath.Join(to, "db"))
	if err == nil && found != m.Holds {
		err = fmt.Errorf("verify backup: it holds %s, and says %s", found, m.Holds)
	}
	return m, err
}

func (a *app) restoreFolder(ctx context.Context, from, data string) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	there, err := os.ReadDir(data)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return blaise.Errorf(blaise.CodeRefused, "%s is not empty: %s is in it", data, there[0].Name()).
			WithHint("move the old folder away first, or name a new one with --data")
	}
	// Inside of it: a folder may be a mount, which nothing is moved onto.
	work, err := os.MkdirTemp(data, ".restore-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	m, err := unpackVerified(ctx, from, work)
	if err != nil {
		return err
	}
	fenced, err := store.Fence(ctx, filepath.Join(work, "db"))
	if err != nil {
		return err
	}
	if err := moveIn(work, data); err != nil {
		return err
	}
	if a.json {
		return printJSON(a.out, m)
	}
	fmt.Fprintf(a.out, "%s has %s of %s\n", data, m.Holds, m.At.Format(time.RFC3339))
	if fenced > 0 {
		fmt.Fprintf(a.out, "%s lived then; what still lives of them stops when it is heard, and is resumed\n",
			blaise.Count(int(fenced), "run"))
	}
	return nil
}

// moveIn moves what is in work into its parent, the store last: without it
// nobody takes the folder for whole.
func moveIn(work, data string) error {
	entries, err := os.ReadDir(work)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "db" {
			names = append(names, e.Name())
		}
	}
	for _, name := range append(names, "db") {
		if err := os.Rename(filepath.Join(work, name), filepath.Join(data, name)); err != nil {
			return err
		}
	}
	return nil
}
