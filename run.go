package blaise

import "time"

// A Run is one process of the runner working on one session, from accepted to
// stopped (A1).
type Run struct {
	ID      RunID
	Kind    RunKind
	State   RunState
	Attempt int // the fencing number; the N of the id
	Outcome RunOutcome
	Reason  string

	Runner   RunnerID // the only runner it is offered to, or the one that took it; "" for any
	Instance InstanceID
	Machine  MachineID
	Boot     string // the daemon process that accepted it

	UnreachableSince time.Time // zero while its heartbeats come
	Declared         bool      // a person declared it lost: it is not taken back
	Ephemeral        bool      // its runner is there for this run alone
	Drain            string    // why its instance goes out of service, "" if it does not (X11)
	Leaves           bool      // its runner goes for good: no other run may come there (A31)
	Record           string    // how whole its transcript is, by its last report; "" before
	OfferedAt        time.Time
	AcceptedAt       time.Time
	ConnectedAt      time.Time
	EndedAt          time.Time

	Turn      MessageID // the message of the open turn, "" between turns
	TurnSince time.Time
	Stop      *Stop // the stop it has confirmed, nil before
}

// Final says that the run has ended.
func (r Run) Final() bool { return r.State == RunEnded }

// Works says that the run is one of those that an agent's concurrency bounds:
// somebody took it, it has not ended, and it has the agent's process.
func (r Run) Works() bool {
	return r.State != RunOffered && !r.Final() && r.Kind.HasAgent()
}

// A RunKind says what a run is for (A2).
type RunKind string

// The kinds of run.
const (
	RunStart    RunKind = "start"
	RunResume   RunKind = "resume"
	RunTeardown RunKind = "teardown"
	// RunShell opens a sleeping environment for a person's terminal, without an
	// agent, and pauses it again. However it ends, nothing is destroyed for it.
	RunShell RunKind = "shell"
)

// HasAgent says that runs of that kind start an agent. Those that do not never
// wait for a place at work: a teardown, and a terminal in a sleeping environment.
func (k RunKind) HasAgent() bool { return k == RunStart || k == RunResume }

// A RunState says how far a run has come.
type RunState string

// The states of a run.
const (
	RunOffered   RunState = "offered"
	RunAccepted  RunState = "accepted"
	RunConnected RunState = "connected"
	RunStopping  RunState = "stopping"
	RunEnded     RunState = "ended"
)

// A RunOutcome says how a run ended.
type RunOutcome string

// The outcomes of a run.
const (
	RunPaused    RunOutcome = "paused"
	RunTornDown  RunOutcome = "torn_down"
	RunCompleted RunOutcome = "completed" // a teardown run that destroyed
	RunFailed    RunOutcome = "failed"
	RunCancelled RunOutcome = "cancelled" // a signal (A20), or withdrawn before it was accepted
	RunLost      RunOutcome = "lost"
	RunRefused   RunOutcome = "refused" // ended before any plug opened
)

// A Stop tells a run to end (A7). It binds only when the run has confirmed it.
type Stop struct {
	Directive int64   `json:"directive"`
	Reason    string  `json:"reason"`
	MayResume bool    `json:"mayResume"`
	By        string  `json:"by"`                // a person, or "clock"
	Ends      bool    `json:"ends"`              // the session ends when the stop is confirmed
	Leaves    bool    `json:"leaves,omitempty"`  // the runner goes for good: the work must be with Blaise
	Clock     string  `json:"clock,omitempty"`   // the clock kind that asked for it
	Outcome   Outcome `json:"outcome,omitempty"` // of the session, if it ends
	Discard   string  `json:"discard,omitempty"` // why work that cannot be saved may be lost; "": it may not
}
