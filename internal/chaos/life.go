package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// patience is for what must come in the end, on a machine with much to do: a
// teardown may be tried again after 30 s and 2 minutes (A19).
const patience = 4 * time.Minute

// A life is one session, from its first message to nothing left.
type life struct {
	w      *world
	n      int
	began  time.Time
	chance *rand.Rand
	id     blaise.SessionID
	agent  string
	sent   []sent
	acts   int // pauses, cancels and the like
	faults sync.WaitGroup

	mu    sync.Mutex // guards wrong
	wrong []string
}

// A sent is one message that the driver has sent.
type sent struct {
	id   blaise.MessageID
	mark string // is in the text, and in no other
	text string
	file string // it is to write mark into, "" for none
	says string // what the answer must contain, "" for anything
}

func (l *life) say(format string, args ...any) { l.w.diary.write(l.n, format, args...) }

func (l *life) violates(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	l.wrong = append(l.wrong, fmt.Sprintf("seed %d life %d session %s: %s", l.w.o.seed, l.n, l.id, text))
	l.say("VIOLATION %s", text)
}

// run lives the life; an error says that it did not come to its end.
func (l *life) run(ctx context.Context) error {
	l.agent = []string{agentKeeps, agentKeeps, agentLeaves, agentEnds}[l.chance.IntN(4)]
	if err := l.begin(ctx); err != nil {
		return err
	}
	for range l.chance.IntN(4) {
		if l.chance.IntN(2) == 0 {
			l.fault()
		}
		if err := l.step(ctx); err != nil {
			return err
		}
	}
	if l.chance.IntN(2) == 0 {
		l.fault()
	}
	if l.chance.IntN(4) > 0 {
		if err := l.settle(ctx); err != nil {
			return err
		}
	}
	return l.end(ctx)
}

func (l *life) begin(ctx context.Context) error {
	m := l.compose()
	var got api.Posted
	err := l.insist(ctx, func() (err error) {
		got, err = l.w.people.StartSession(ctx, api.StartSession{
			Agent: blaise.AgentName(l.agent), Text: m.text, Key: m.mark,
		})
		return err
	})
	if err != nil || got.Session == "" {
		return fmt.Errorf("start: no session was begun: %w", err)
	}
	l.id, m.id = got.Session, got.Message
	l.sent = append(l.sent, m)
	l.say("session %s of agent %s: %s", l.id, l.agent, m.text)
	return nil
}

// compose makes a message that is like no other.
func (l *life) compose() sent {
	k := len(l.sent) + 1
	m := sent{mark: fmt.Sprintf("L%d-M%d.", l.n, k)}
	switch l.chance.IntN(10) {
	case 0, 1, 2:
		m.file = fmt.Sprintf("f%d.txt", k)
		m.text = fmt.Sprintf("write %s %s", m.file, m.mark)
	case 3, 4:
		m.text, m.says = "echo "+m.mark, m.mark
	case 5:
		m.text = "burst 60 200 " + m.mark // says how it is used: the mark is one word too many
	case 6:
		m.text = fmt.Sprintf("run sleep 0.%d; echo %s", l.chance.IntN(9), m.mark)
	case 7:
		m.text = "crash " + m.mark
	case 8:
		m.text = fmt.Sprintf("run (sleep 1000 &) ; echo %s", m.mark)
	default:
		m.text = fmt.Sprintf("run git commit -q --allow-empty -m %s; sleep 0.%d", m.mark, l.chance.IntN(9))
	}
	return m
}

// insist asks until Blaise answers.
func (l *life) insist(ctx context.Context, do func() error) error {
	return eventually(ctx, time.Minute, func() error {
		err := do()
		if err != nil && blaise.CodeOf(err) != blaise.CodeUnreachable && blaise.CodeOf(err) != blaise.CodeInternal {
			return nil // an answer; the caller has it in its own variable
		}
		return err
	})
}

var errEnded = errors.New("the session has ended")

// show looks at the session, and answers what it asks.
func (l *life) show(ctx context.Context) (api.Session, error) {
	var s api.Session
	err := l.insist(ctx, func() (err error) {
		s, err = l.w.people.Session(ctx, l.id)
		return err
	})
	if err != nil || s.ID == "" {
		return s, fmt.Errorf("show: %w", err)
	}
	for _, q := range s.Waits {
		allow := true
		err := l.w.people.AnswerQuestion(ctx, q.ID, api.AnswerQuestion{Allow: &allow})
		if err == nil {
			l.say("allowed %s: %s", q.ID, q.What)
		}
	}
	return s, nil
}

// await waits until the session is as is said, or has ended.
func (l *life) await(ctx context.Context, what string, is func(api.Session) bool) error {
	var last api.Session
	err := eventually(ctx, patience, func() error {
		s, err := l.show(ctx)
		if last = s; err != nil {
			return err
		}
		if s.State == blaise.SessionEnded || is(s) {
			return nil
		}
		return fmt.Errorf("await %s: it is %s, its environment %s", what, s.State, s.Environment.State)
	})
	if err == nil && last.State == blaise.SessionEnded && !is(last) {
		return errEnded
	}
	return err
}

// settle waits until every message is answered, or is not going to be.
func (l *life) settle(ctx context.Context) error {
	return notEnded(l.await(ctx, "every message answered", func(s api.Session) bool {
		for _, m := range s.Messages {
			if !final(m.State) {
				return false
			}
		}
		return true
	}))
}

func final(m blaise.MessageState) bool { return blaise.Message{State: m}.Final() }

func notEnded(err error) error {
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// account is all that helps to understand a life that went wrong.
func (l *life) account(ctx context.Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n=== life %d, session %s, again with: -seed %d -first %d -lives 1\n", l.n, l.id, l.w.o.seed, l.n)
	for _, v := range l.wrong {
		fmt.Fprintf(&b, "VIOLATION %s\n", v)
	}
	b.WriteString("what happened:\n" + l.w.diary.of(l.n, l.began))
	l.asTold(ctx, &b)
	b.WriteString(l.w.logsOf(l.id))
	return b.String()
}
