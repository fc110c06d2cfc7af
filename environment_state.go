package blaise

import "slices"

// An EnvironmentEvent is what moves an environment from one state to the next.
// The guard that chose it stands in brackets.
type EnvironmentEvent string

// The events of the table.
const (
	onConnectedStart    EnvironmentEvent = "run_connected(start)"
	onConnectedResume   EnvironmentEvent = "run_connected(resume)"
	onConnectedTeardown EnvironmentEvent = "run_connected(teardown)"
	onOpened            EnvironmentEvent = "opened"
	onStop              EnvironmentEvent = "stop_confirmed"
	onPlugFailed        EnvironmentEvent = "plug_failed"
	onRunFailed         EnvironmentEvent = "run_failed"
	onSignalled         EnvironmentEvent = "signalled"
	onRunLost           EnvironmentEvent = "run_lost"
	onRunLostLast       EnvironmentEvent = "run_lost(last try)"
	onRefused           EnvironmentEvent = "refused"
	onRefusedRemains    EnvironmentEvent = "refused(an earlier run left something)"
	onPauseExit         EnvironmentEvent = "pause_reported(exit)"
	onPauseTeardown     EnvironmentEvent = "pause_reported(teardown)"
	onEnded             EnvironmentEvent = "ended"
	onGaveUp            EnvironmentEvent = "gave_up"
	onClock             EnvironmentEvent = "clock(max_paused)"
	onDestroyed         EnvironmentEvent = "destroyed"
	onTeardownFailed    EnvironmentEvent = "teardown_failed"
	onTeardownLast      EnvironmentEvent = "teardown_failed(last try)"
	onRetry             EnvironmentEvent = "retry"
	onMarkDestroyed     EnvironmentEvent = "mark_destroyed(reason)"
	onRevoked           EnvironmentEvent = "runner_revoked"
	onLeaves            EnvironmentEvent = "runner_leaves"
	onBackOpening       EnvironmentEvent = "run_back(never open)"
	onBackOpen          EnvironmentEvent = "run_back(open)"
	onBackStopping      EnvironmentEvent = "run_back(stopping)"
)

// An environmentRule is one row of the table: all there is to know of a state.
type environmentRule struct {
	state   EnvironmentState
	meaning string
	clocks  []ClockKind
	next    map[EnvironmentEvent]EnvironmentState
}

