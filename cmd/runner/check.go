package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/check"

	"github.com/spf13/cobra"
)

func checkCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "check", Short: "Read blaise.yml and say what is wrong, or what a run would do",
		Example: "  runner check\n  runner check --config team/blaise.yml --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, found, err := check.File(cmd.Context(), a.config)
			if err != nil && !a.json {
				return badConfig(a.config, err)
			}
			if a.json {
				if err := a.print(found); err != nil {
					return err
				}
			} else {
				a.printFindings(found)
			}
			bad := len(check.Bad(found))
			switch {
			case err != nil:
				return usage("%s in %s", check.Plural(bad, "problem"), a.config)
			case bad > 0:
				return blaise.Errorf(blaise.CodeInternal, "a run would not work: %s", check.Plural(bad, "problem"))
			}
			return nil
		},
	})
}

func (a *app) printFindings(found []check.Finding) {
	for _, f := range found {
		mark := "ok "
		if !f.OK {
			mark = "BAD"
		}
		fmt.Fprintf(a.out, "%s  %s: %s\n", mark, f.What, f.Text)
	}
}

// badConfig is the error of a configuration that is not there or broken.
func badConfig(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		dir, _ := filepath.Abs(filepath.Dir(file))
		return usage("there is no %s in %s", filepath.Base(file), dir).
			WithHint("write one (blaise.yml.example of Blaise shows every key), or name one with --config")
	}
	return usage("%v", err)
}
