package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"

	"golang.org/x/sync/errgroup"
)

// errSeen ends a following that has seen what it waited for.
var errSeen = errors.New("seen")

// A vigil waits for the answer to one message and prints it as it comes.
type vigil struct {
	a       *app
	posted  api.Posted
	teller  teller
	last    int64 // seq of the last event told
	message api.Message
	ended   string // why the session has ended
	stuck   string // why it will not be answered without a person
	other   string // how to begin anew with another input, "" if it has none
	asked   map[blaise.QuestionID]bool
	told    string            // the last reason told
	waits   atomic.Bool       // for a run, or for a run's runner
	alone   bool              // nobody is there who could answer a question
	lost    map[string]string // what was said of a conversation that is not whole, by the run
}

// await prints the answer to a message as it comes. It fails with errWaited if
// there is none, or, where nobody watches and it is not patient, a person is
// needed first.
func (a *app) await(ctx context.Context, c *api.Client, p api.Posted, patient bool) error {
	v := &vigil{a: a, posted: p, teller: teller{w: a.out}, asked: map[blaise.QuestionID]bool{},
		alone: !patient && !a.watched(), lost: map[string]string{}}
	if !a.json {
		fmt.Fprintf(a.err, "session %s, message %s\n", p.Session, p.Message)
	}
	err := v.watch(ctx, c)
	if !errors.Is(err, errSeen) {
		return err
	}
	// What the agent said is kept before its turn is: all of it is there now.
	err = c.Transcript(ctx, p.Session, v.last, func(e transcript.Event) error { return v.event(e) })
	if err != nil {
		return err
	}
	v.teller.endLine()
	if a.json {
		if err := v.printMessage(ctx, c); err != nil {
			return err
		}
	}
	return v.verdict()
}

// watch follows the session, and says what its message waits for.
func (v *vigil) watch(ctx context.Context, c *api.Client) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.Follow(ctx, v.posted.Session, 0, v.follow) })
	g.Go(func() error {
		w := newWaitTeller(v.a, string(v.posted.Session))
		for tick := time.NewTicker(lookAgain); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return nil
			case <-tick.C:
			}
			if v.waits.Load() {
				w.tell(ctx, c)
			} else {
				w.rest()
			}
		}
	})
	return g.Wait()
}

// waitsForRun says that a message is not with a run yet: one is offered, or none
// is, as the session is held or its agent takes no work. Why the last one was
// refused is told at once, not here.
func waitsForRun(s api.Session, m api.Message) bool {
	n := len(s.Runs)
	if n > 0 && s.Runs[n-1].State == blaise.RunOffered {
		return true
	}
	return m.State == blaise.MessageQueued && m.Reason == "" && (n == 0 || s.Runs[n-1].State == blaise.RunEnded)
}

// printMessage prints the message whole: in a stream long texts are cut.
func (v *vigil) printMessage(ctx context.Context, c *api.Client) error {
	s, err := c.Session(ctx, v.posted.Session)
	if err != nil {
		return err
	}
	for _, m := range s.Messages {
		if m.ID == v.posted.Message {
			v.message = m
		}
	}
	return printJSON(v.a.out, v.message)
}

func (v *vigil) follow(f api.Followed) error {
	if f.Event != nil {
		return v.event(*f.Event)
	}
	return v.session(*f.Session)
}

func (v *vigil) event(e transcript.Event) error {
	v.last = max(v.last, e.Seq)
	v.hearLost(e)
	if e.Turn == string(v.posted.Message) && !v.a.json && !noise[e.Kind] {
		v.teller.tell(e)
	}
	return nil
}

// noise is what a person who waits for an answer has no use for.
var noise = map[transcript.Kind]bool{
	transcript.KindMessage: true, transcript.KindTurnBegan: true, transcript.KindTurnEnded: true,
	transcript.KindState: true, transcript.KindAgent: true,
}

