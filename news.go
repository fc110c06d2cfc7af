package blaise

import (
	"slices"
	"time"
)

// News is one thing about a session that programs outside are told of. It
// holds ids and states, the title of a question, and nothing else that an
// agent or a person has written.
type News struct {
	Kind     NewsKind     `json:"-"`
	At       time.Time    `json:"-"`
	Session  SessionID    `json:"session"`
	Agent    AgentName    `json:"agent"`
	Author   string       `json:"author"` // who began the session
	State    SessionState `json:"state"`
	Was      SessionState `json:"previous_state,omitempty"` // session.state_changed
	Outcome  Outcome      `json:"outcome,omitempty"`        // session.ended
	Question *AskedNews   `json:"question,omitempty"`
	Turn     *TurnNews    `json:"turn,omitempty"`
	// Environment is the one that needs a person, of environment.orphaned.
	Environment EnvironmentID `json:"environment,omitempty"`
	URL         string        `json:"url,omitempty"` // the page of the session
}

// AskedNews is what is told of a question.
type AskedNews struct {
	ID     QuestionID    `json:"id"`
	Kind   string        `json:"kind"`
	Title  string        `json:"title"`
	State  QuestionState `json:"state"`
	Choice string        `json:"choice,omitempty"`
	By     string        `json:"by,omitempty"`
}

// TurnNews is what is told of a turn that has ended.
type TurnNews struct {
	Message MessageID    `json:"message"`
	Run     RunID        `json:"run"`
	Result  MessageState `json:"result"`
}

// A NewsKind names a kind of news.
type NewsKind string

// The kinds of news.
const (
	NewsSessionCreated      NewsKind = "session.created"
	NewsSessionState        NewsKind = "session.state_changed"
	NewsSessionEnded        NewsKind = "session.ended"
	NewsTurnFinished        NewsKind = "turn.finished"
	NewsQuestionOpened      NewsKind = "question.opened"
	NewsQuestionAnswered    NewsKind = "question.answered"
	NewsQuestionExpired     NewsKind = "question.expired"
	NewsEnvironmentOrphaned NewsKind = "environment.orphaned"
)

// NewsKinds lists every kind of news there is.
func NewsKinds() []NewsKind {
	return []NewsKind{
		NewsSessionCreated, NewsSessionState, NewsSessionEnded, NewsTurnFinished,
		NewsQuestionOpened, NewsQuestionAnswered, NewsQuestionExpired, NewsEnvironmentOrphaned,
	}
}

// newsOf reads off the snapshots what a decision has changed that is news.
func newsOf(before Snapshot, p Plan, at time.Time) []News {
	n := gazette{now: p.Next, at: at}
	n.session(before)
	n.questions(before, p)
	n.turns(before, p)
	if env := p.Next.Environment; env.State == EnvOrphaned && before.Environment.State != EnvOrphaned {
		n.add(NewsEnvironmentOrphaned, News{Environment: env.ID})
	}
	return n.all
}

// A gazette collects the news of one decision.
type gazette struct {
	now Snapshot
	at  time.Time
	all []News
}

func (g *gazette) add(kind NewsKind, n News) {
	s := g.now.Session
	n.Kind, n.At = kind, g.at
	n.Session, n.Agent, n.Author, n.State = s.ID, s.Agent, s.Author, s.State
	g.all = append(g.all, n)
}

func (g *gazette) session(before Snapshot) {
	was, is := before.Session, g.now.Session
	if was.Messages == 0 && is.Messages > 0 {
		g.add(NewsSessionCreated, News{})
		return // it was in no state that anybody knew
	}
	switch {
	case was.State == is.State:
	case is.State == SessionEnded:
		g.add(NewsSessionEnded, News{Outcome: is.Outcome})
	default:
		g.add(NewsSessionState, News{Was: was.State})
	}
}

// questions tells of those that were put to people: what the gate settles is
// open in no snapshot.
func (g *gazette) questions(before Snapshot, p Plan) {
	open := map[QuestionID]bool{}
	for _, q := range before.Questions {
		open[q.ID] = q.State == QuestionOpen
	}
	for _, q := range slices.Concat(p.Next.Questions, p.Ended.Questions) {
		kind := NewsQuestionAnswered
		switch {
		case q.State == QuestionOpen && !open[q.ID]:
			kind = NewsQuestionOpened
		case q.State == QuestionOpen || !open[q.ID]:
			continue
		case q.State == QuestionExpired:
			kind = NewsQuestionExpired
		}
		g.add(kind, News{Question: &AskedNews{
			ID: q.ID, Kind: q.Kind, Title: headline(q.Title), State: q.State, Choice: q.Choice, By: q.By,
		}})
	}
}

// headline is the beginning of a title: an agent may ask a page long.
func headline(title string) string {
	const most = 300 // characters
	if r := []rune(title); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return title
}

func (g *gazette) turns(before Snapshot, p Plan) {
	inTurn := map[MessageID]bool{}
	for _, m := range before.Messages {
		inTurn[m.ID] = m.State == MessageDelivered
	}
	for _, m := range slices.Concat(p.Next.Messages, p.Ended.Messages) {
		if inTurn[m.ID] && m.State != MessageDelivered {
			g.add(NewsTurnFinished, News{Turn: &TurnNews{Message: m.ID, Run: m.Run, Result: m.State}})
		}
	}
}
