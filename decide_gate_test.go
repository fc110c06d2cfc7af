package blaise_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
)

var permissionOptions = []blaise.Option{
	{ID: "ever", Name: "Always", Kind: "allow_always"}, {ID: "yes", Name: "Yes", Kind: "allow_once"},
	{ID: "no", Name: "No", Kind: "reject_once"},
}

// asks has the agent ask whether it may do a.
func (st *story) asks(a *blaise.Action, options []blaise.Option) blaise.Plan {
	st.do(blaise.Event{Kind: blaise.EventQuestionAsked, Ask: &blaise.Question{
		Kind: blaise.QuestionPermission, Title: "may I", Options: options, Asks: a,
	}})
	return st.last
}

func TestB4_TheGateDecidesWithoutAPerson(t *testing.T) {
	for _, c := range []struct {
		name, choice string
		then         blaise.Ruling
	}{{"allows once", "yes", blaise.RulingAllow}, {"denies", "no", blaise.RulingDeny}} {
		t.Run(c.name, func(t *testing.T) {
			st := begin(t)
			st.s.Policy.Gate = blaise.Gate{{Tools: []string{"execute"}, Then: c.then}}
			st.opens()
			st.claim()
			plan := st.asks(&blaise.Action{Tool: "execute", Command: "ls"}, permissionOptions)
			st.wants(blaise.EnvOpen, blaise.SessionWorking)
			d := plan.Issue[len(plan.Issue)-1]
			if d.Kind != blaise.DirectiveAnswer || d.Choice != c.choice || d.By != "the gate" ||
				!strings.HasPrefix(d.Rule, "gate rule 1: execute: "+string(c.then)+" (agent ") {
				t.Errorf("directive %+v", d)
			}
			for _, h := range plan.History {
				if h.To == string(blaise.QuestionAnswered) && (h.By != "the gate" || h.Setting != d.Rule) {
					t.Errorf("history %+v", h)
				}
			}
		})
	}
}

func TestB4_WhatTheGateLeavesOpenParksTheTurn(t *testing.T) {
	for name, c := range map[string]struct {
		a       *blaise.Action
		options []blaise.Option
	}{
		"the default asks":         {&blaise.Action{Tool: "execute", Command: "ls"}, permissionOptions},
		"a run that tells nothing": {nil, permissionOptions},
		"only for ever is offered": {&blaise.Action{Tool: "read"}, permissionOptions[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			st := begin(t).opens()
			st.claim()
			st.asks(c.a, c.options)
			st.wants(blaise.EnvOpen, blaise.SessionParked)
			if q := st.s.Questions[0]; !strings.HasPrefix(q.Rule, "default gate: ") {
				t.Errorf("rule %q", q.Rule)
			}
		})
	}
}

func TestB4_AnotherGateHoldsForTheNextQuestion(t *testing.T) { // A9
	st := begin(t).opens()
	st.claim()
	p := st.s.Policy
	p.Gate = blaise.Gate{{Then: blaise.RulingDeny}}
	st.do(blaise.Event{Kind: blaise.EventPolicyChanged, By: "ann", Policy: &p})
	plan := st.asks(&blaise.Action{Tool: "read"}, permissionOptions)
	if d := plan.Issue[len(plan.Issue)-1]; d.Choice != "no" {
		t.Errorf("directive %+v", d)
	}
}
