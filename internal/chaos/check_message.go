package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// messages: each is there once, has come to an end, and was written to the
// agent as often as is shown.
func (l *life) messages(s api.Session, events []transcript.Event) {
	if len(s.Messages) != len(l.sent) {
		l.violates("%d messages were sent, %d are there", len(l.sent), len(s.Messages))
	}
	ends := turnEnds(events)
	for _, m := range l.sent {
		var got []api.Message
		for _, one := range s.Messages {
			if strings.Contains(one.Text, m.mark) {
				got = append(got, one)
			}
		}
		if len(got) != 1 {
			l.violates("message %s is there %d times", m.id, len(got))
			continue
		}
		l.w.f.count("message "+string(got[0].State), 1)
		l.report(l.message(m, got[0], s, ends))
	}
}

func (l *life) message(m sent, got api.Message, s api.Session, ends map[string]int) error {
	prompts, err := l.w.posts.with(m.mark)
	if err != nil {
		return err
	}
	n := len(prompts)
	switch {
	case !final(got.State):
		return fmt.Errorf("message %s is %s in a session that has ended", m.id, got.State)
	case n > 1+got.Repeats:
		return fmt.Errorf("message %s was written %d times and shows %d repeats: %v", m.id, n, got.Repeats, prompts)
	case got.State == blaise.MessageAnswered && n == 0:
		return fmt.Errorf("message %s is answered and no agent has seen it", m.id)
	case got.DeliveredAt == nil && n > 0:
		return fmt.Errorf("message %s is %s, was never delivered, and an agent has it: %v", m.id, got.State, prompts)
	case got.State == blaise.MessageWithdrawn && n > 0:
		return fmt.Errorf("message %s was withdrawn and an agent has it: %v", m.id, prompts)
	case got.State == blaise.MessageFailed && got.Reason == "":
		return fmt.Errorf("message %s failed and says no reason", m.id)
	}
	if got.State == blaise.MessageAnswered {
		return answered(m, got, s, ends)
	}
	return nil
}

// answered: with the right words, and once. A run may be lost between the record
// of its answer and the report of it; then the prompt is repeated, and shown so.
func answered(m sent, got api.Message, s api.Session, ends map[string]int) error {
	if m.says != "" && got.Repeats == 0 && !strings.Contains(got.Answer, m.says) {
		return fmt.Errorf("message %s %q is answered %q", m.id, m.text, got.Answer)
	}
	whole := true
	for _, r := range s.Runs {
		whole = whole && (r.Record == "complete" || r.AcceptedAt == nil)
	}
	if n := ends[string(m.id)]; n > 1+got.Repeats || n == 0 && whole {
		return fmt.Errorf("message %s is answered and the transcript has %d answered turns of it", m.id, n)
	}
	return nil
}

// turnEnds counts the answered turns of each message in the transcript.
func turnEnds(events []transcript.Event) map[string]int {
	ends := map[string]int{}
	for _, e := range events {
		var data struct{ Message, Result string }
		if e.Kind == transcript.KindTurnEnded && json.Unmarshal(e.Data, &data) == nil &&
			data.Result == string(blaise.MessageAnswered) {
			ends[data.Message]++
		}
	}
	return ends
}

// asTold is what Blaise says of the session.
func (l *life) asTold(ctx context.Context, b *strings.Builder) {
	if why, err := l.w.people.Why(ctx, string(l.id)); err == nil {
		fmt.Fprintf(b, "why:\n  %s\n", strings.Join(why.Lines, "\n  "))
	}
	if all, err := l.w.people.History(ctx, l.id); err == nil {
		b.WriteString("history:\n")
		for _, c := range all {
			fmt.Fprintf(b, "  %s %s: %s -> %s (%s, by %s) %s %s\n",
				c.At.UTC().Format(clockFormat), c.Subject, c.From, c.To, c.Event, c.By, c.Reason, c.Setting)
		}
	}
	if s, err := l.w.people.Session(ctx, l.id); err == nil {
		raw, _ := json.MarshalIndent(s, "  ", " ") // it came as JSON
		fmt.Fprintf(b, "show: %s\n", raw)
	}
	if all, err := l.transcript(ctx); err == nil {
		b.WriteString("transcript:\n")
		for _, e := range all {
			fmt.Fprintf(b, "  %d %s %s %s/%d %s %.300s\n", e.Seq, e.At.UTC().Format(clockFormat), e.Kind, e.Run, e.N, e.Turn, e.Data)
		}
	}
}

// logsOf is what the programs have said of a session.
func (w *world) logsOf(id blaise.SessionID) string {
	var b strings.Builder
	for _, p := range append(w.runner[:], w.plane) {
		raw, err := os.ReadFile(p.log)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "%s said:\n", p.name)
		for line := range strings.Lines(string(raw)) {
			if id != "" && strings.Contains(line, string(id)) {
				b.WriteString("  " + line)
			}
		}
	}
	return b.String()
}
