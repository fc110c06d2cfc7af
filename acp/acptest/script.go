// Package acptest is a scripted agent for tests of what speaks the Agent Client
// Protocol. It runs inside the test over pipes, or as a real process: the test
// binary, started again. It does what a Script says and nothing clever; the
// faults are those seen in real agents.
package acptest

import "encoding/json"

// Script says how the agent behaves. The zero value is a plain agent, which
// answers each prompt with end_turn.
type Script struct {
	// Burst updates of Size bytes of text precede each prompt's response. The
	// text begins with the number of the update, from 1.
	Burst, Size int
	// Huge, if not 0, is the length of one more update's text.
	Huge int
	// HugeAnswer is the length of text in the response to a prompt.
	HugeAnswer int

	// Banner lines come before everything else, as they are.
	Banner []string
	// Glued is put in front of the first frame, on its line.
	Glued string
	// BOM puts a byte order mark before the first line, CRLF ends lines so.
	BOM, CRLF bool
	// Batch writes each response together with an update, as a JSON array.
	Batch bool

	// Permissions are asked at once in each prompt, after the burst; the
	// prompt is answered after all of them, with their outcomes as text.
	Permissions int
	// AskAs is the session they name; by default that of the prompt.
	AskAs string
	// Options are what they offer; by default no and yes.
	Options json.RawMessage `json:",omitempty"`
	// AskLate asks one more permission after session/cancel has come.
	AskLate bool
	// TakeBack sends $/cancel_request for the permissions right away.
	TakeBack bool
	// Ask is a method called with the sessionId in each prompt; its answer is sent on as
	// the text of an update.
	Ask string
	// AskID is the id of such requests, as JSON; default the numbers from 0.
	AskID string
	// AskSize pads the params of such requests.
	AskSize int

	// Replay updates belong to session/load, after its response if ReplayLate.
	Replay     int
	ReplayLate bool
	// ReplayOnResume plays back for session/resume too. Replayed are more
	// updates of a replay, verbatim.
	ReplayOnResume bool
	Replayed       []json.RawMessage
	// Late updates follow the response of a prompt.
	Late int
	// Updates are sent in each prompt, verbatim; Stray ones before the answer of
	// all that is no prompt.
	Updates, Stray []json.RawMessage

	// Memory is a file that holds the conversation, so that another process can
	// load it. A prompt is then a command if it is one word of: crash (exit in
	// the turn), hang (until session/cancel), deaf (for ever), refuse; any other
	// is answered with all that the user has said.
	Memory string
	// NoReplay restores without playing back; UnknownLoads answers a load of
	// what it does not have as if it had; Volatile forgets what was not answered.
	NoReplay, UnknownLoads, Volatile bool
	// LoadFails is how many loads fail first, over all processes, with LoadFault.
	LoadFails int
	LoadFault json.RawMessage `json:",omitempty"`
	// NeedAuth is a method without whose authenticate nothing works;
	// AuthInPrompt wants it only once a prompt comes.
	NeedAuth     string
	AuthInPrompt bool
	// Modes are the ids of the modes it has; it begins and loads in the first.
	Modes []string
	// Shifted answers the prompt after a cancel at once, with nothing.
	Shifted bool
	// CallLog is a file that gets a line, method and params, for each call.
	CallLog string

	// StringIDs gives back ids as strings, FloatIDs as 1.0.
	StringIDs, FloatIDs bool
	// NullIDError answers prompts with an error whose id is null; NoIDError
	// with one without id; NoResult with neither result nor error.
	NullIDError, NoIDError, NoResult bool
	// AnswerTwice answers each prompt once more, with another stop reason.
	AnswerTwice bool
	// Silent methods are never answered; at those of ExitOn it exits.
	ExitOn []string
	Silent []string
	// Errors are answered to methods, as JSON.
	Errors map[string]json.RawMessage
	// Results are answered to methods, as JSON.
	Results map[string]json.RawMessage

	// WaitForCancel answers a prompt only after session/cancel, with
	// CancelStop, or the error CancelError.
	WaitForCancel bool
	CancelStop    string
	CancelError   json.RawMessage `json:",omitempty"`

	// ExitAfterAnswer ends the agent right after it has answered a prompt,
	// ExitInPrompt before that, after the burst.
	ExitAfterAnswer, ExitInPrompt bool
	// StopReadingAfter messages it reads no more, and stays.
	StopReadingAfter int
	// Flood is how many bytes of updates it writes before it reads anything.
	Flood int

	// For a process: Stderr is written at its start; IgnoreEOF and IgnoreTerm
	// leave it running; Orphan is a file for the pid of a child of its own, in a
	// session of its own, which outlives it.
	Stderr                string
	IgnoreEOF, IgnoreTerm bool
	Orphan                string
}
