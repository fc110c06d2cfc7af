package main

import (
	"errors"
	"strings"

	"blaise.dev/blaise"

	"github.com/spf13/cobra"
)

// nextStep gives an error that says nothing of what to do the command that
// shows more, by what the command that failed takes.
func nextStep(cmd *cobra.Command, err error) error {
	var e *blaise.Error
	if !errors.As(err, &e) || e.Hint != "" || errors.Is(err, errWaited) || err.Error() != e.Message {
		return err
	}
	args, takes := cmd.Flags().Args(), strings.Fields(cmd.Use)
	if len(args) == 0 || len(takes) < 2 {
		return err
	}
	what := strings.Trim(takes[1], "[]")
	switch {
	case e.Code == blaise.CodeNotFound && what == "ID":
		return e.WithHint("see `blaise list`")
	case e.Code == blaise.CodeNotFound && what == "RUNNER":
		return e.WithHint("see `blaise runner list`")
	case e.Code == blaise.CodeRefused && what == "ID":
		return e.WithHint("see `blaise why %s`", args[0])
	}
	return err
}
