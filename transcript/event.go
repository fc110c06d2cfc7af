package transcript

import (
	"encoding/json"
	"time"
)

// An Event is one entry of a session's record. A run writes N, Blaise gives
// Seq when it accepts the event; both are gapless.
type Event struct {
	Seq  int64           `json:"seq,omitempty"` // over the session, given by Blaise
	N    int64           `json:"n,omitempty"`   // over the run, given by the recorder
	At   time.Time       `json:"at"`
	Run  string          `json:"run,omitempty"`  // "" for Blaise's own notices
	Turn string          `json:"turn,omitempty"` // the message the turn answers
	Kind Kind            `json:"kind"`
	Late bool            `json:"late,omitempty"` // came after its turn's response
	Data json.RawMessage `json:"data,omitempty"`

	// Replay marks an event of a session/load: filters see it, the recorder
	// drops it (A13). It is never on disk.
	Replay bool `json:"-"`
}

// A Kind names what an event is. docs/protocol.md documents the data of each.
type Kind string

// The kinds.
const (
	KindMessage   Kind = "message"    // what a person said: {message, author, text, repeat}
	KindUpdate    Kind = "update"     // an ACP session/update, verbatim
	KindTurnBegan Kind = "turn_began" // {message}
	KindTurnEnded Kind = "turn_ended" // {message, result, stopReason, usage}
	KindAsked     Kind = "asked"      // {question, kind, title, options, tool, asks}
	KindDecided   Kind = "decided"    // {question, choice, by, reason, rule}
	KindNotice    Kind = "notice"     // {text, ...}: something a reader should know
	KindState     Kind = "state"      // {subject, from, to, reason}: a change of state
	KindOutput    Kind = "output"     // {source, text}: of a plug, a hook, an agent's stderr
	KindProgress  Kind = "progress"   // {what, done, total, unit}: of long work
	KindAgent     Kind = "agent"      // {name, version, ...}: what the agent said of itself
	KindGap       Kind = "gap"        // {from, to, why}: events that are missing
)

// A Sink takes events in order. Append may block (backpressure) and does not
// keep e.Data after it returns unless it copies it.
type Sink interface {
	Append(e Event) error
}

// SinkFunc makes a function a Sink.
type SinkFunc func(Event) error

// Append calls f.
func (f SinkFunc) Append(e Event) error { return f(e) }

// New makes an event of a kind with data marshalled from v, without a time.
// It panics if v cannot be marshalled: that is a programmer's mistake.
func New(kind Kind, v any) Event {
	b, err := json.Marshal(v)
	if err != nil {
		panic("transcript: marshal " + string(kind) + ": " + err.Error())
	}
	return Event{Kind: kind, Data: b}
}
