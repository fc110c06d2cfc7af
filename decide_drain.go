package blaise

import (
	"cmp"
	"time"
)

// drainAsked: the instance of the run goes out of service (X11). The run is
// stopped so that the session can be resumed, whatever policy.idle.then says:
// at once if no turn is open or the turn waits on a person, else when the turn
// has ended or the time is up.
func (d *decision) drainAsked() error {
	run := d.next.live()
	if run == nil || run.ID != d.e.Run {
		return d.same(VerdictVoid)
	}
	if run.Drain != "" {
		if !d.e.Leaves || run.Leaves {
			return d.same(VerdictVoid)
		}
		d.leaves(run)
		d.out.Verdict = VerdictDone
		return nil
	}
	if d.e.Leaves {
		d.leaves(run)
	}
	run.Drain = cmp.Or(d.e.Reason, "the runner drains")
	d.note("run:"+string(run.ID), string(run.State), string(run.State), "drain: "+run.Drain)
	patience := max(0, d.e.Until.Sub(d.e.At))
	d.run(Clock{
		Kind: ClockDrain, Subject: string(run.ID), Since: d.e.At, DueAt: d.e.At.Add(patience),
		Setting: cmp.Or(d.e.Text, "runner drain") + " --timeout = " + patience.Round(time.Second).String() +
			" (asked by " + d.e.By + ")",
	})
	d.out.Verdict = VerdictDone
	return nil
}

// leaves notes that the runner of a run goes for good. A stop that is on its
// way is issued anew: it must say so, or the work stays where nobody comes.
func (d *decision) leaves(run *Run) {
	run.Leaves = true
	if out := d.next.stop(); out != nil {
		stop := *out.Stop
		d.void(out.N, "its runner goes for good")
		d.issue(Directive{Kind: DirectiveStop, Stop: &stop, Reason: stop.Reason})
	}
}

// runnerLeaves: the runner goes for good. What sleeps there is taken down by it
// before that, its work with Blaise, and the session goes on elsewhere (A31). A
// run that lives is stopped by its drain, and what is held stays.
func (d *decision) runnerLeaves() error {
	s := &d.next
	if s.Session.Held || s.live() != nil || d.e.Runner == "" || s.Session.Runner != d.e.Runner || !d.can(onLeaves) {
		return d.same(VerdictVoid)
	}
	s.Environment.Recreate, s.Environment.LastError = true, d.e.Reason
	d.move(onLeaves, d.e.Reason)
	d.out.Verdict = VerdictDone
	return nil
}

// Unsent says that the last save of a session that goes on is where no other
// runner finds it, and the runner that has it goes for good: its teardown saves
// once more, for Blaise.
func (s *Snapshot) Unsent() bool {
	run := s.live()
	return run != nil && run.Leaves && !s.ended() && s.Save.N > 0 && s.Save.Bundle == ""
}

// settleDrain stops a run that drains as soon as its turn allows. One whose
// time is up has no clock any more.
func (d *decision) settleDrain() {
	s := &d.next
	run := s.live()
	if run == nil || run.Drain == "" || run.State != RunConnected || s.owesTeardown() || s.Session.Held {
		return
	}
	if run.Turn != "" && !s.asked() && s.clock(ClockDrain) != nil {
		return
	}
	d.ask(Stop{Reason: run.Drain, MayResume: true, By: "drain", Clock: string(ClockDrain)})
}

// localStop: a person at the runner's machine has paused the run (A20). It
// needed no word of Blaise, and may be told long after.
func (d *decision) localStop() error {
	s := &d.next
	reason := cmp.Or(d.e.Reason, "paused on the machine of the runner")
	d.out.Verdict = VerdictExit
	if s.Environment.State != EnvPausing && !d.can(onStop) {
		d.loseRun(reason)
		return nil
	}
	if s.Environment.State != EnvPausing {
		d.move(onStop, reason)
	}
	d.mergePlugs(d.e.Plugs)
	d.savedOrNot()
	run := s.Run
	run.Reason = reason
	d.leaveTurn()
	d.tearsDown() // it may end the session; the run is gone, so a teardown run follows
	d.move(onPauseExit, reason)
	d.endRun(RunPaused, reason)
	return nil
}
