package dashboard

import (
	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A deed is one thing a person may do with a session. Says tells beforehand
// what it will do.
type deed struct {
	Name, Label, Says string
	Kind              blaise.EventKind
	Reason            bool // one is needed
	Force             bool // may be forced
	Danger            bool
	Run               bool               // it is done to the live run
	Sure              string             // what a person must tick first
	Delete            bool               // it is no event: the session goes
	not               func(panel) string // why the state does not allow it, "" if it does
	but               func(panel) string // what else will happen as the state is, nil for never
}

// But tells what else a deed will do as the session is, "" for nothing.
func (p panel) But(d deed) string {
	if d.but == nil {
		return ""
	}
	return d.but(p)
}

// deeds are all of them, in the order of the page.
var deeds = []deed{
	{
		Name: "cancel", Label: "Cancel turn", Kind: blaise.EventCancelAsked, not: noTurn,
		Says: "The agent is told to stop what it does in this turn. The session goes on with the next message.",
	},
	{
		Name: "pause", Label: "Pause now", Kind: blaise.EventPauseAsked, not: notAlive, but: wokenAtOnce,
		Says: "The run cancels the turn if one is open, saves the work, stops the agent and exits; the environment is kept. The next message wakes it.",
	},
	{
		Name: "retry", Label: "Retry", Kind: blaise.EventRetryAsked, not: noneWaits,
		Says: "Another run is offered at once for the messages that wait.",
	},
	{
		Name: "retry-teardown", Label: "Retry teardown", Kind: blaise.EventTeardownRetry, Force: true, not: noTeardownWaits,
		Says: "A new series of tries begins to destroy what the plugs made. Forced, it goes on where the work cannot be saved: that work is lost.",
	},
	{
		Name: "mark-destroyed", Label: "Mark destroyed", Kind: blaise.EventMarkDestroyed, Reason: true, Danger: true, not: nothingLeft,
		Says: "Blaise takes your word that nothing is left of the environment, and never looks for it again.",
	},
	{
		Name: "lost", Label: "Declare lost", Kind: blaise.EventLostDeclared, Danger: true, Run: true, not: noRun,
		Says: "Blaise stops waiting for the run and takes its lease: the turn is interrupted, and a new run goes on elsewhere. " +
			"Only for a machine that you know to be gone; a run that still lives stops itself when it hears of it.",
	},
	{
		Name: "release", Label: "Release", Kind: blaise.EventReleased, not: notHeld,
		Says: "The clocks go on where they stood, and runs are offered again.",
	},
	{
		Name: "hold", Label: "Hold", Kind: blaise.EventHeld, not: heldOrEnded,
		Says: "Every clock and every new run stops until somebody releases the session; a live run is paused.",
	},
	{
		Name: "end", Label: "End session", Kind: blaise.EventEndAsked, Danger: true, Force: true, not: hasEnded,
		Says: "The work is saved, the agent is stopped, and everything the plugs made is destroyed. The session takes no more messages.",
	},
	{
		Name: "delete", Label: "Delete session", Delete: true, Danger: true, not: notDeletable,
		Sure: "I know that it does not come back",
		Says: "Messages, transcript, files and history are deleted. Who did it and why, the times and what was used stay, " +
			"and so does the saved work in its repository.",
	},
}

func notDeletable(p panel) string {
	e := p.S.Environment
	return firstOf(unless(p.S.State == blaise.SessionEnded, "The session has not ended."),
		unless(!p.S.Held, "The session is held."),
		unless(e.LeftBehind == "" && (e.State == blaise.EnvNone || e.State.Final()), "The environment is not destroyed."))
}

func noTurn(p panel) string {
	return unless(p.S.State == blaise.SessionWorking || p.S.State == blaise.SessionParked, "No turn is open.")
}

func notAlive(p panel) string {
	switch p.S.State {
	case blaise.SessionWorking, blaise.SessionParked, blaise.SessionIdle:
		return ""
	}
	return "No run is alive that could pause."
}

// wokenAtOnce warns of a pause that will not last.
func wokenAtOnce(p panel) string {
	n := 0
	for _, m := range p.S.Messages {
		if m.State == blaise.MessageQueued {
			n++
		}
	}
	return unless(n == 0, "It will not stay paused: "+blaise.Count(n, "queued message")+
		" will wake it at once. To have it rest, withdraw what is queued first.")
}

func noneWaits(p panel) string {
	waits := p.S.State == blaise.SessionQueued || p.S.State == blaise.SessionPaused && len(p.Queued()) > 0
	return unless(waits, "No message waits for a run.")
}

func noTeardownWaits(p panel) string {
	e := p.S.Environment.State
	return unless(e == blaise.EnvOrphaned || e == blaise.EnvTeardownWaiting, "No teardown has failed.")
}

func nothingLeft(p panel) string {
	e := p.S.Environment
	gone := e.State.Final() || e.State == blaise.EnvOrphaned || e.State == blaise.EnvLost
	return unless(e.LeftBehind != "" && gone || len(e.LeftEarlier) > 0, "Nothing is left behind that only a person can see to.")
}

func noRun(p panel) string { return unless(p.Live() != "", "No run is alive.") }

func notHeld(p panel) string { return unless(p.S.Held, "The session is not held.") }

func heldOrEnded(p panel) string {
	return firstOf(hasEnded(p), unless(!p.S.Held, "The session is held already."))
}

func hasEnded(p panel) string {
	return unless(p.S.State != blaise.SessionEnded, "The session has ended.")
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// Live is the run that a runner has taken and that has not ended, "" if there
// is none.
func (p panel) Live() blaise.RunID {
	if n := len(p.S.Runs); n > 0 && taken(p.S.Runs[n-1]) {
		return p.S.Runs[n-1].ID
	}
	return ""
}

func taken(r api.Run) bool { return r.State != blaise.RunOffered && r.State != blaise.RunEnded }

// Deeds are those that the state allows.
func (p panel) Deeds() []deed {
	var list []deed
	for _, d := range deeds {
		if d.not(p) == "" {
			list = append(list, d)
		}
	}
	return list
}

// ForAdmin says that an administrator alone may do any of them.
func (p panel) ForAdmin() bool {
	for _, d := range p.Deeds() {
		if !d.Admin() {
			return false
		}
	}
	return true
}

// A refusal is a deed that the state does not allow, and why.
type refusal struct{ Label, Why string }

// Refused are the deeds that the state does not allow.
func (p panel) Refused() []refusal {
	var list []refusal
	for _, d := range deeds {
		if why := d.not(p); why != "" {
			list = append(list, refusal{d.Label, why})
		}
	}
	return list
}
