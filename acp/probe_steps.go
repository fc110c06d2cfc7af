package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// prober is one RunProbe.
type prober struct {
	o     ProbeOptions
	probe Probe
	word  string
	now   *probed // the process there is
	id    string  // of the session
	born  time.Time
	// replayed: the load played something back; loaded: it answered.
	replayed, loaded bool
}

// probed is one process of the agent, and the connection to it.
type probed struct {
	proc   *Spawned
	client *Client
	agent  Agent
	seen   *sight
	ran    chan struct{}
}

// sight is the Handler of a probe: it counts, and allows nothing.
type sight struct {
	mu     sync.Mutex // over the fields below
	users  int
	answer strings.Builder
	spoke  chan struct{} // one token when the agent says something
}

func (s *sight) Update(u Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := u.Text()
	switch u.Kind {
	case KindUserChunk:
		s.users++
	case KindAgentChunk:
		s.answer.WriteString(text)
		select {
		case s.spoke <- struct{}{}:
		default:
		}
	}
}

func (s *sight) Permission(_ context.Context, r PermissionRequest) PermissionOutcome {
	return r.Choose(false, false)
}

func (s *sight) Request(context.Context, string, json.RawMessage) (any, error) {
	return nil, ErrMethodNotFound
}

func (s *sight) Noise([]byte) {}

// take gives what was seen and begins anew.
func (s *sight) take() (users int, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	users, answer = s.users, s.answer.String()
	s.users = 0
	s.answer.Reset()
	return users, answer
}

// begin has a new process, and shakes hands.
func (p *prober) begin(ctx context.Context) (string, error) {
	p.end()
	proc, err := p.o.Start(ctx)
	if err != nil {
		return "", err
	}
	seen := &sight{spoke: make(chan struct{}, 1)}
	p.now = &probed{proc: proc, seen: seen, ran: make(chan struct{})}
	p.now.client = NewClient(proc.In, proc.Out, seen, Options{})
	go func(n *probed) {
		defer close(n.ran)
		_ = n.client.Run(context.WithoutCancel(ctx)) // the calls tell
	}(p.now)
	a, err := p.now.client.Initialize(ctx, p.o.Info, ClientCapabilities{BooleanConfig: true})
	if err != nil {
		return "", err
	}
	p.now.agent = a
	p.probe.Agent, p.probe.Version, p.probe.Says = a.Name, a.Version, a.Raw
	return strings.TrimSpace(a.Name + " " + a.Version), nil
}

// end kills the process there is, as a machine that fails does.
func (p *prober) end() {
	if p.now == nil {
		return
	}
	p.now.proc.Kill()
	<-p.now.ran
	p.now = nil
}

func (p *prober) params() SessionParams { return SessionParams{CWD: p.o.CWD} }

// authorised calls do, once more after a login if the agent wants one and
// there is a way without a person.
func (p *prober) authorised(ctx context.Context, do func() error) error {
	err := do()
	if !IsAuthRequired(err) {
		return err
	}
	a := p.now.agent
	missing := NewAuthRequired(p.o.Name, p.o.Preset, a.AuthMethods, err)
	id := p.o.Preset.AuthMethod(missing.Methods, a.DefaultAuthMethod())
	if id == "" || p.now.client.Authenticate(ctx, id) != nil {
		return missing
	}
	_ = p.fault(NeedsAuthenticate, id)
	if err = do(); IsAuthRequired(err) {
		return missing
	}
	return err
}

func (p *prober) new(ctx context.Context) (string, error) {
	p.tried(NeedsAuthenticate)
	var s Session
	err := p.authorised(ctx, func() (err error) {
		s, err = p.now.client.NewSession(ctx, p.params())
		return err
	})
	p.id, p.born = s.ID, time.Now()
	return s.ID, err
}

// ask is one turn, and what the agent said in it.
func (p *prober) ask(ctx context.Context, text string) (string, error) {
	p.now.seen.take()
	var r PromptResult
	err := p.authorised(ctx, func() (err error) {
		r, err = p.now.client.Prompt(ctx, p.id, []ContentBlock{Text(text)})
		return err
	})
	if err != nil {
		return "", err
	}
	_ = p.now.client.Settle(ctx, p.id) // late words count
	_, answer := p.now.seen.take()
	if r.StopReason != "end_turn" {
		return answer, fmt.Errorf("the turn ended with %q: %.200s", r.StopReason, answer)
	}
	return answer, nil
}

