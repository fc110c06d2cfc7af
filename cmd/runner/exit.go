package main

import (
	"errors"
	"fmt"
	"io"

	"blaise.dev/blaise"
)

// The exit codes are a contract with scripts (SPEC, Surfaces).
const (
	exitDone   = 0
	exitFailed = 1
	exitWaited = 6 // what was waited for has failed
)

// errWaited marks the failure of the run that start --once waited for.
var errWaited = errors.New("the run has failed")

func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errWaited):
		return exitWaited
	}
	return blaise.CodeOf(err).Exit()
}

// explain writes what happened and what to do.
func explain(w io.Writer, err error) {
	var e *blaise.Error
	if !errors.As(err, &e) || e.Hint == "" {
		fmt.Fprintf(w, "runner: %v\n", err)
		return
	}
	fmt.Fprintf(w, "runner: %s\nhint: %s\n", e.Message, e.Hint)
}

// usage makes a mistake of the command line an error with exit code 2.
func usage(format string, args ...any) *blaise.Error {
	return blaise.Errorf(blaise.CodeInvalid, format, args...)
}
