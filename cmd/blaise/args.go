package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// exactArgs wants one argument for each thing that is named; what is missing is
// said by its name.
func exactArgs(names ...string) cobra.PositionalArgs {
	return rangeArgs(len(names), len(names), names...)
}

// minArgs wants the things that are named, and takes more.
func minArgs(names ...string) cobra.PositionalArgs { return rangeArgs(len(names), -1, names...) }

func rangeArgs(least, most int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s is missing", strings.Join(names[len(args):least], " and ")).
				WithHint("%s\nsee `%s --help`", cmd.UseLine(), cmd.CommandPath())
		case most >= 0 && len(args) > most:
			return usage("%s takes %s: %q is too much", cmd.CommandPath(), takes(names[:most]), args[most]).
				WithHint("see `%s --help`", cmd.CommandPath())
		}
		return nil
	}
}

func takes(names []string) string {
	if len(names) == 0 {
		return "no arguments"
	}
	return fmt.Sprintf("%s alone", strings.Join(names, " and "))
}

// noArgs wants none.
func noArgs(cmd *cobra.Command, args []string) error { return rangeArgs(0, 0)(cmd, args) }
