package demoagent

import (
	"context"
	"fmt"
	"slices"
)

// models are what a session may be set to. There is no model behind them.
var models = []string{"demo-small", "demo-large"}

// options are the config options of a session, as they now are.
func (s *session) options() []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	var offered []any
	for _, m := range models {
		offered = append(offered, map[string]any{"value": m, "name": m})
	}
	return []any{
		map[string]any{
			"id": "model", "name": "Model", "category": "model", "type": "select",
			"currentValue": s.model, "options": offered,
		},
		map[string]any{
			"id": "loud", "name": "Loud", "type": "boolean", "currentValue": s.loud,
		},
	}
}

func (a *agent) setOption(p params) (any, *fault) {
	s := a.session(p.SessionID)
	if s == nil {
		return nil, unknownSession(p.SessionID)
	}
	if err := s.set(p.ConfigID, p.Value); err != nil {
		return nil, &fault{Code: -32602, Message: err.Error()}
	}
	return map[string]any{"configOptions": s.options()}, nil
}

func (s *session) set(id string, value any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := value.(string)
	yes, isBool := value.(bool)
	switch {
	case id == "model" && slices.Contains(models, text):
		s.model = text
	case id == "loud" && isBool:
		s.loud = yes
	default:
		return fmt.Errorf("unknown option or value: %s=%v", id, value)
	}
	return nil
}

// announce tells the client of the commands.
func (t *turn) announce() {
	var list []any
	for _, c := range commands() {
		list = append(list, map[string]any{"name": c.name(), "description": c.what})
	}
	t.send(map[string]any{
		"sessionUpdate": "available_commands_update", "availableCommands": list,
	})
}

// mode says which mode it is, or changes it, as an agent may on its own.
func mode(_ context.Context, t *turn, rest string) error {
	if rest != "" {
		if _, f := t.a.setMode(params{SessionID: t.s.id, ModeID: rest}); f != nil {
			t.say(f.Message)
			return nil
		}
	}
	t.s.mu.Lock()
	now := t.s.mode
	t.s.mu.Unlock()
	t.sayf("I am in mode %s.", now)
	return nil
}

func model(_ context.Context, t *turn, rest string) error {
	if rest != "" {
		if err := t.s.set("model", rest); err != nil {
			t.say(err.Error())
			return nil
		}
		t.send(map[string]any{
			"sessionUpdate": "config_option_update", "configOptions": t.s.options(),
		})
	}
	t.s.mu.Lock()
	now, loud := t.s.model, t.s.loud
	t.s.mu.Unlock()
	t.sayf("I am %s, loud %t.", now, loud)
	return nil
}
