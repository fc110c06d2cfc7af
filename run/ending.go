package run

import (
	"errors"

	"blaise.dev/blaise"
)

// An ending is what a run does about the cause that ended its work.
type ending struct {
	layers  bool             // save and pause them
	destroy destroys         // and then
	first   blaise.EventKind // said before the layers go down, "" for nothing
	last    blaise.EventKind // said when they are paused, "" for nothing
	undo    bool             // it never was open: what a start made is destroyed unasked
}

// destroys says who decides whether the layers are destroyed.
type destroys int

const (
	never    destroys = iota
	ifTold            // by the answer to the last report, and by nothing else (A7)
	unlessNo          // always, except where the answer says exit
)

// endingOf is the only place where a cause becomes a consequence.
func endingOf(cause error) ending {
	var stopped Stopped
	var refused refusal
	var plug plugFailure
	switch {
	case errors.Is(cause, ErrFenced):
		return ending{}
	case errors.As(cause, &stopped):
		return ending{layers: true, destroy: ifTold, last: blaise.EventPauseReported}
	case errors.Is(cause, ErrLeft), errors.Is(cause, errShellsClosed):
		return ending{layers: true, last: blaise.EventLocalStop}
	case errors.Is(cause, ErrLostContact):
		return ending{layers: true, last: blaise.EventLostContact}
	case errors.As(cause, new(Interrupted)):
		return ending{layers: true, destroy: unlessNo, first: blaise.EventSignalled}
	case errors.As(cause, &refused):
		return ending{layers: true, undo: true, last: blaise.EventRefused}
	case errors.As(cause, &plug):
		return ending{layers: true, destroy: unlessNo, first: blaise.EventPlugFailed}
	}
	return ending{layers: true, destroy: unlessNo, first: blaise.EventRunFailed}
}
