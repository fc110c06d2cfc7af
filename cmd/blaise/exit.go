package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/tty"
)

// The exit codes are a contract with scripts.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitRefused     = 4
	exitUnreachable = 5
	exitWaited      = 6 // what was waited for has failed
)

// errWaited marks an error of the thing that was waited for, not of the asking.
var errWaited = errors.New("waited-for thing failed")

// waitedFor makes err the failure of what was waited for.
func waitedFor(err error) error { return errors.Join(err, errWaited) }

func exitCode(err error) int {
	var shell shellExit
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &shell):
		return int(shell)
	case errors.Is(err, errWaited):
		return exitWaited
	}
	return blaise.CodeOf(err).Exit()
}

// explain writes what happened and what to do.
func explain(w io.Writer, look tty.Look, err error) {
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if err.Error() == "" { // the exit code of a shell's command says it
		return
	}
	var e *blaise.Error
	if !errors.As(err, &e) {
		fmt.Fprintf(w, "%s %s\n", look.Bad("blaise:"), harmless(err.Error()))
		return
	}
	text := e.Message
	// Keep what was added around the domain's error on its way here.
	if full := err.Error(); !errors.Is(err, errWaited) && len(full) > len(e.Error()) {
		text = full[:len(full)-len(e.Error())] + e.Message
	}
	fmt.Fprintf(w, "%s %s\n", look.Bad("blaise:"), harmless(text))
	if e.Hint != "" {
		fmt.Fprintf(w, "%s %s\n", look.Strong("hint:"), harmless(e.Hint))
	}
}

// usage makes a mistake of the command line an error with exit code 2.
func usage(format string, args ...any) *blaise.Error {
	return blaise.Errorf(blaise.CodeInvalid, format, args...)
}
