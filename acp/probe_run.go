package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Spawned is a process of the agent that a probe has had started: our ends of
// its stdin and stdout, and the ways to end it.
type Spawned struct {
	In  io.WriteCloser
	Out io.ReadCloser
	// Term sends SIGTERM; Kill ends the whole tree at once and returns when it
	// is gone. Exited is closed when the process has ended.
	Term, Kill func()
	Exited     <-chan struct{}
	// Stderr is the end of what it wrote there.
	Stderr func() string
}

// ProbeOptions say what is probed and how. Name and Start are required.
type ProbeOptions struct {
	Name   string
	Preset Preset // the zero value for an agent that is no preset
	CWD    string // absolute
	Start  func(context.Context) (*Spawned, error)
	// Step is how long one step may take, 3 minutes; Exit how long an exit, 3 s.
	Step, Exit time.Duration
	// Tell is told of each step when it is over. May be nil.
	Tell func(ProbeStep)
	// Wait waits for the next UTC minute where an agent must not be loaded in
	// the one it began in; nil really waits.
	Wait func(ctx context.Context, until time.Time) error
	Info ClientInfo
}

func (o ProbeOptions) withDefaults() ProbeOptions {
	if o.Step <= 0 {
		o.Step = 3 * time.Minute
	}
	if o.Exit <= 0 {
		o.Exit = 3 * time.Second
	}
	if o.Tell == nil {
		o.Tell = func(ProbeStep) {}
	}
	if o.Wait == nil {
		o.Wait = waitUntil
	}
	o.Preset.Say = cmp.Or(o.Preset.Say, "Remember the word %s. Answer with that word alone.")
	o.Preset.Recall = cmp.Or(o.Preset.Recall,
		"Which word did I ask you to remember? Answer with that word alone.")
	return o
}

func waitUntil(ctx context.Context, until time.Time) error {
	select {
	case <-time.After(time.Until(until)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// NextMinute is the first moment at which a session that was opened at t may
// be loaded by an agent with LoadMinAge.
func NextMinute(t time.Time) time.Time {
	return t.UTC().Truncate(time.Minute).Add(time.Minute + time.Second)
}

// RunProbe has an agent do what a runner will need of it: begin a conversation,
// answer, be killed, load, remember, be cancelled, exit. It costs a few small
// turns of the agent's model. The error is ctx's; what the agent cannot do is in
// the Probe.
func RunProbe(ctx context.Context, o ProbeOptions) (Probe, error) {
	p := &prober{o: o.withDefaults(), word: probeWord()}
	p.probe = Probe{Name: o.Name, At: time.Now().UTC(), OK: true, Faults: Faults{}}
	defer p.end()
	for _, s := range p.steps() {
		if ctx.Err() != nil {
			return p.probe, context.Cause(ctx)
		}
		if !p.step(ctx, s) && s.needed {
			break
		}
	}
	return p.probe, nil
}

// probeWord is a word that no answer has by chance.
func probeWord() string {
	return fmt.Sprintf("blaise%x", time.Now().UnixNano()&0xffffff)
}

type probeStep struct {
	name   string
	needed bool // without it the rest makes no sense
	do     func(context.Context) (string, error)
}

// errSkip is a step that the agent does not offer; oddError one that works in a
// way of its own.
var errSkip = errors.New("not offered")

type oddError struct{ what string }

func (e oddError) Error() string { return e.what }

func (p *prober) steps() []probeStep {
	return []probeStep{
		{"initialize", true, p.begin},
		{"session/new", true, p.new},
		{"prompt", true, p.say},
		{"session/load after kill -9", false, p.load},
		{"remembers after the load", false, p.recall},
		{"session/resume after kill -9", false, p.resume},
		{"an unknown session is refused", false, p.unknown},
		{"session/cancel", false, p.cancel},
		{"exit at the end of stdin", false, p.exitEOF},
		{"exit at SIGTERM", false, p.exitTERM},
	}
}

func (p *prober) step(ctx context.Context, s probeStep) bool {
	ctx, cancel := context.WithTimeoutCause(ctx, p.o.Step, fmt.Errorf("no answer in %v", p.o.Step))
	defer cancel()
	began := time.Now()
	detail, err := s.do(ctx)
	done := ProbeStep{Name: s.name, Result: ProbeWorks, Detail: detail,
		Took: time.Since(began).Round(time.Millisecond)}
	var odd oddError
	switch {
	case errors.Is(err, errSkip):
		done.Result, done.Detail = ProbeSkipped, cmp.Or(detail, err.Error())
	case errors.As(err, &odd):
		done.Result, done.Detail = ProbeOdd, odd.what
	case err != nil:
		done.Result, done.Detail = ProbeFails, p.explain(err)
		p.probe.OK = false
	}
	p.probe.Steps = append(p.probe.Steps, done)
	p.o.Tell(done)
	return done.Result != ProbeFails
}

func (p *prober) explain(err error) string {
	var auth *AuthRequired
	if errors.As(err, &auth) {
		p.probe.Todo = auth.Hint()
	}
	s := err.Error()
	if p.now != nil && errors.Is(err, ErrClosed) {
		if last := strings.TrimSpace(p.now.proc.Stderr()); last != "" {
			s += "; its stderr: " + last
		}
	}
	return s
}

// tried notes that faults were looked for.
func (p *prober) tried(faults ...Fault) {
	for _, f := range faults {
		if !slices.Contains(p.probe.Tried, f) {
			p.probe.Tried = append(p.probe.Tried, f)
		}
	}
}

func (p *prober) fault(f Fault, shows string) error {
	p.tried(f)
	p.probe.Faults[f] = shows
	return oddError{shows}
}
