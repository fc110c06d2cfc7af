package blaise

import (
	"errors"
	"fmt"
)

// A Code says, for machines, what kind of thing went wrong. It decides the
// HTTP status and the exit code of the command line.
type Code string

// The codes, each with the exit code of the command line it becomes.
const (
	CodeInvalid     Code = "invalid"     // 2: the request itself is wrong
	CodeNotFound    Code = "not_found"   // 3: no such thing
	CodeRefused     Code = "refused"     // 4: the state does not allow it; nothing changed
	CodeStale       Code = "stale"       // 4: the lease was taken over (X2): stop now
	CodeUnreachable Code = "unreachable" // 5: Blaise, or the run, cannot be reached
	CodeDenied      Code = "denied"      // 4: the token does not allow it
	CodeInternal    Code = "internal"    // 1: ours to mend
)

// An Error reaches a person or crosses the wire. Message says what happened
// and to which thing; Hint says what to do.
type Error struct {
	Code    Code
	Message string
	Hint    string
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " (" + e.Hint + ")"
}

// Errorf makes an Error without a hint.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns a copy of e that says what to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// CodeOf finds the code in err's chain; CodeInternal if there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// Exit is the exit code of the command line that the code becomes; it is a
// contract with scripts. 0 is done, and 6 that what was waited for has failed.
func (c Code) Exit() int {
	switch c {
	case CodeInvalid:
		return 2
	case CodeNotFound:
		return 3
	case CodeRefused, CodeStale, CodeDenied:
		return 4
	case CodeUnreachable:
		return 5
	}
	return 1
}
