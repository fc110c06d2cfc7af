package acp

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// AuthRequired is the end of what can be done without a person: the agent wants
// a login, and no key that was given will do. It never becomes a browser.
type AuthRequired struct {
	Agent   string
	Methods []AuthMethod // that the agent offers
	Err     error        // what the agent answered
	preset  Preset
}

// NewAuthRequired makes the error for an agent; offered are the methods of its
// initialize result, those of err go before them.
func NewAuthRequired(agent string, p Preset, offered []AuthMethod, err error) *AuthRequired {
	if own := AuthMethodsOf(err); len(own) > 0 {
		offered = own
	}
	return &AuthRequired{Agent: agent, Methods: offered, Err: err, preset: p}
}

// Error says that there is no login, and what the agent said.
func (e *AuthRequired) Error() string {
	return fmt.Sprintf("auth_required: agent %s is not logged in: %v", e.Agent, e.Err)
}

// Unwrap returns what the agent answered.
func (e *AuthRequired) Unwrap() error { return e.Err }

// Hint tells a person what to do.
func (e *AuthRequired) Hint() string {
	var ways []string
	if e.preset.Login != "" {
		ways = append(ways, fmt.Sprintf("run %q once, as the user and in the place where the agent runs",
			e.preset.Login))
	}
	for _, key := range e.preset.Keys {
		ways = append(ways, fmt.Sprintf(
			"set %s for the runner and write agent.env: {%s: {from: %s, secret: true}}", key, key, key))
	}
	if len(ways) == 0 {
		ways = append(ways, "log in where the agent runs, or give it its key in agent.env")
	}
	s := strings.Join(ways, "; or ")
	if names := methodNames(e.Methods); names != "" {
		s += ". The agent offers: " + names
	}
	return s
}

func methodNames(methods []AuthMethod) string {
	var names []string
	for _, m := range methods {
		names = append(names, fmt.Sprintf("%s (%s)", cmp.Or(m.Name, m.ID), m.ID))
	}
	return strings.Join(names, ", ")
}

// IsAuthMissing tells whether err is an *AuthRequired.
func IsAuthMissing(err error) bool { return errors.As(err, new(*AuthRequired)) }

// DefaultAuthMethod is what the agent proposes in _meta, "" for nothing.
func (a Agent) DefaultAuthMethod() string {
	return str(field(field(a.Raw, "_meta"), "defaultAuthMethodId"))
}
