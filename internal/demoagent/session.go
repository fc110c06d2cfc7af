package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	modeAsk  = "ask"
	modeAuto = "auto"
)

func (a *agent) newSession(p params) (any, *fault) {
	if !filepath.IsAbs(p.CWD) {
		return nil, &fault{Code: -32602, Message: "cwd must be an absolute path"}
	}
	id := newID()
	t, err := createTalk(a.o.Home, id)
	if err != nil {
		return nil, internal(err)
	}
	s := a.open(id, p.CWD, t)
	return s.opened(), nil
}

func (a *agent) loadSession(p params) (any, *fault) {
	if a.o.NoLoad {
		return nil, &fault{Code: -32601, Message: "method not found: session/load"}
	}
	if !filepath.IsAbs(p.CWD) {
		return nil, &fault{Code: -32602, Message: "cwd must be an absolute path"}
	}
	t, err := openTalk(a.o.Home, p.SessionID)
	if errors.Is(err, errNoTalk) {
		return nil, unknownSession(p.SessionID)
	}
	if err != nil {
		return nil, internal(err)
	}
	s := a.open(p.SessionID, p.CWD, t)
	for _, u := range t.replay() {
		a.wire.notify("session/update", map[string]any{"sessionId": s.id, "update": u})
	}
	return s.opened(), nil
}

// opened is what session/new and session/load answer.
type opened struct {
	ID      string `json:"sessionId"`
	Modes   any    `json:"modes"`
	Options []any  `json:"configOptions"`
}

func (s *session) opened() opened {
	return opened{ID: s.id, Modes: s.modes(), Options: s.options()}
}

func (a *agent) open(id, cwd string, t *talk) *session {
	a.cancel(id)
	s := &session{id: id, cwd: cwd, talk: t, mode: modeAsk, model: models[0], standing: map[string]bool{}}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions[id] = s
	return s
}

func (a *agent) closeSession(p params) (any, *fault) {
	if a.session(p.SessionID) == nil {
		return nil, unknownSession(p.SessionID)
	}
	a.cancel(p.SessionID)
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, p.SessionID)
	return struct{}{}, nil
}

func (a *agent) setMode(p params) (any, *fault) {
	s := a.session(p.SessionID)
	if s == nil {
		return nil, unknownSession(p.SessionID)
	}
	if p.ModeID != modeAsk && p.ModeID != modeAuto {
		return nil, &fault{Code: -32602, Message: "unknown mode: " + p.ModeID}
	}
	s.mu.Lock()
	s.mode = p.ModeID
	s.mu.Unlock()
	a.wire.notify("session/update", map[string]any{"sessionId": s.id, "update": map[string]any{
		"sessionUpdate": "current_mode_update", "currentModeId": p.ModeID,
	}})
	return struct{}{}, nil
}

func (s *session) modes() any {
	return map[string]any{
		"currentModeId": s.mode,
		"availableModes": []any{
			map[string]any{"id": modeAsk, "name": "Ask"},
			map[string]any{"id": modeAuto, "name": "Do not ask"},
		},
	}
}

func (a *agent) session(id string) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// cancel ends the open turn of a session, if there is one.
func (a *agent) cancel(id string) {
	s := a.session(id)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
}

// prompt begins a turn. It returns at once, so that a cancel can be read.
func (a *agent) prompt(ctx context.Context, m message) {
	var p params
	if err := json.Unmarshal(m.Params, &p); err != nil {
		a.wire.fail(m.ID, &fault{Code: -32602, Message: "invalid params"})
		return
	}
	s := a.session(p.SessionID)
	if s == nil {
		a.wire.fail(m.ID, unknownSession(p.SessionID))
		return
	}
	text := promptText(p.Prompt)
	a.witness(s, text)
	ctx, ok := s.begin(ctx)
	if !ok {
		a.wire.fail(m.ID, &fault{Code: -32603, Message: "a turn is in progress"})
		return
	}
	a.turns.Go(func() { a.turn(ctx, s, m.ID, said{text: text, blocks: p.Prompt}) })
}

func (s *session) begin(ctx context.Context) (context.Context, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return ctx, false
	}
	ctx, s.cancel = context.WithCancel(ctx)
	return ctx, true
}

func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
	s.cancel = nil
}

// said is a message: what it says, and all of it.
type said struct {
	text   string
	blocks []block
}

func promptText(blocks []block) string {
	var parts []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			parts = append(parts, b.Text)
		case "resource_link":
			parts = append(parts, b.URI)
		case "resource":
			parts = append(parts, b.Resource.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// witness notes a prompt where a test can count it, whatever becomes of us.
func (a *agent) witness(s *session, text string) {
	if a.o.Witness == "" {
		return
	}
	line, err := json.Marshal(struct {
		Session string    `json:"session"`
		Message string    `json:"message"`
		PID     int       `json:"pid"`
		Time    time.Time `json:"time"`
		Blaise  string    `json:"blaise_session,omitempty"`
	}{s.id, text, os.Getpid(), time.Now().UTC(), os.Getenv("BLAISE_SESSION")})
	if err != nil {
		return
	}
	f, err := os.OpenFile(a.o.Witness, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(append(line, '\n')) // a witness that fails shows as a missing line
}

func unknownSession(id string) *fault {
	return &fault{
		Code: -32002, Message: "Resource not found: session " + id,
		Data: map[string]string{"sessionId": id},
	}
}

func internal(err error) *fault { return &fault{Code: -32603, Message: err.Error()} }
