package run

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
)

// Stopped is the cause of a run that Blaise has told to end, once the stop
// binds (A7).
type Stopped struct{ Stop blaise.Stop }

func (s Stopped) Error() string { return "stopped: " + s.Stop.Reason }

// Interrupted ends a run whose process was sent INT or TERM (A20). A daemon that
// is stopped passes INT on; TERM is of a person who meant this run.
type Interrupted struct {
	Runner string // its name in Blaise, "" where the daemon did not know it yet
	Signal os.Signal
}

func (i Interrupted) Error() string {
	if i.Signal != os.Interrupt {
		return fmt.Sprintf("the run was ended on its machine (%s)", i.Signal)
	}
	return fmt.Sprintf("the %s was stopped on its machine (%s)",
		strings.TrimSpace("runner "+i.Runner), i.Signal)
}

// The other causes that are no failure.
var (
	// ErrLeft ends a run that was told to pause at its machine: by a person, or by
	// a runner that drains and cannot ask Blaise.
	ErrLeft = errors.New("paused on the machine of the runner: by hand, or as it drained")
	// errShellsClosed ends a run that was there for a person's shell.
	errShellsClosed = errors.New("the shell is closed")
	// ErrLostContact ends a run that could not reach Blaise for too long (A26).
	ErrLostContact = errors.New("Lost contact with Blaise")
	// ErrFenced ends a run whose lease was taken over, or may have been (X2).
	ErrFenced = errors.New("fenced: the lease is another run's")
)

// refusal is why a run cannot even begin: nothing was opened, or what was is
// closed again, and the message stays queued (A22).
type refusal struct{ err error }

// Error leaves out that it is refused: whoever says why says that first.
func (r refusal) Error() string {
	return strings.ReplaceAll(r.err.Error(), plug.ErrRefused.Error()+": ", "")
}
func (r refusal) Unwrap() error { return r.err }

// loggedOut is an agent without a login: another agent's runs can begin.
type loggedOut struct{ error }

func (l loggedOut) Unwrap() error { return l.error }

// plugFailure is a stack that does not open.
type plugFailure struct{ err error }

func (p plugFailure) Error() string { return p.err.Error() }
func (p plugFailure) Unwrap() error { return p.err }