func (v *vigil) session(s api.Session) error {
	for _, m := range s.Messages {
		if m.ID == v.posted.Message {
			v.message = m
		}
	}
	if s.State == blaise.SessionEnded {
		v.ended = s.Reason
	}
	if len(s.Inputs) > 0 {
		v.other = " (with --set NAME=VALUE: another input)"
	}
	v.questions(s)
	v.tellLost(s)
	v.waits.Store(waitsForRun(s, v.message))
	m := blaise.Message{State: v.message.State}
	if v.message.ID != "" && m.Final() {
		return errSeen
	}
	v.reason(s)
	if v.alone && v.stuck == "" && len(s.Waits) > 0 {
		v.stuck = "the agent asks, and nobody is at this terminal: " + oneLine(s.Waits[0].What, 200)
	}
	if v.stuck != "" {
		return errSeen
	}
	return nil
}

// questions tells what the agent asks, and how to answer.
func (v *vigil) questions(s api.Session) {
	for _, w := range s.Waits {
		if v.asked[w.ID] {
			continue
		}
		v.asked[w.ID] = true
		v.teller.endLine()
		_, short := splitID(string(w.ID))
		fmt.Fprintf(v.a.err, "the agent asks: %s\n", oneLine(w.What, 200))
		if w.Kind == blaise.QuestionPermission {
			for _, line := range v.a.errLook().Asked(w.Detail, askedRows) {
				fmt.Fprintln(v.a.err, line)
			}
		}
		fmt.Fprintf(v.a.err, "hint: blaise approve %s %s, or blaise deny %s %s\n", s.ID, short, s.ID, short)
		for _, o := range w.Options {
			fmt.Fprintf(v.a.err, "  or --choice %s: %s\n", harmless(o.ID), oneLine(o.Name, 80))
		}
	}
}

// reason tells why a message still waits. A run that was refused is not tried
// again by itself: the message is then stuck until a person has done something.
func (v *vigil) reason(s api.Session) {
	if v.message.State != blaise.MessageQueued || v.message.Reason == "" {
		return
	}
	if len(s.Runs) > 0 {
		r := s.Runs[len(s.Runs)-1]
		if r.State == blaise.RunEnded && r.Outcome == blaise.RunRefused {
			v.stuck = v.message.Reason
			return
		}
	}
	if v.message.Reason != v.told {
		v.told = v.message.Reason
		fmt.Fprintf(v.a.err, "waiting: %s\n", harmless(v.told))
	}
}

func (v *vigil) verdict() error {
	m := v.message
	switch {
	case v.stuck != "" && v.alone && len(v.asked) > 0:
		return waitedFor(blaise.Errorf(blaise.CodeRefused, "message %s waits: %s", m.ID, v.stuck).
			WithHint("answer it here or on the page, then `blaise watch %s`; --patient waits until somebody has", v.posted.Session))
	case v.stuck != "":
		return waitedFor(blaise.Errorf(blaise.CodeRefused, "message %s waits: %s", m.ID, v.stuck).
			WithHint("%s", blaise.WhatHelps(v.posted.Session, v.stuck)))
	case m.State == blaise.MessageAnswered:
		if m.Reason != "" {
			fmt.Fprintf(v.a.err, "note: %s\n", harmless(m.Reason))
		}
		return nil
	}
	text := fmt.Sprintf("message %s: %s", m.ID, m.State)
	if m.Reason != "" && m.Reason != blaise.ReasonSessionEnded { // why it ended comes next
		text += ": " + m.Reason
	}
	if v.ended != "" {
		text += ": the session has ended: " + v.ended
	}
	e := blaise.Errorf(blaise.CodeRefused, "%s", text)
	if v.ended != "" && m.DeliveredAt == nil {
		return waitedFor(e.WithHint("mend it, then begin anew with the same words: blaise start --again %s%s", v.posted.Session, v.other))
	}
	return waitedFor(e.WithHint("see `blaise transcript %s`", v.posted.Session))
}
