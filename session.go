package blaise

import "time"

// A Session is a conversation with an agent over hours and days: a series of
// runs, at most one at a time (A1), in an environment that outlives them.
type Session struct {
	ID        SessionID
	Agent     AgentName
	State     SessionState // derived by Decide from all that the snapshot holds
	Held      bool         // B11: every clock and every offer stands still
	HeldSince time.Time
	Outcome   Outcome // "" until ended
	Reason    string  // why it ended, for people
	Title     string
	Author    string // who began it
	Inputs    map[string]string
	Repo      string    // the source repository of its environment, a directory or an address; "" if it is not known
	From      SessionID // the session whose work it goes on from, "" for none

	Runner   RunnerID   // A31: the runner that ran it last, "" before the first run
	Instance InstanceID // the instance that ran it last
	Machine  MachineID

	Conversation Conversation
	Wanted       map[string]string // settings people chose that the agent has not taken yet
	Usage        Usage             // of all turns
	Active       time.Duration     // time in turns, without the time a turn waited on a person (B8)
	ActiveSince  time.Time         // of the turn that is open
	Context      ContextState      // X6
	Failures     int               // A24: runs lost, or refused by the runner's fault, since the last answered turn
	SpawnFails   int               // A25: runs whose process could not be started, in a row
	Blocked      string            // why no run is offered for what waits: the last was refused; else ""

	Runs, Messages, Questions, Saves int   // how many there have been: the next number is one more
	Turns                            int   // turns answered
	Directives                       int64 // the number of the last directive

	CreatedAt time.Time
	EndedAt   time.Time // zero until ended
	Version   int64     // counts the transactions that changed the session
}

// A Conversation is what must be known to load an ACP session again (A13). It
// is empty until an agent has made one.
type Conversation struct {
	ACP          string `json:"acp,omitempty"` // the agent's own id of it
	CWD          string `json:"cwd,omitempty"`
	Agent        string `json:"agent,omitempty"` // as the agent names itself
	AgentVersion string `json:"agentVersion,omitempty"`
	Home         string `json:"home,omitempty"`
	Turns        int    `json:"turns,omitempty"` // completed in it
	Generation   int    `json:"generation,omitempty"`
	// OpenedAt is when the agent began it, or loaded it last.
	OpenedAt time.Time `json:"openedAt,omitzero"`
	// Settings are the modes, models and options that were chosen in it: the
	// agent forgets them when it loads.
	Settings map[string]string `json:"settings,omitempty"`
	// Cost is what the agent says the conversation has cost so far.
	Cost float64 `json:"cost,omitempty"`
}

// A SessionState says what a session is doing, in one word.
type SessionState string

// The states of a session. None is stored by hand: Decide derives the state
// from the environment, the run, the messages and the questions.
const (
	SessionWaiting SessionState = "waiting" // at the door (B3)
	SessionQueued  SessionState = "queued"  // a message needs a run, or a run is starting
	SessionWorking SessionState = "working" // in a turn
	SessionParked  SessionState = "parked"  // a turn waits on a person
	SessionIdle    SessionState = "idle"    // the run is alive, no turn
	SessionPaused  SessionState = "paused"  // nothing runs; a message wakes it
	SessionEnded   SessionState = "ended"
)

// An Outcome says how a session ended.
type Outcome string

// The outcomes of a session.
const (
	OutcomeSucceeded Outcome = "succeeded" // ended by a person, closed, completed, idle end, maxPaused
	OutcomeTimedOut  Outcome = "timed_out" // expiry, budget
	OutcomeCancelled Outcome = "cancelled" // a signal (A20), or nothing ever ran
	OutcomeFailed    Outcome = "failed"
)

// A ContextState says how much of the conversation the agent has after a
// resume (X6): shown as a badge and, if not full, told in a notice.
type ContextState string

// The context states. The zero value means that no resume has happened.
const (
	ContextFull       ContextState = "full"
	ContextPartial    ContextState = "partial"
	ContextNone       ContextState = "none"
	ContextUnverified ContextState = "unverified"
)

// Words says how much the agent remembers after a resume; "" if none has
// happened. "Context" alone would be read as the window of the model.
func (c ContextState) Words() string {
	switch c {
	case "":
		return ""
	case ContextFull:
		return "remembers all"
	case ContextPartial:
		return "remembers a part"
	case ContextNone:
		return "remembers nothing"
	}
	return "memory not verified"
}
