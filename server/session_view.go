package server

import (
	"encoding/json"
	"slices"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/store"
)

// sessionOf is a session as the contract shows it.
func sessionOf(v store.View) api.Session {
	ses := v.Session
	out := api.Session{
		ID: ses.ID, Agent: ses.Agent, State: ses.State, Held: ses.Held, Outcome: ses.Outcome,
		Reason: ses.Reason, Title: ses.Title, Author: ses.Author, Repo: ses.Repo, Context: ses.Context, Runner: ses.Runner,
		Inputs: ses.Inputs, CreatedAt: ses.CreatedAt, EndedAt: timeOf(ses.EndedAt), Environment: environmentOf(v),
		Runs: []api.Run{}, Messages: []api.Message{}, Waits: []api.Wait{}, Clocks: []api.Clock{},
		Saves: v.Saves, Budget: budgetOf(v), Usage: ses.Usage, Wanted: ses.Wanted,
		Settings: v.Status.Settings, Commands: v.Status.Commands, Plan: v.Status.Plan,
	}
	orEmpty(&out.Settings)
	orEmpty(&out.Commands)
	orEmpty(&out.Plan)
	orEmpty(&out.Saves)
	for _, r := range v.Runs {
		out.Runs = append(out.Runs, runOf(r))
	}
	for _, m := range v.Messages {
		out.Messages = append(out.Messages, messageOf(m))
	}
	for _, q := range v.Questions {
		if q.State == blaise.QuestionOpen {
			out.Waits = append(out.Waits, waitOf(q, v.Clocks))
		}
	}
	for _, c := range v.Clocks {
		out.Clocks = append(out.Clocks, clockOf(c, ses))
	}
	slices.SortFunc(out.Clocks, func(a, b api.Clock) int { return a.DueAt.Compare(b.DueAt) })
	return out
}

// clockOf is a clock as the contract shows it.
func clockOf(c blaise.Clock, s blaise.Session) api.Clock {
	out := api.Clock{Kind: c.Kind, DueAt: c.DueAt, Setting: c.Setting, Then: c.Kind.Meaning()}
	if s.Held {
		left := int64(c.Left(s.HeldSince).Seconds())
		out.LeftSeconds = &left
	}
	return out
}

// environmentOf is the environment with its meaning, and with the clock of its
// own state that fires next.
func environmentOf(v store.View) api.Environment {
	env := v.Environment
	out := api.Environment{
		ID: env.ID, State: env.State, Meaning: env.State.Meaning(), Generation: env.Generation,
		LastError: env.LastError, LeftBehind: env.LeftBehind(), Plugs: []api.Plug{},
	}
	for _, e := range v.Older {
		if why := e.LeftBehind(); why != "" {
			out.LeftEarlier = append(out.LeftEarlier, e.ID)
			if out.LeftBehind == "" {
				out.LeftBehind = string(e.ID) + ", an earlier one: " + why
			}
		}
	}
	for _, c := range v.Clocks {
		if !slices.Contains(env.State.Clocks(), c.Kind) {
			continue
		}
		if out.DeadlineAt == nil || c.DueAt.Before(*out.DeadlineAt) {
			out.DeadlineAt, out.DeadlineReason = &c.DueAt, c.Setting
			if c.Setting == "" {
				out.DeadlineReason = c.Kind.Meaning()
			}
		}
	}
	for _, p := range env.Plugs {
		out.Plugs = append(out.Plugs, plugOf(p, env.Resources))
	}
	return out
}

func plugOf(p blaise.PlugRecord, all []blaise.Resource) api.Plug {
	out := api.Plug{
		ID: p.ID, Use: p.Use, State: "closed", Resumable: p.Resumable, Why: p.Why, Reach: p.Reach,
		Machine: p.Machine, StateSaved: p.HasState, Resources: []blaise.Resource{},
	}
	switch {
	case p.Unowned:
		out.State = "unowned"
	case p.Opened:
		out.State = "opened"
	}
	for _, r := range all {
		if r.Plug == p.ID && !r.Gone {
			out.Resources = append(out.Resources, r)
		}
	}
	return out
}

func runOf(r blaise.Run) api.Run {
	out := api.Run{
		ID: r.ID, Kind: r.Kind, Attempt: r.Attempt, State: r.State, Outcome: r.Outcome, Reason: r.Reason,
		Runner: r.Runner, Instance: r.Instance, AcceptedAt: timeOf(r.AcceptedAt), EndedAt: timeOf(r.EndedAt),
	}
	switch {
	case !r.Final():
		out.Record = "open"
	case r.Record != "":
		out.Record = r.Record
	case !r.ConnectedAt.IsZero():
		out.Record = "incomplete: it gave no count"
	}
	return out
}

func messageOf(m blaise.Message) api.Message {
	return api.Message{
		ID: m.ID, Author: m.Author, State: m.State, Text: m.Text, Attachments: m.Attachments, Answer: m.Answer, Run: m.Run, Turn: m.Turn,
		Usage:  m.Usage,
		Reason: m.Reason, Repeats: m.Repeats, QueuedAt: m.QueuedAt,
		DeliveredAt: timeOf(m.DeliveredAt), AnsweredAt: timeOf(m.AnsweredAt),
	}
}

func waitOf(q blaise.Question, clocks []blaise.Clock) api.Wait {
	out := api.Wait{
		ID: q.ID, Kind: q.Kind, What: q.Title, Rule: q.Rule, Options: q.Options, WhoCanAnswer: []string{"any user"}, Since: q.AskedAt,
	}
	if out.Options == nil {
		out.Options = []blaise.Option{}
	}
	if json.Valid(q.Detail) {
		out.Detail = q.Detail
	}
	for _, c := range clocks {
		if c.Kind == blaise.ClockQuestion && c.Subject == string(q.ID) {
			out.ExpiresAt = &c.DueAt
		}
	}
	return out
}

func summaryOf(s store.Summary) api.Summary {
	return api.Summary{
		ID: s.ID, Agent: s.Agent, State: s.State, Held: s.Held, Outcome: s.Outcome, Reason: s.Reason,
		Title: s.Title, Author: s.Author, Blocked: s.Blocked, Repo: s.Repo, Environment: s.Environment, Waits: s.Waits, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Usage: s.Usage, Work: s.Work,
	}
}

func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// cutAt is how much of a text a stream carries: the whole is one GET away.
const cutAt = 16 << 10

// cut shortens the long texts of a session for streams.
func cut(s api.Session) api.Session {
	s.Messages = slices.Clone(s.Messages)
	for i := range s.Messages {
		m := &s.Messages[i]
		m.Text, m.Cut = head(m.Text, m.Cut)
		m.Answer, m.Cut = head(m.Answer, m.Cut)
	}
	return s
}

func head(text string, already bool) (string, bool) {
	if len(text) <= cutAt {
		return text, already
	}
	end := cutAt
	for end > 0 && text[end]&0xC0 == 0x80 { // not within a character
		end--
	}
	return text[:end] + " …", true
}
