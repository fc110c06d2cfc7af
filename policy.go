package blaise

import "time"

// A Policy holds what an agent's spec in Blaise settles for its sessions (A6).
// The zero value is not usable; start from [DefaultPolicy].
type Policy struct {
	IdleAfter        time.Duration
	IdleThen         Then // pause or end
	IdleCannotResume Then // what an idle session with a plug that cannot resume does
	// OthersWait is how long a session may be idle while others wait for its place
	// at work, or for the slot of its run; nil for the default, 0: as long as ever.
	OthersWait        *time.Duration `json:",omitempty"`
	MaxPaused         time.Duration  // 0: no limit
	ConnectTimeout    time.Duration
	Beat              time.Duration // X2: the heartbeat interval
	Misses            int           // X2: beats missed before the run stops itself
	SilenceWarn       time.Duration // 0: off
	SilenceStalled    time.Duration // 0: off
	OnContextLoss     Reaction      // A14
	OnInterruptedTurn Reaction      // A23
	QuestionsAfter    time.Duration // 0: wait for ever
	QuestionsThen     Then          // deny or pause
	Gate              Gate          `json:",omitempty"` // B4; before the default
	ExpiresAfter      time.Duration // B8, 0: never
	// Retain is how long a session is kept after it ended; nil: as long as Blaise
	// keeps any, 0: for ever.
	Retain *time.Duration `json:",omitempty"`
	// TeardownRetry are the waits between the tries of a teardown (A19); nil
	// for the default, empty for none: orphaned at the first failure.
	TeardownRetry []time.Duration

	Limits Limits
	// Concurrency is how many runs of its sessions may be at work at once; 0: any
	// number. Runs that start no agent do not count.
	Concurrency int `json:",omitempty"`

	Disabled bool // A27
	Archived bool // A27
	Revision int  // of the agent's spec, shown beside every decision taken from it
	// SetBy says for each setting that was ever set who did it last (X7).
	SetBy map[string]string
}

// Limits are the technical limits of a run. They travel with the lease.
type Limits struct {
	AgentStart time.Duration `json:"agentStart"`
	Load       time.Duration `json:"load"`
	Open       time.Duration `json:"open"`
	Hook       time.Duration `json:"hook"`
	StopGrace  time.Duration `json:"stopGrace"`
}

// Then is what is done when a clock fires.
type Then string

// The values of Then; which of them a setting allows is said beside it.
const (
	ThenPause Then = "pause"
	ThenEnd   Then = "end"
	ThenDeny  Then = "deny"
)

// A Reaction is what is done about a lost conversation or a broken turn.
type Reaction string

// The reactions.
const (
	ReactContinue Reaction = "continue"
	ReactAsk      Reaction = "ask"
	ReactFail     Reaction = "fail"
)

// DefaultPolicy is what `spec: {}` means.
func DefaultPolicy() Policy {
	return Policy{
		IdleAfter: 15 * time.Minute, IdleThen: ThenPause, IdleCannotResume: ThenEnd,
		MaxPaused: 7 * 24 * time.Hour, ConnectTimeout: 2 * time.Minute,
		Beat: 20 * time.Second, Misses: 90,
		SilenceWarn:   10 * time.Minute,
		OnContextLoss: ReactContinue, OnInterruptedTurn: ReactContinue,
		QuestionsAfter: 24 * time.Hour, QuestionsThen: ThenDeny,
		Limits: Limits{
			AgentStart: 2 * time.Minute, Load: 10 * time.Minute, Open: 30 * time.Minute,
			Hook: 5 * time.Minute, StopGrace: 10 * time.Second,
		},
	}
}

// The fence, counted in beats since the last acknowledged one (X2): at Misses
// the run stops itself, at KillAfter its shims kill what still lives, at
// LostAfter Blaise declares it lost.

// Reach is how long a run may be silent before an act that needs it is refused
// at once, and how long Blaise listens, when it was away, before it acts on what
// fell due meanwhile.
func (p Policy) Reach() time.Duration { return 3 * p.Beat }

// KillAfter is when the shims of a run kill what still lives.
func (p Policy) KillAfter() time.Duration { return p.Beat * time.Duration(p.Misses+p.Misses/10) }

// StopAfter is when a run that reaches Blaise no more stops itself (A26).
func (p Policy) StopAfter() time.Duration { return p.Beat * time.Duration(p.Misses) }

// LostAfter is when Blaise declares a silent run lost.
func (p Policy) LostAfter() time.Duration { return p.Beat * time.Duration(p.Misses+p.Misses/5) }

// spawnDelays are the waits before another run after one whose process could
// not be started (A25).
var spawnDelays = []time.Duration{5 * time.Second, 30 * time.Second}

// maxFailures is how many runs may be lost or refused in a row (A24).
const maxFailures = 3

// StopReceipt is how long a stop may stay unconfirmed before it is void (A7).
const StopReceipt = 10 * time.Second
