package blaise

import "time"

// ReasonSessionEnded is the reason of a message that the end of its session took.
// It is a contract with scripts.
const ReasonSessionEnded = "session_ended"

// A Message is something a person said to a session's agent (X1).
type Message struct {
	ID      MessageID
	N       int
	Author  string
	Text    string
	State   MessageState
	Answer  string // what the agent said in the turn, as far as it was kept
	Run     RunID
	Turn    int // the turn that answers it, counted over the session
	Repeats int // how often the prompt was written again, each shown
	Reason  string
	Stop    string // the agent's stop reason, verbatim
	Usage   Usage  // of its turns
	// Attachments go with Text, each time it is written.
	Attachments []Attachment
	Now         bool // interrupt and send now: goes before all that wait
	Resume      bool // interrupted: the agent is to be asked to go on

	Key         string // idempotency key, unique in the session
	QueuedAt    time.Time
	DeliveredAt time.Time
	AnsweredAt  time.Time
}

// Final says that nothing more happens to the message.
func (m Message) Final() bool {
	switch m.State {
	case MessageQueued, MessageDelivered, MessageInterrupted:
		return false
	}
	return true
}

// A MessageState says how far a message has come.
type MessageState string

// The states of a message. A message is delivered when Blaise has committed
// that it is, before the bytes are written to the agent.
const (
	MessageQueued      MessageState = "queued"
	MessageDelivered   MessageState = "delivered"
	MessageAnswered    MessageState = "answered"
	MessageCancelled   MessageState = "cancelled"
	MessageInterrupted MessageState = "interrupted"
	MessageFailed      MessageState = "failed"
	MessageWithdrawn   MessageState = "withdrawn"
)

// A Question is something a person must decide before a turn can go on.
type Question struct {
	ID         QuestionID    `json:"id,omitempty"`
	N          int           `json:"n,omitempty"`
	Key        string        `json:"key,omitempty"` // the run's own id of it, the same when it is sent again
	Run        RunID         `json:"run,omitempty"`
	Turn       MessageID     `json:"turn,omitempty"`
	Kind       string        `json:"kind"`           // permission, elicitation, context_loss, interrupted_turn
	Asks       *Action       `json:"asks,omitempty"` // permission: what the gate is asked about
	Tool       string        `json:"tool,omitempty"` // permission: the agent's id of the call
	Rule       string        `json:"rule,omitempty"` // permission: the gate's, in words
	Title      string        `json:"title"`
	Detail     []byte        `json:"detail,omitempty"` // JSON, as the agent gave it
	Options    []Option      `json:"options,omitempty"`
	State      QuestionState `json:"state,omitempty"`
	Choice     string        `json:"choice,omitempty"`  // the id of the option chosen
	Content    []byte        `json:"content,omitempty"` // JSON: what was filled in, of an elicitation
	By         string        `json:"by,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	AskedAt    time.Time     `json:"askedAt,omitzero"`
	AnsweredAt time.Time     `json:"answeredAt,omitzero"`
}

// An Option is one answer a question allows. Kind is the agent's word for it:
// allow_once, allow_always, reject_once, reject_always.
type Option struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Caution is what a person should know before taking the option, or "".
func (o Option) Caution() string {
	if o.Kind != "allow_always" {
		return ""
	}
	return "the agent does not ask again, and the gate sees only what is asked"
}

// A QuestionState says how far a question has come.
type QuestionState string

// The states of a question. One that was answered but overtaken by a stop
// stays answered, never applied.
const (
	QuestionOpen     QuestionState = "open"
	QuestionAnswered QuestionState = "answered"
	QuestionApplied  QuestionState = "applied"
	QuestionExpired  QuestionState = "expired"
)
