package blaise

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// A Snapshot is all of one session that a decision may read, loaded and
// written in one transaction under the session's lock (A30).
type Snapshot struct {
	Policy      Policy
	Session     Session
	Environment Environment
	Run         *Run        // the one that has not ended; nil if there is none
	Last        *Run        // the one before, for takebacks; nil if there is none
	Messages    []Message   // those not final, in order
	Questions   []Question  // those open or answered, in order
	Directives  []Directive // those of Run not yet received
	Clocks      []Clock
	Save        SavedWork // the last save, N 0 if there is none
	Crowded     bool      // Run waits for another of the agent to end; for who explains alone
}

// NewSnapshot is a session to which nothing was said yet, and for which nothing
// was made.
func NewSnapshot(s Session, p Policy) Snapshot {
	s.State = SessionQueued
	return Snapshot{
		Policy: p, Session: s,
		Environment: Environment{ID: s.ID.Environment(1), State: EnvNone, Generation: 1, Clean: true},
	}
}

// A Directive is what Blaise tells a run, as a row: numbered over the session,
// and binding only when the run has received it (A7). Package directive holds
// the order in which a run obeys them.
type Directive struct {
	N       int64         `json:"n"`
	Run     RunID         `json:"run"`
	Kind    DirectiveKind `json:"kind"`
	Stop    *Stop         `json:"stop,omitempty"`
	Message MessageID     `json:"message,omitempty"` // prompt, cancel
	Text    string        `json:"text,omitempty"`    // prompt
	// Attachments go with the text of a prompt.
	Attachments []Attachment `json:"attachments,omitempty"`
	Repeat      int          `json:"repeat,omitempty"`   // prompt: written this often before
	GoOn        bool         `json:"goOn,omitempty"`     // prompt: ask to go on where the replay holds it
	Question    QuestionID   `json:"question,omitempty"` // answer
	Key         string       `json:"key,omitempty"`      // answer: the run's own id of the question
	Choice      string       `json:"choice,omitempty"`   // answer: an option's id, "" for cancelled
	By          string       `json:"by,omitempty"`       // answer: who decided; prompt: who said it
	Rule        string       `json:"rule,omitempty"`     // answer: the gate's, in words
	Content     []byte       `json:"content,omitempty"`  // answer: JSON, of a form
	Reason      string       `json:"reason,omitempty"`   // cancel, answer
	// Set are the settings to choose, of a set; an empty value takes a choice back.
	Set      map[string]string `json:"set,omitempty"`
	IssuedAt time.Time         `json:"issuedAt"`
}

// A DirectiveKind names a directive.
type DirectiveKind string

// The directives, strongest first.
const (
	DirectiveStop   DirectiveKind = "stop"
	DirectiveCancel DirectiveKind = "cancel"
	DirectiveShell  DirectiveKind = "shell" // Key: the shell's id
	DirectiveAnswer DirectiveKind = "answer"
	DirectiveDiff   DirectiveKind = "diff"
	DirectiveSet    DirectiveKind = "set"
	DirectivePrompt DirectiveKind = "prompt"
)

// A Plan is what an event means: the snapshot after it, and what has to be
// written beside it. The store writes all of it or nothing.
type Plan struct {
	Next    Snapshot // rows that left it (ended runs, final messages) are in Ended
	Ended   Ended
	Issue   []Directive // new
	Void    []int64     // directives taken back before they were received
	History []Change
	Notices []Notice
	News    []News  // what programs outside are told of
	Verdict Verdict // what the caller is told
}

// TurnsEnded yields each message whose turn the plan has ended, with the change
// that says how.
func (p Plan) TurnsEnded() iter.Seq2[Message, Change] {
	return func(yield func(Message, Change) bool) {
		for _, c := range p.History {
			id, ok := strings.CutPrefix(c.Subject, "message:")
			if !ok || c.From != string(MessageDelivered) {
				continue
			}
			for _, m := range slices.Concat(p.Ended.Messages, p.Next.Messages) {
				if string(m.ID) == id && !yield(m, c) {
					return
				}
			}
		}
	}
}

// Ended holds rows that became final and so are no part of the next snapshot.
type Ended struct {
	Runs      []Run
	Messages  []Message
	Questions []Question
}

// A Change is one line of history: what changed, from what to what, why, by
// whom, and from which setting.
type Change struct {
	Subject string // session, environment, run:ID, message:ID, question:ID, clock:KIND
	From    string
	To      string
	Event   string
	Reason  string
	By      string
	Setting string
	At      time.Time
}

// A Notice is a line that Blaise itself adds to the transcript.
type Notice struct {
	Kind string // a transcript kind
	Text string
	Data map[string]any
}

// A Verdict is the answer to who brought the event.
type Verdict string

// The verdicts.
const (
	VerdictNone     Verdict = ""
	VerdictGo       Verdict = "go"       // the stop binds: pause
	VerdictVoid     Verdict = "void"     // overtaken: go on as if it had not been
	VerdictExit     Verdict = "exit"     // leave everything as it is
	VerdictTeardown Verdict = "teardown" // destroy, in this process
	VerdictPending  Verdict = "pending"  // an end: wait for the run's receipt
	VerdictDone     Verdict = "done"     // settled at once
)
