package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"

	"github.com/spf13/cobra"
)

func backupCommand(a *app) *cobra.Command {
	var to string
	c := a.jsonFlag(&cobra.Command{
		Use: "backup", Short: "Back up the data folder, also while Blaise works on it",
		Long: "Copies the data folder as of one moment into one file, and reads the copy whole to be\n" +
			"sure of it: databases, transcripts, files, secrets. Blaise may run meanwhile, and waits\n" +
			"for nothing. The file opens all that the folder opens: keep it as you keep the folder.\n" +
			"What the runners hold (environments, saved work) is not in it, nor a PostgreSQL\n" +
			"database: see docs/operations.md.",
		Example: "  blaise backup --data /var/lib/blaise --to /backups\n" +
			"  blaise backup verify /backups/blaise-20261130T020000Z.tar.gz\n" +
			"  blaise backup restore /backups/blaise-20261130T020000Z.tar.gz --data /var/lib/blaise",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return usage("where to?").WithHint("name a new file, or a folder, with --to")
			}
			return a.backup(cmd.Context(), to)
		},
	})
	c.Flags().StringVar(&to, "to", "", "the new `FILE`, or a folder: a file is named by the time then")
	c.AddCommand(backupVerifyCommand(a), backupRestoreCommand(a))
	return c
}

// A backedUp is what the command prints.
type backedUp struct {
	File string `json:"file"`
	Size int64  `json:"size"`
	manifest
}

func (a *app) backup(ctx context.Context, to string) error {
	data, err := a.folder()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(data, "db")); err != nil {
		return blaise.Errorf(blaise.CodeNotFound, "there is no store in %s", data).
			WithHint("name the data folder with --data; what `serve --db` keeps in PostgreSQL is backed up " +
				"with pg_dump, see docs/operations.md")
	}
	if to, err = a.newBackup(to); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(to), ".blaise-backup-*") // the disk that the file goes to has room for it
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	m, err := copyFolder(ctx, data, work)
	if err != nil {
		return err
	}
	m.At = a.now().UTC().Truncate(time.Second)
	size, err := pack(ctx, work, m, to)
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(a.out, backedUp{File: to, Size: size, manifest: m})
	}
	_, err = fmt.Fprintf(a.out, "%s: %s, %.1f MB\n", to, m.Holds, float64(size)/1e6)
	return err
}

// folder is the data folder of a command that works on one itself: the one that
// is named, else that of this user.
func (a *app) folder() (string, error) {
	return filepath.Abs(cmp.Or(a.data, os.Getenv("BLAISE_DATA"), defaultData()))
}

// newBackup is the file to write. CodeRefused: it is there.
func (a *app) newBackup(to string) (string, error) {
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		to = filepath.Join(to, "blaise-"+a.now().UTC().Format("20060102T150405Z")+".tar.gz")
	}
	if _, err := os.Lstat(to); err == nil {
		return "", blaise.Errorf(blaise.CodeRefused, "%s is there already", to).
			WithHint("name another file, or a folder")
	}
	return filepath.Abs(to)
}

// notBackedUp is of the moment or of the machine: where Blaise runs, its log,
// and dev's runner, whose environments stay where they are.
var notBackedUp = map[string]bool{
	devFile: true, serveFile: true, logFile: true, "runner": true,
	"db": true, // copied by the store
}

// copyFolder copies a data folder into an empty one and verifies the copy.
func copyFolder(ctx context.Context, data, to string) (manifest, error) {
	m := manifest{Format: backupFormat, Version: programVersion()}
	if err := os.Mkdir(filepath.Join(to, "db"), 0o700); err != nil {
		return m, err
	}
	if err := store.Copy(ctx, filepath.Join(data, "db"), filepath.Join(to, "db")); err != nil {
		return m, err
	}
	entries, err := os.ReadDir(data)
	if err != nil {
		return m, err
	}
	for _, e := range entries {
		if notBackedUp[e.Name()] || e.Name()[0] == '.' { // a file that is just being written
			continue
		}
		if err := copyTree(filepath.Join(data, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return m, fmt.Errorf("copy %s: %w", e.Name(), err)
		}
	}
	if m.Holds, err = store.Verify(ctx, filepath.Join(to, "db")); err != nil {
		return m, err
	}
	m.Files, err = sums(to)
	return m, err
}

// copyTree copies a file, or a folder of files. One that is gone meanwhile was
// of the moment.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o600)
	})
}
