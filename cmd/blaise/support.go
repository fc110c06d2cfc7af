package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/bundle"

	"github.com/spf13/cobra"
)

func supportCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "support-bundle FILE", Short: "Archive how Blaise is, without secrets, for who helps",
		Long: `Writes an archive (.tar.gz) with the status and the metrics of Blaise, its agents
and runners as they are listed, and, where the data folder is here, the sizes of
its files and the end of its log. No session, no message and no transcript is in
it; tokens, keys and the values of variables are taken out. Look at it before you
send it. For the side of a runner: runner doctor --bundle FILE.`,
		Example: "  blaise support-bundle blaise.tar.gz", Args: exactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.where()
			if err != nil {
				return err
			}
			return a.support(cmd.Context(), newClient(p), p.Token, args[0])
		},
	}
}

func (a *app) support(ctx context.Context, c *api.Client, token, file string) error {
	data, err := a.folder()
	if err != nil {
		return err
	}
	status, err := c.Status(ctx)
	if err != nil {
		return err
	}
	b, err := bundle.Create(file)
	if errors.Is(err, fs.ErrExist) {
		return blaise.Errorf(blaise.CodeRefused, "%s is there already", file).WithHint("name another file")
	}
	if err != nil {
		return err
	}
	b.Hide(token)
	for _, name := range []string{adminFile, runnerFile, secretFile} {
		if secret, err := readToken(filepath.Join(data, name)); err == nil {
			b.Hide(secret)
		}
	}
	b.JSON("status.json", status)
	var metrics strings.Builder
	if err := c.Metrics(ctx, &metrics); err != nil {
		fmt.Fprintf(&metrics, "# %v\n", err)
	}
	b.Text("metrics.txt", metrics.String())
	if agents, err := c.Agents(ctx); err == nil {
		b.JSON("agents.json", agents)
	}
	if runners, err := c.Runners(ctx); err == nil {
		b.JSON("runners.json", runners)
	}
	if _, err := os.Stat(data); err == nil {
		b.Text("data.txt", sizes(data))
		b.Tail("blaise.log", filepath.Join(data, logFile))
	}
	if err := b.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.err, "blaise: wrote %s; look at it before you send it\n", file)
	return err
}

// sizes lists the files of a data folder, without those of its runner.
func sizes(data string) string {
	var b strings.Builder
	_ = filepath.WalkDir(data, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintln(&b, err)
			return nil
		}
		if e.IsDir() {
			if path == filepath.Join(data, "runner") {
				return filepath.SkipDir
			}
			return nil
		}
		if info, err := e.Info(); err == nil {
			name, _ := filepath.Rel(data, path) // it is below
			fmt.Fprintf(&b, "%12d %v %s\n", info.Size(), info.Mode(), name)
		}
		return nil
	})
	return b.String()
}