func (p *prober) say(ctx context.Context) (string, error) {
	answer, err := p.ask(ctx, fmt.Sprintf(p.o.Preset.Say, p.word))
	if err == nil && !strings.Contains(answer, p.word) {
		return "", oddError{fmt.Sprintf("it was to say %s and said: %.200s", p.word, answer)}
	}
	return "", err
}

// load kills the agent and has another process take the conversation up.
func (p *prober) load(ctx context.Context) (string, error) {
	if !p.now.agent.LoadSession {
		return "", errSkip
	}
	faults := FaultsOf(p.probe.Agent, p.probe.Version)
	p.end()
	waited := ""
	if faults.Has(LoadMinAge) {
		until := NextMinute(p.born)
		if err := p.o.Wait(ctx, until); err != nil {
			return "", err
		}
		waited = ", after the minute in which the session began"
	}
	if _, err := p.begin(ctx); err != nil {
		return "", err
	}
	if err := p.reopen(ctx, p.now.client.LoadSession, p.id); err != nil {
		p.tried(BrokenAfterCrash)
		p.probe.Faults[BrokenAfterCrash] = err.Error()
		return "", err
	}
	p.loaded = true
	p.tried(BrokenAfterCrash, LoadBroken, LoadAfterResponse)
	before, _ := p.now.seen.take()
	after := p.lateReplay(ctx)
	p.replayed = before+after > 0
	detail := fmt.Sprintf("plays back %d messages of the user%s", before+after, waited)
	if after > 0 {
		return "", p.fault(LoadAfterResponse, fmt.Sprintf("%s, %d of them after the answer", detail, after))
	}
	return detail, nil
}

// lateReplay waits until nothing comes any more.
func (p *prober) lateReplay(ctx context.Context) (users int) {
	for range 20 {
		lines := p.now.client.Stats().Lines
		if waitUntil(ctx, time.Now().Add(300*time.Millisecond)) != nil ||
			p.now.client.Stats().Lines == lines {
			break
		}
	}
	users, _ = p.now.seen.take()
	return users
}

type opener func(context.Context, string, SessionParams) (Session, error)

func (p *prober) reopen(ctx context.Context, open opener, id string) error {
	return p.authorised(ctx, func() error {
		_, err := open(ctx, id, p.params())
		return err
	})
}

func (p *prober) recall(ctx context.Context) (string, error) {
	if !p.loaded {
		return "it was not loaded", errSkip
	}
	answer, err := p.ask(ctx, p.o.Preset.Recall)
	if err != nil {
		return "", err
	}
	p.tried(NoReplay)
	remembers := strings.Contains(answer, p.word)
	switch {
	case remembers && !p.replayed:
		return "", p.fault(NoReplay, "it remembers, and plays nothing back")
	case !remembers:
		return "", fmt.Errorf("it does not know the word any more: %.200s", answer)
	}
	return "", nil
}

func (p *prober) resume(ctx context.Context) (string, error) {
	if p.now == nil || !p.now.agent.Resume {
		return "", errSkip
	}
	if _, err := p.begin(ctx); err != nil {
		return "", err
	}
	if err := p.reopen(ctx, p.now.client.ResumeSession, p.id); err != nil {
		return "", p.fault(ResumeBroken, err.Error())
	}
	p.tried(ResumeBroken)
	return "", nil
}

const noSuchSession = "00000000-0000-4000-8000-000000000000"

func (p *prober) unknown(ctx context.Context) (string, error) {
	if p.now == nil || !p.now.agent.LoadSession {
		return "", errSkip
	}
	err := p.reopen(ctx, p.now.client.LoadSession, noSuchSession)
	switch {
	case err == nil:
		return "", p.fault(UnknownLoads, "it answers as if it had it")
	case ctx.Err() != nil:
		return "", err
	case !IsSessionNotFound(err):
		return "", oddError{"the error is not known as that of an unknown session: " + err.Error()}
	}
	p.tried(UnknownLoads)
	return err.Error(), nil
}
