package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Error codes of JSON-RPC 2.0 and of ACP (schema 1.21, "ErrorCode").
const (
	CodeParse            = -32700
	CodeInvalidRequest   = -32600
	CodeMethodNotFound   = -32601
	CodeInvalidParams    = -32602
	CodeInternal         = -32603
	CodeRequestCancelled = -32800
	CodeAuthRequired     = -32000
	CodeNotFound         = -32002
)

var (
	// ErrClosed is what every call finds once the connection has ended. A
	// *DiedError is ErrClosed too.
	ErrClosed = errors.New("connection to agent closed")
	// ErrStalled means that the agent took no byte from its stdin for
	// Options.WriteTimeout. A frame was torn: kill the agent.
	ErrStalled = errors.New("agent does not read its stdin")
	// ErrTurnOpen refuses a prompt on a session whose last one is unanswered.
	ErrTurnOpen = errors.New("a prompt is open on this session")
	// ErrProtocol means that the agent answered initialize with a version
	// other than 1.
	ErrProtocol = errors.New("agent does not speak protocol version 1")
	// ErrCancelled is the cause of the context of a permission request that
	// Cancel or $/cancel_request has answered.
	ErrCancelled = errors.New("request cancelled")
	// ErrMethodNotFound is what Handler.Request returns for a method it does
	// not serve.
	ErrMethodNotFound = &Error{Code: CodeMethodNotFound, Message: "method not found"}
)

// Error is an error that the agent answered, or that we answer the agent. Local
// failures are never an *Error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error gives message and code, and the text of data where there is one.
func (e *Error) Error() string {
	msg := e.Message
	if d := e.details(); d != "" && !strings.Contains(msg, d) {
		msg += ": " + d
	}
	return fmt.Sprintf("agent: %s (%d)", msg, e.Code)
}

// details is where the common agents put the real reason.
func (e *Error) details() string {
	if s := str(e.Data); s != "" {
		return s
	}
	for _, key := range []string{"details", "message", "error"} {
		if s := str(field(e.Data, key)); s != "" {
			return s
		}
	}
	return ""
}

func decodeError(raw json.RawMessage) *Error {
	if raw[0] != '{' {
		return &Error{Code: CodeInternal, Message: str(raw), Data: raw}
	}
	return &Error{
		Code:    int(integer(field(raw, "code"))),
		Message: str(field(raw, "message")),
		Data:    field(raw, "data"),
	}
}

// Written tells how much of a call had left when its connection ended.
type Written int

// A call that is Unsent is unknown to the agent; Torn and Sent calls may have
// had their effect.
const (
	Unsent Written = iota
	Torn
	Sent
)

// String is "unsent", "torn" or "sent".
func (w Written) String() string { return [...]string{"unsent", "torn", "sent"}[w] }

// DiedError fails a call whose connection ended before the answer came. It is
// ErrClosed, and wraps the cause: io.EOF when the agent closed its stdout,
// ErrStalled, a pipe error, or the cause of Run's context.
type DiedError struct {
	Method  string
	Written Written
	// Noise is the last line on stdout that was no frame: often the reason.
	Noise string
	Cause error
}

// Error says which call failed, how far it got and why.
func (e *DiedError) Error() string {
	s := fmt.Sprintf("%s: connection to agent ended (%s): %v", e.Method, e.Written, e.Cause)
	if e.Noise != "" {
		s += fmt.Sprintf("; last output: %q", e.Noise)
	}
	return s
}

// Unwrap returns the cause.
func (e *DiedError) Unwrap() error { return e.Cause }

// Is makes every DiedError an ErrClosed.
func (e *DiedError) Is(target error) bool { return target == ErrClosed }

// GapError fails a call whose answer was longer than Options.MaxLine.
type GapError struct {
	Method string
	Gap    Gap
}

// Error names the call and the size.
func (e *GapError) Error() string {
	return fmt.Sprintf("%s: answer of %d bytes is too long", e.Method, e.Gap.Size)
}

// Wordings collected from real agents; no code is reserved for any of these.
var (
	authWords = regexp.MustCompile(`(?i)auth(entication|_| )?\s?required|not logged in|please log ?in`)
	goneWords = regexp.MustCompile(`(?i)not[ _-]?found|unknown session|invalid session identifier|` +
		`no previous sessions|no rollout found|query closed|no such session|` +
		`service failure.*"service":\s*"session"`) // the last is opencode 1.18 and kilo 7.7
	busyWords = regexp.MustCompile(`(?i)active in another process|already (in use|open|active)|` +
		`\blocked\b|\bbusy\b|in progress`)
)

// IsAuthRequired tells whether the agent wants Authenticate, or a login, first.
func IsAuthRequired(err error) bool {
	e, ok := agentError(err)
	return ok && (e.Code == CodeAuthRequired || authWords.MatchString(e.text()))
}

// IsSessionNotFound tells whether the agent says that it does not have the
// session (seen: -32001, -32002, and -32602 and -32603 with words). A busy or
// locked session, a timeout and a dead agent are not that: they are no reason
// to begin a new conversation.
func IsSessionNotFound(err error) bool {
	e, ok := agentError(err)
	if !ok || IsBusy(err) {
		return false
	}
	switch e.Code {
	case -32001, CodeNotFound:
		return true
	case CodeInvalidParams, CodeInternal:
		return goneWords.MatchString(e.text())
	}
	return false
}

// IsBusy tells whether the session is held by somebody else (a lock that
// outlived its process, for one): it exists, and cannot be used now.
func IsBusy(err error) bool {
	e, ok := agentError(err)
	return ok && busyWords.MatchString(e.text())
}

func agentError(err error) (*Error, bool) {
	var e *Error
	return e, errors.As(err, &e)
}

func (e *Error) text() string { return e.Message + " " + string(e.Data) }
