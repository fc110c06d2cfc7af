package run

import (
	"cmp"
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// goOn asks for the rest of a turn whose prompt the agent still has.
const goOn = "Your last turn was interrupted. Look at what was done already, then go on from there."

var (
	errAgentGone   = errors.New("the agent is gone")
	errAgentKilled = errors.New("the agent was killed because it did not obey a cancel")
	errAgentStuck  = errors.New("the agent stalled")
	errAgentShaken = errors.New("the agent is not to be trusted after a cancel")
)

// obey answers prompts, one turn after another, until ctx ends or the run
// fails. An agent that dies, in a turn or between, is started again.
func (c *conversation) obey(ctx context.Context) error {
	defer c.beside(ctx, c.followStatus)()
	for {
		d, err := c.next(ctx)
		switch {
		case err != nil:
		case d.Kind == blaise.DirectiveSet:
			c.obeySet(ctx, d)
		default:
			err = c.answer(ctx, d)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errAgentGone):
			err = c.revive(ctx)
		case errors.Is(err, errAgentKilled):
			c.crashed = true
			err = c.takeUp(ctx)
		case errors.Is(err, errAgentStuck):
			err = c.restart(ctx, "stalled")
		case errors.Is(err, errAgentShaken):
			err = c.renew(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// beside runs do until ctx ends or the function it returns is called, which
// waits for it.
func (c *conversation) beside(ctx context.Context, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// next waits for a prompt or a choice, as long as there is an agent to answer it.
func (c *conversation) next(ctx context.Context) (blaise.Directive, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer c.beside(ctx, func(ctx context.Context) {
		select {
		case <-c.agent.gone:
			cancel(errAgentGone)
		case <-ctx.Done():
		}
	})()
	return c.r.prompts.Next(ctx)
}

// answer is one turn: received, on disk, claimed, written, answered, reported.
func (c *conversation) answer(ctx context.Context, d blaise.Directive) error {
	if !c.r.receive(ctx, d) {
		c.r.prompts.Void(d.N)
		return nil
	}
	text, repeat := c.prompt(d)
	files := d.Attachments
	if text != d.Text {
		files = nil // the agent has them
	}
	m, err := c.pack(ctx, text, files)
	if err != nil {
		return err
	}
	c.r.note(transcript.KindMessage, m.said(map[string]any{
		"message": d.Message, "author": authorOf(d, text), "text": text, "repeat": repeat, "goOn": text != d.Text,
	}))
	claimed, ok, err := c.claim(ctx, d.Message)
	if !ok {
		return err
	}
	c.tools.begin()
	c.verdicts.begin()
	cancelled := c.r.turn.begin(d.Message)
	c.r.record.beginTurn(d.Message)
	c.r.note(transcript.KindTurnBegan, map[string]any{
		"message": d.Message, "turn": claimed.Turn, "repeats": claimed.Repeats,
	})
	for _, note := range m.notes {
		c.r.notice(note, nil)
	}
	t := &turn{c: c, message: d.Message, n: claimed.Turn, cancelled: cancelled, done: make(chan struct{})}
	if why := c.choices.why(); why != "" {
		t.err = unsendable(why)
	} else if t.err = m.bad; t.err == nil {
		t.run(ctx, m.blocks)
	}
	return t.seal(ctx)
}

// prompt is what is written to the agent for d. Where a turn was interrupted
// and the agent still has the prompt, it is asked to go on; else it gets the
// prompt once more, and the record says so.
func (c *conversation) prompt(d blaise.Directive) (text string, repeat int) {
	if d.GoOn && c.verified && c.replay.holds(d.Text) {
		return goOn, d.Repeat
	}
	return d.Text, d.Repeat
}

// claim makes the message delivered. Not ok without an error: it was withdrawn.
func (c *conversation) claim(ctx context.Context, m blaise.MessageID) (api.Claimed, bool, error) {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		got, err := c.r.client.Claim(ctx, m)
		switch code := blaise.CodeOf(err); {
		case err == nil:
			return got, true, nil
		case code == blaise.CodeStale:
			c.r.fenceOff()
			return got, false, ErrFenced
		case code == blaise.CodeRefused, code == blaise.CodeNotFound:
			return got, false, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return got, false, err
		}
	}
}

// A turn is one prompt and its answer.
type turn struct {
	c         *conversation
	message   blaise.MessageID
	n         int           // counted over the session
	cancelled <-chan string // takes the reason of a cancel directive
	done      chan struct{} // closed when result and err are set

	result  acp.PromptResult
	err     error
	why     string // of the cancel, "" if nobody cancelled
	stopped bool   // the end of the run cut it off
	forced  bool   // the agent did not obey and was killed
	retry   bool   // the agent wanted a login, and has one now
}

// run writes the prompt and waits for the end of the turn, which the end of ctx
// or a cancel directive brings about: by asking, then by force.
func (t *turn) run(ctx context.Context, blocks []acp.ContentBlock) {
	client, session := t.c.agent.client, t.c.known.ACP
	meta, ended := t.c.r.prompted(t.n)
	go func() {
		defer close(t.done)
		t.result, t.err = client.PromptWith(context.WithoutCancel(ctx), session, blocks, meta)
		ended(t.err)
	}()
	select {
	case <-t.done:
		return
	case t.why = <-t.cancelled:
		t.why = cmp.Or(t.why, "cancelled")
	case <-ctx.Done():
		t.stopped = true
	}
	_ = client.Cancel(session) // an agent that is gone needs none
	wait := t.c.r.lease.Limits.StopGrace
	if t.c.agent.faults.Has(acp.NoCancel) {
		wait = 0
	}
	grace := time.NewTimer(wait)
	defer grace.Stop()
	select {
	case <-t.done:
	case <-grace.C:
		t.forced = true
		t.c.discard()
		<-t.done
	}
}

// seal ends the turn: what comes late still belongs to it for a moment, then
// it is recorded and reported. A turn that the end of the run cut off is not
// reported: the report of the end settles it too.
func (t *turn) seal(ctx context.Context) error {
	r := t.c.r
	_ = t.c.agent.client.Settle(context.WithoutCancel(ctx), t.c.known.ACP)
	r.turn.end()
	t.relogin(ctx)
	word, rep := t.outcome(ctx)
	rep.Event, rep.Message, rep.Usage = blaise.EventTurnEnded, t.message, t.usage()
	rep.Text = r.record.endTurn(transcript.New(transcript.KindTurnEnded, map[string]any{
		"message": t.message, "result": rep.Result, "outcome": word, "stopReason": rep.StopReason,
		"reason": r.secrets.String(rep.Reason), "usage": t.result.Usage,
		"reported": t.result.Reported, "unfinished": t.c.tools.end(), "used": rep.Usage,
	}))
	if t.stopped {
		return nil // what becomes of the message is settled with the run
	}
	t.c.tellStatus()
	r.say(rep)
	if rep.Result == blaise.MessageAnswered {
		t.c.turns++
		t.c.known.Turns++
		t.c.deaths, t.c.fresh = 0, false
	}
	if t.c.settings.news() || t.c.meter.news() {
		t.c.tell("")
	}
	return t.after(word)
}

// after says what the agent needs before the next turn.
func (t *turn) after(word string) error {
	switch {
	case word == outcomeStalled:
		return errAgentStuck
	case t.forced:
		return errAgentKilled
	case died(t.err):
		return errAgentGone
	case t.why != "" && t.c.agent.faults.Has(acp.ShiftedByCancel):
		return errAgentShaken
	}
	return nil
}

// authorOf is who said what the agent is told: where it is asked to go on, that
// is Blaise.
func authorOf(d blaise.Directive, text string) string {
	if text != d.Text {
		return "blaise"
	}
	return d.By
}