// environmentRules is the table of SPEC "States". A new state costs one row.
var environmentRules = []environmentRule{
	{
		state: EnvNone, meaning: "Nothing has been made yet; the first run makes it.",
		next: map[EnvironmentEvent]EnvironmentState{onConnectedStart: EnvCreating},
	},
	{
		state: EnvCreating, meaning: "A run is making the environment, plug by plug.",
		clocks: []ClockKind{ClockOpen},
		next: map[EnvironmentEvent]EnvironmentState{
			onOpened: EnvOpen, onStop: EnvPausing, onPlugFailed: EnvTearingDown,
			onRunFailed: EnvTearingDown, onSignalled: EnvTearingDown, onRunLost: EnvUnattended,
			onRefused: EnvNone, onRefusedRemains: EnvUnattended, onRevoked: EnvLost,
		},
	},
	{
		state: EnvResuming, meaning: "A run is taking up what an earlier run left.",
		clocks: []ClockKind{ClockOpen},
		next: map[EnvironmentEvent]EnvironmentState{
			onOpened: EnvOpen, onStop: EnvPausing, onPlugFailed: EnvTearingDown,
			onRunFailed: EnvTearingDown, onSignalled: EnvTearingDown, onRunLost: EnvUnattended,
			onRefused: EnvPaused, onRevoked: EnvLost,
		},
	},
	{
		state: EnvOpen, meaning: "A run has it open; the agent works in it, or waits for a message.",
		clocks: []ClockKind{ClockIdle},
		next: map[EnvironmentEvent]EnvironmentState{
			onStop: EnvPausing, onSignalled: EnvTearingDown, onRunFailed: EnvTearingDown,
			onRunLost: EnvUnattended, onRevoked: EnvLost,
		},
	},
	{
		state:   EnvPausing,
		meaning: "The run has confirmed a stop: it saves the work and pauses the plugs.",
		clocks:  []ClockKind{ClockHook},
		next: map[EnvironmentEvent]EnvironmentState{
			onPauseExit: EnvPaused, onPauseTeardown: EnvTearingDown, onRunLost: EnvUnattended,
			onRunFailed: EnvTearingDown, onSignalled: EnvTearingDown, onRevoked: EnvLost,
		},
	},
	{
		state:   EnvPaused,
		meaning: "No process runs; what the plugs made is kept, and a message wakes it.",
		clocks:  []ClockKind{ClockMaxPaused},
		next: map[EnvironmentEvent]EnvironmentState{
			onConnectedResume: EnvResuming, onEnded: EnvTeardownWaiting,
			onGaveUp: EnvTeardownWaiting, onClock: EnvTeardownWaiting, onRevoked: EnvLost,
			onLeaves: EnvTeardownWaiting,
		},
	},
	{
		state:   EnvUnattended,
		meaning: "Its run died without pausing; the next message takes it up as it was left.",
		clocks:  []ClockKind{ClockMaxPaused},
		next: map[EnvironmentEvent]EnvironmentState{
			onConnectedStart: EnvCreating, onConnectedResume: EnvResuming,
			onEnded: EnvTeardownWaiting, onGaveUp: EnvTeardownWaiting, onClock: EnvTeardownWaiting,
			onBackOpening: EnvCreating, onBackOpen: EnvOpen, onBackStopping: EnvPausing,
			onRevoked: EnvLost, onLeaves: EnvTeardownWaiting,
		},
	},
	{
		state:   EnvTeardownWaiting,
		meaning: "A teardown is owed: a run for it is offered, or the next try waits.",
		clocks:  []ClockKind{ClockTeardown},
		next: map[EnvironmentEvent]EnvironmentState{
			onConnectedTeardown: EnvTearingDown, onBackStopping: EnvTearingDown,
			onTeardownLast: EnvOrphaned, onRunLostLast: EnvOrphaned, onRevoked: EnvLost,
		},
	},
	{
		state: EnvTearingDown, meaning: "A run destroys what the plugs made.",
		clocks: []ClockKind{ClockHook},
		next: map[EnvironmentEvent]EnvironmentState{
			onDestroyed: EnvDestroyed, onTeardownFailed: EnvTeardownWaiting,
			onTeardownLast: EnvOrphaned, onRunLost: EnvTeardownWaiting, onRunLostLast: EnvOrphaned,
			onRevoked: EnvLost,
		},
	},
	{
		state:   EnvOrphaned,
		meaning: "Every try to tear it down has failed: retry, or mark it destroyed.",
		next: map[EnvironmentEvent]EnvironmentState{
			onRetry: EnvTeardownWaiting, onMarkDestroyed: EnvDestroyed, onRevoked: EnvLost,
		},
	},
	{
		state: EnvDestroyed, meaning: "Everything the plugs made is gone.",
		next: map[EnvironmentEvent]EnvironmentState{onConnectedStart: EnvCreating},
	},
	{
		state:   EnvLost,
		meaning: "Its runner was revoked: what it left is listed, and nobody can tear it down.",
		next: map[EnvironmentEvent]EnvironmentState{
			onConnectedStart: EnvCreating, onMarkDestroyed: EnvDestroyed,
		},
	},
}

var environmentIndex = func() map[EnvironmentState]environmentRule {
	index := make(map[EnvironmentState]environmentRule, len(environmentRules))
	for _, r := range environmentRules {
		index[r.state] = r
	}
	return index
}()

// EnvironmentStates lists the states in the order of the table.
func EnvironmentStates() []EnvironmentState {
	states := make([]EnvironmentState, 0, len(environmentRules))
	for _, r := range environmentRules {
		states = append(states, r.state)
	}
	return states
}

// Meaning explains the state in a sentence (A5).
func (s EnvironmentState) Meaning() string { return environmentIndex[s].meaning }

// Clocks are the kinds of clock that the state itself runs.
func (s EnvironmentState) Clocks() []ClockKind { return slices.Clone(environmentIndex[s].clocks) }

// Final says that nothing is left of the environment: only another generation
// follows.
func (s EnvironmentState) Final() bool { return s == EnvDestroyed }

// Rests says that nothing more happens to the environment by itself.
func (s EnvironmentState) Rests() bool {
	switch s {
	case EnvNone, EnvDestroyed, EnvOrphaned, EnvLost:
		return true
	}
	return false
}

// Next is the state that follows on the event, false if the table has no row.
func (s EnvironmentState) Next(on EnvironmentEvent) (EnvironmentState, bool) {
	next, ok := environmentIndex[s].next[on]
	return next, ok
}

// Events are the events that the state has a row for, sorted.
func (s EnvironmentState) Events() []EnvironmentEvent {
	var events []EnvironmentEvent
	for on := range environmentIndex[s].next {
		events = append(events, on)
	}
	slices.Sort(events)
	return events
}
