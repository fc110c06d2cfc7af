package blaise

import "fmt"

// clockFired obeys a clock that is still running and due; any other has been
// overtaken, and nothing happens.
func (d *decision) clockFired() error {
	c := d.find(d.e.Clock.Kind, d.e.Clock.Subject)
	if c == nil || c.DueAt.After(d.e.At) || d.next.Session.Held {
		return d.same(VerdictVoid)
	}
	if d.e.By == "" {
		d.e.By = "clock"
	}
	if until, ok := d.early(*c); ok {
		return d.wait(c, until)
	}
	d.setting = c.Setting
	d.out.Verdict = VerdictDone
	fired := *c
	d.note("clock:"+string(fired.Kind), "running", "fired", fired.Kind.Meaning())
	c.DueAt = d.e.At.Add(refire) // for those whose state goes on
	d.fire(fired)
	return nil
}

func (d *decision) fire(c Clock) {
	switch c.Kind {
	case ClockIdle:
		d.fireIdle(c)
	case ClockMaxPaused:
		d.fireMaxPaused()
	case ClockConnect:
		d.loseRun("it was accepted and did not connect in time")
	case ClockLost:
		d.loseRun("no heartbeat")
	case ClockOpen:
		d.clockStop(Stop{Reason: "opening took longer than " + c.Setting, Clock: string(c.Kind)})
	case ClockHook:
		d.drop(ClockHook)
		d.notice("The run takes longer than "+c.Setting+" for a pause or teardown.", nil)
	case ClockReceipt:
		d.fireReceipt()
	case ClockTeardown, ClockRetry, ClockDrain:
		d.drop(c.Kind) // settle offers the run, or stops it
	case ClockSilenceWarn:
		d.drop(ClockSilenceWarn)
		d.warnSilence(c)
	case ClockStalled:
		d.drop(ClockStalled)
		d.cancelTurn("stalled")
	case ClockQuestion:
		d.fireQuestion(c)
	case ClockExpires:
		d.fireExpires()
	}
}

// fireIdle asks for the stop that the idle policy wants; it is overtaken by a
// message, and Blaise decides again when the pause is reported (A10).
func (d *decision) fireIdle(c Clock) {
	stop := Stop{Reason: "idle", Clock: string(ClockIdle), MayResume: true}
	switch {
	case c.ForOthers() && d.idleEnds():
		d.patient(d.find(ClockIdle, "")) // its plugs have changed: nobody is ended for others
		return
	case c.ForOthers():
		stop.Reason = stopForOthers
	case d.idleEnds():
		stop.MayResume, stop.Ends, stop.Outcome = false, true, OutcomeSucceeded
		if d.next.Policy.IdleThen != ThenEnd {
			stop.Reason = "idle, and cannot be resumed: " + d.next.cannotResume()
		}
	}
	d.clockStop(stop)
}

// clockStop tells the run to stop, unless a stop is under way or the run
// cannot be told; then the clock fires again.
func (d *decision) clockStop(stop Stop) {
	run := d.next.live()
	if run == nil || run.State != RunConnected || !run.UnreachableSince.IsZero() {
		return
	}
	stop.By = "clock"
	d.ask(stop)
}

func (d *decision) fireMaxPaused() {
	d.end(OutcomeSucceeded, "paused longer than "+d.setting)
	d.move(onClock, d.next.Session.Reason)
}

// fireReceipt takes back a stop that the run has not received in time (A7):
// nothing of it is left.
func (d *decision) fireReceipt() {
	if stop := d.next.stop(); stop != nil {
		d.void(stop.N, "not received in "+StopReceipt.String())
	}
}

func (d *decision) warnSilence(c Clock) {
	text := fmt.Sprintf("The turn has been silent since %s.", c.Since.UTC().Format("15:04:05 MST"))
	if stalled := d.next.clock(ClockStalled); stalled != nil {
		text += fmt.Sprintf(" It is cancelled as stalled at %s.",
			stalled.DueAt.UTC().Format("15:04:05 MST"))
	}
	d.notice(text, map[string]any{"setting": c.Setting})
}

// fireQuestion answers in the place of a person who did not.
func (d *decision) fireQuestion(c Clock) {
	q := d.question(QuestionID(c.Subject))
	if q == nil {
		return
	}
	if d.next.Policy.QuestionsThen == ThenPause && q.Kind != QuestionInterrupted {
		d.clockStop(Stop{
			Reason: "question " + string(q.ID) + " was not answered", MayResume: true,
			Clock: string(ClockQuestion),
		})
		return
	}
	d.answer(q, q.denial(), "not answered in time: "+c.Setting)
}

// fireExpires ends the session, whatever it does (B8).
func (d *decision) fireExpires() {
	const reason = "expired"
	run := d.next.live()
	if run == nil || d.next.owesTeardown() {
		d.end(OutcomeTimedOut, reason)
		return
	}
	d.clockStop(Stop{
		Reason: reason, Ends: true, Outcome: OutcomeTimedOut, Clock: string(ClockExpires),
	})
}
