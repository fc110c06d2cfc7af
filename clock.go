package blaise

import "time"

// A Clock is a row: what happens to a session when a time is reached, and the
// setting it came from. A hold takes the rows out and gives the time back.
type Clock struct {
	Kind    ClockKind
	Subject string // the run, question or environment it is about, "" for the session
	Since   time.Time
	DueAt   time.Time
	Setting string // "policy.idle.after = 15m (agent demo, revision 3)"
}

// A ClockKind names a clock. Which kinds run in which state follows from
// Decide alone.
type ClockKind string

// The clocks.
const (
	ClockIdle        ClockKind = "idle"         // open, no turn -> stop
	ClockMaxPaused   ClockKind = "max_paused"   // paused or unattended -> end
	ClockConnect     ClockKind = "connect"      // accepted, not connected -> lost
	ClockLost        ClockKind = "lost"         // X2: silent for 108 beats -> lost
	ClockOpen        ClockKind = "open"         // limits.open -> stop, then failed
	ClockHook        ClockKind = "hook"         // limits.hook -> shown as overdue
	ClockReceipt     ClockKind = "stop_receipt" // A7: 10 s -> void
	ClockTeardown    ClockKind = "teardown"     // A19: the next try of a teardown
	ClockRetry       ClockKind = "retry"        // A25: the next run
	ClockSilenceWarn ClockKind = "silence_warn" // B5
	ClockStalled     ClockKind = "stalled"      // B5 -> cancel the turn
	ClockQuestion    ClockKind = "question"     // questions.after -> deny or pause
	ClockExpires     ClockKind = "expires"      // B8
	ClockDrain       ClockKind = "drain"        // X11 -> stop, whatever the turn does
)

// Meaning says in words what happens when the clock fires.
func (k ClockKind) Meaning() string { return clockMeanings[k] }

var clockMeanings = map[ClockKind]string{
	ClockIdle:        "the session pauses, or ends where the agent's idle policy says so",
	ClockMaxPaused:   "the session ends and its environment is torn down",
	ClockConnect:     "the run is given up and another takes its place",
	ClockLost:        "if nothing is heard until then, the run is declared lost and another may take its place",
	ClockOpen:        "opening has taken too long: the run is stopped and fails",
	ClockHook:        "a pause or teardown takes longer than its limit",
	ClockReceipt:     "a stop that the run has not received is void",
	ClockTeardown:    "the teardown is tried again",
	ClockRetry:       "another run is offered",
	ClockSilenceWarn: "the turn has been silent: a warning is shown",
	ClockStalled:     "the turn is cancelled as stalled",
	ClockQuestion:    "the question is answered by the agent's questions policy",
	ClockExpires:     "the session ends, whatever it does",
	ClockDrain:       "the turn is cancelled and the session pauses: its runner drains",
}

// Span is how long the clock runs from Since.
func (c Clock) Span() time.Duration { return c.DueAt.Sub(c.Since) }

// Left is what the clock of a session that is held since then will have when it
// is released (B11).
func (c Clock) Left(held time.Time) time.Duration { return c.DueAt.Sub(c.stoodFrom(held)) }

// stoodFrom is when a hold stopped the clock, or when it began during one.
func (c Clock) stoodFrom(held time.Time) time.Time {
	if c.Since.After(held) {
		return c.Since
	}
	return held
}

// ClockKinds lists the kinds in the order of their declaration.
func ClockKinds() []ClockKind {
	return []ClockKind{
		ClockIdle, ClockMaxPaused, ClockConnect, ClockLost, ClockOpen, ClockHook, ClockReceipt,
		ClockTeardown, ClockRetry, ClockSilenceWarn, ClockStalled, ClockQuestion, ClockExpires,
		ClockDrain,
	}
}
