package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// step does one thing that people do.
func (l *life) step(ctx context.Context) error {
	switch l.chance.IntN(13) {
	case 0, 1:
		return l.post(ctx, false) // maybe while it works
	case 2:
		return l.post(ctx, true) // interrupt and send now
	case 3, 4, 5:
		if err := l.settle(ctx); err != nil {
			return err
		}
		return l.post(ctx, false)
	case 6:
		l.act(ctx, "cancel", l.w.people.Cancel)
	case 7, 8:
		l.act(ctx, "pause", l.w.people.Pause)
	case 9, 10:
		return l.sleeps(ctx)
	case 11:
		return l.hold(ctx)
	default:
		return l.withdraw(ctx)
	}
	return nil
}

func (l *life) post(ctx context.Context, now bool) error {
	m := l.compose()
	var got api.Posted
	var err error
	failed := l.insist(ctx, func() error {
		got, err = l.w.people.PostMessage(ctx, l.id, api.PostMessage{Text: m.text, Key: m.mark, Now: now})
		return err
	})
	if failed != nil {
		return fmt.Errorf("post: %w", failed)
	}
	if err != nil { // it has ended
		l.say("post: %v", err)
		return nil
	}
	m.id = got.Message
	l.sent = append(l.sent, m)
	l.say("said %s (now: %v): %s", m.id, now, m.text)
	return nil
}

// act asks once for what may be refused: it is a storm.
func (l *life) act(ctx context.Context, what string, do func(context.Context, blaise.SessionID, string) error) {
	l.acts++
	err := do(ctx, l.id, "chaos")
	l.say("%s: %v", what, err)
}

// sleeps waits until the session is idle long enough to be paused.
func (l *life) sleeps(ctx context.Context) error {
	if err := l.settle(ctx); err != nil {
		return err
	}
	return notEnded(l.await(ctx, "paused", func(s api.Session) bool { return s.State == blaise.SessionPaused }))
}

// hold freezes the session for a moment, and always lets it go on.
func (l *life) hold(ctx context.Context) error {
	l.act(ctx, "hold", l.w.people.Hold)
	time.Sleep(time.Duration(l.chance.IntN(800)) * time.Millisecond)
	return eventually(ctx, patience, func() error {
		err := l.w.people.Release(ctx, l.id)
		l.say("release: %v", err)
		if code := blaise.CodeOf(err); code == blaise.CodeUnreachable || code == blaise.CodeInternal {
			return err
		}
		return nil // it goes on, or was not held
	})
}

func (l *life) withdraw(ctx context.Context) error {
	if err := l.post(ctx, false); err != nil {
		return err
	}
	last := l.sent[len(l.sent)-1].id
	l.say("withdraw %s: %v", last, l.w.people.Withdraw(ctx, l.id, last))
	return nil
}

// end ends the session in one of the ways there are, and waits until nothing
// of its environment is left.
func (l *life) end(ctx context.Context) error {
	if l.agent == agentKeeps || l.chance.IntN(2) == 0 {
		if err := l.endNow(ctx); err != nil {
			return err
		}
	}
	over := func(s api.Session) bool {
		return s.State == blaise.SessionEnded &&
			(s.Environment.State == blaise.EnvDestroyed || s.Environment.State == blaise.EnvNone)
	}
	return eventually(ctx, patience, func() error {
		s, err := l.show(ctx)
		if err != nil || over(s) {
			return err
		}
		if l.agent == agentEnds && s.State == blaise.SessionPaused {
			// By hand, or since its run was lost: it stays so.
			return errors.Join(l.endNow(ctx), errors.New("ended by hand"))
		}
		return fmt.Errorf("await its end: it is %s, its environment %s: %s",
			s.State, s.Environment.State, s.Environment.LastError)
	})
}

// endNow insists: an end that no run has heard has changed nothing (A18).
func (l *life) endNow(ctx context.Context) error {
	return eventually(ctx, patience, func() error {
		err := l.w.people.End(ctx, l.id, "chaos")
		l.say("end: %v", err)
		if blaise.CodeOf(err) == blaise.CodeRefused {
			return nil // it has ended
		}
		if err != nil {
			time.Sleep(200 * time.Millisecond)
		}
		return err
	})
}
