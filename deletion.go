package blaise

import (
	"fmt"
	"strings"
	"time"
)

// A Deletion is what stays in the record of a session that was deleted: who did
// it and why, when the session was, and what it used. Nothing that was said or
// made in it is here.
type Deletion struct {
	Session   SessionID `json:"session"`
	Agent     AgentName `json:"agent"`
	Outcome   Outcome   `json:"outcome"`
	Runs      int       `json:"runs"`
	Messages  int       `json:"messages"`
	Saves     int       `json:"saves"`          // under refs/blaise/SESSION, where they stay
	Work      int       `json:"work,omitempty"` // saves that Blaise had itself, and that went with the session
	Usage     Usage     `json:"usage,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	EndedAt   time.Time `json:"ended_at"`
	DeletedAt time.Time `json:"deleted_at"`
	By        string    `json:"by"`
	Reason    string    `json:"reason,omitempty"`
}

// Deletion is what is to stay of a session when it is deleted now; work are the
// saves that go with it.
func (s Session) Deletion(by, reason string, now time.Time, work []SavedWork) Deletion {
	return Deletion{
		Work: len(work), Session: s.ID, Agent: s.Agent, Outcome: s.Outcome, Runs: s.Runs, Messages: s.Messages,
		Saves: s.Saves, Usage: s.Usage, CreatedAt: s.CreatedAt, EndedAt: s.EndedAt,
		DeletedAt: now, By: by, Reason: reason,
	}
}

// Deletable refuses to delete a session of which anything may still happen, or
// be left, or be needed; what to do first is in the hint. envs are its
// environments of all generations, heirs the sessions that go on from it and
// have saved no work of their own. CodeRefused.
func (s *Snapshot) Deletable(envs []Environment, heirs []SessionID) error {
	id := s.Session.ID
	refuse := func(format string, args ...any) *Error {
		return Errorf(CodeRefused, "delete session %s: "+format, append([]any{id}, args...)...)
	}
	if !s.ended() {
		return refuse("it has not ended").WithHint("first: blaise end %s", id)
	}
	if s.Session.Held {
		return refuse("it is held").WithHint("first: blaise release %s", id)
	}
	for _, e := range envs {
		if e.LeftBehind() != "" {
			return refuse("environment %s is %s, and something may be left of it", e.ID, e.State).
				WithHint("see to it (blaise show %s), then: blaise mark-destroyed %s --reason WHY", id, e.ID)
		}
		if e.MayHold() {
			return refuse("environment %s is %s", e.ID, e.State).
				WithHint("once it is destroyed; what that waits for: blaise why %s", id)
		}
	}
	if s.Run != nil {
		return refuse("run %s has not ended", s.Run.ID).WithHint("what it waits for: blaise why %s", s.Run.ID)
	}
	if len(heirs) > 0 {
		return refuse("session %s goes on from its saved work, and has saved none of its own", heirs[0]).
			WithHint("once that has paused or ended: blaise show %s", heirs[0])
	}
	return nil
}

// KeepsWork refuses to delete a session with the only copy of its work that
// Blaise knows of. CodeRefused.
func (s *Snapshot) KeepsWork(work []SavedWork) error {
	if len(work) == 0 {
		return nil
	}
	id, last := s.Session.ID, work[len(work)-1]
	return Errorf(CodeRefused, "delete session %s: Blaise has %s of its work, the last of %s, and may be the only one who has",
		id, Count(len(work), "save"), Count(last.Files, "file")).
		WithHint("bring it home first, in a clone of its repository: blaise restore %s; to delete the work too: "+
			"blaise delete %s --drop-work", id, id)
}

// Err is the answer to who asks for the session. CodeNotFound.
func (d Deletion) Err() error {
	return Errorf(CodeNotFound, "%s", d.what()).WithHint("what stays of it: blaise why %s", d.Session)
}

func (d Deletion) what() string {
	text := fmt.Sprintf("session %s was deleted at %s by %s", d.Session, stamp(d.DeletedAt), d.By)
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text
}

// Why says in plain words what stays of the session.
func (d Deletion) Why() []string {
	parts := []string{Count(d.Runs, "run"), Count(d.Messages, "message")}
	if d.Usage.Total > 0 {
		parts = append(parts, TokenCount(d.Usage.Total)+" tokens")
	}
	if d.Usage.Cost > 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%.4g %s", d.Usage.Cost, d.Usage.Currency)))
	}
	lines := []string{
		d.what(),
		fmt.Sprintf("it was of agent %s, began at %s and ended %s at %s; %s", d.Agent,
			stamp(d.CreatedAt), d.Outcome, stamp(d.EndedAt), strings.Join(parts, ", ")),
	}
	if d.Work > 0 {
		lines = append(lines, fmt.Sprintf("%s of its work that Blaise kept went with it", Count(d.Work, "save")))
	}
	if d.Saves > d.Work {
		lines = append(lines, fmt.Sprintf(
			"its saved work stays in its repository: git for-each-ref refs/blaise/%s", d.Session))
	}
	return lines
}
