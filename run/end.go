package run

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// end does what follows from the cause, and tells Blaise. Its contexts are the
// life's: they end at the fence and nowhere else. It returns the cause if it is
// a failure.
func (r *run) end(life context.Context, cause error) error {
	e := endingOf(cause)
	r.log.Info("run ends", "cause", cause)
	var stopped Stopped
	if errors.As(cause, &stopped) && stopped.Stop.Discard != "" {
		r.lease.Forced, r.lease.ForcedWhy = true, stopped.Stop.Discard
	}
	if !e.layers {
		return errors.Join(cause, r.fence.Kill())
	}
	if err := r.fence.Await(life); err != nil { // it slept, and asks first
		return errors.Join(err, r.fence.Kill())
	}
	r.shells.end(cause)
	r.looks.end()
	if err := r.talk.stop(life); err != nil {
		r.log.Error("agent not stopped cleanly", "error", err)
	}
	if stopped.Stop.Leaves && r.stack != nil {
		r.stack.Leave()
	}
	r.record.flush()
	first := r.begin(life, e, cause)
	saved := r.bringHome(life)
	if life.Err() != nil {
		return errors.Join(context.Cause(life), r.fence.Kill())
	}
	last := r.tellLast(life, e, cause, saved)
	if e.goesOn(first, last) {
		r.destroy(life, saved)
	} else if e.undo {
		r.refuse(life, cause, saved)
	}
	r.drain(life)
	return failure(cause)
}

// goesOn says whether the layers are destroyed.
func (e ending) goesOn(first, last <-chan blaise.Verdict) bool {
	switch e.destroy {
	case ifTold:
		return <-last == blaise.VerdictTeardown
	case unlessNo:
		return <-first != blaise.VerdictExit
	}
	return false
}

// begin says what is happening before the layers go down; the answer is waited
// for beside that.
func (r *run) begin(life context.Context, e ending, cause error) <-chan blaise.Verdict {
	if e.first == "" {
		return nil
	}
	return r.askLater(life, api.Report{Event: e.first, Reason: cause.Error()})
}

func (r *run) tellLast(life context.Context, e ending, cause, saved error) <-chan blaise.Verdict {
	if e.last == "" || e.undo {
		return nil
	}
	rep := api.Report{Event: e.last, Reason: cause.Error(), Clean: saved == nil}
	if saved != nil {
		rep.Reason = fmt.Sprintf("%v; the work is not saved: %v", cause, saved)
	}
	if r.stack != nil {
		rep.Plugs = r.stack.Resumable()
	}
	if e.destroy == never { // nobody is there to answer
		r.say(r.lastWords(rep))
		return nil
	}
	return r.askLater(life, r.lastWords(rep))
}

// askLater reports and gives the verdict when it comes: "" after the patience
// of A7, or if Blaise refused.
func (r *run) askLater(life context.Context, rep api.Report) <-chan blaise.Verdict {
	verdict := make(chan blaise.Verdict, 1)
	r.beside.Go(func() {
		ctx, cancel := context.WithTimeout(life, r.deps.Patience)
		defer cancel()
		a, err := r.ask(ctx, rep)
		if err != nil {
			r.log.Error("no answer to a report", "event", rep.Event, "error", err)
		}
		verdict <- a.Verdict
	})
	return verdict
}

// bringHome saves, then pauses; neither is left out because the other failed.
// The error is that of saving: it forbids to destroy.
func (r *run) bringHome(life context.Context) error {
	if r.stack == nil {
		return nil
	}
	r.warnTransient()
	saved := r.save(life)
	ctx, cancel := r.hook(life)
	defer cancel()
	var telling sync.WaitGroup
	defer telling.Wait() // a destroy that follows takes away what is looked at
	telling.Go(func() { r.looks.saved(ctx, r.works) })
	if err := r.stack.Pause(ctx); err != nil {
		r.notice("Pausing did not work: "+err.Error(), nil)
	}
	return saved
}

func (r *run) save(life context.Context) error {
	ctx, cancel := r.hook(life)
	defer cancel()
	works, err := r.stack.Save(ctx)
	r.works = append(r.works, works...)
	for _, w := range works {
		r.say(api.Report{Event: blaise.EventWorkSaved, Saved: &w, Clean: err == nil})
	}
	if err != nil {
		r.notice("Saving the work did not work: "+err.Error(), nil)
	}
	return err
}

func (r *run) hook(life context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(life, r.lease.Limits.Hook,
		fmt.Errorf("not done within limits.hook = %v", r.lease.Limits.Hook))
}

// warnTransient says which plugs a later resume will not find again (A10).
func (r *run) warnTransient() {
	for _, p := range r.stack.Resumable() {
		if !p.Resumable && !p.Unowned {
			r.log.Warn("plug cannot be resumed, a later resume may fail", "plug", p.ID, "why", p.Why)
		}
	}
}

// destroy gives back what the layers hold, unless work would go with them.
func (r *run) destroy(life context.Context, saved error) {
	rep := api.Report{Event: blaise.EventDestroyed}
	if err := r.destroyLayers(life, saved); err != nil {
		rep = api.Report{Event: blaise.EventTeardownFailed, Reason: err.Error(), Clean: saved == nil}
	}
	if r.stack != nil {
		rep.Plugs = r.stack.Resumable()
	}
	r.last(life, rep)
}

func (r *run) destroyLayers(life context.Context, saved error) error {
	if saved != nil && !r.lease.Forced {
		return fmt.Errorf("the work is not saved, so nothing is destroyed: %w", saved)
	}
	if r.stack == nil {
		return nil
	}
	if saved != nil {
		r.notice("Work is given up: "+r.lease.ForcedWhy, map[string]any{"forced": r.lease.ForcedWhy, "reason": saved.Error()})
	}
	ctx, cancel := r.hook(life)
	defer cancel()
	return r.stack.Destroy(ctx)
}

// refuse ends a run that could not begin. The environment is as it was before:
// what a start opened is destroyed, what a resume opened is paused.
func (r *run) refuse(life context.Context, cause, saved error) {
	if r.lease.Kind == blaise.RunStart && r.stack != nil {
		if err := r.destroyLayers(life, saved); err != nil {
			r.say(api.Report{Event: blaise.EventRunFailed, Reason: cause.Error()})
			r.last(life, api.Report{Event: blaise.EventTeardownFailed, Reason: err.Error()})
			return
		}
	}
	rep := api.Report{Event: blaise.EventRefused, Reason: cause.Error(), Chosen: r.chosen(cause)}
	if r.stack != nil {
		rep.Plugs = r.stack.Resumable()
	}
	r.last(life, rep)
}

// last reports what nothing follows on, and waits a while until it is there.
func (r *run) last(life context.Context, rep api.Report) {
	<-r.askLater(life, r.lastWords(rep))
}

// drain gives what is still in the spool a moment; the rest is the daemon's.
func (r *run) drain(life context.Context) {
	ctx, cancel := context.WithTimeout(life, min(r.lease.Beat, r.deps.Patience))
	defer cancel()
	if err := r.ship.Drain(ctx); err != nil {
		r.log.Info("the daemon ships the rest", "error", err)
	}
}

// failure is cause if somebody should look at it.
func failure(cause error) error {
	if errors.As(cause, new(Stopped)) || errors.As(cause, new(Interrupted)) || errors.Is(cause, ErrLeft) ||
		errors.Is(cause, errShellsClosed) {
		return nil
	}
	return cause
}
