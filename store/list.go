package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"blaise.dev/blaise"
)

// A Filter chooses sessions. The zero value chooses the latest 100.
type Filter struct {
	State       blaise.SessionState // "" for any
	Outcome     blaise.Outcome      // "" for any
	Since       time.Time           // not touched before; zero for any
	Agent       blaise.AgentName    // "" for any
	Text        string              // in id, title, author or reason; case does not count
	NeedsPerson bool                // a question is open, the door waits, a run was refused, or an orphan is there
	Limit       int                 // at most 1000
	Before      string              // the Cursor of the last Summary of the page before
}

// A Summary is one line of a list of sessions.
type Summary struct {
	ID          blaise.SessionID
	Agent       blaise.AgentName
	State       blaise.SessionState
	Held        bool
	Outcome     blaise.Outcome
	Reason      string
	Title       string
	Author      string
	Repo        string
	Usage       blaise.Usage
	Environment blaise.EnvironmentState
	Context     blaise.ContextState
	Blocked     string // as the session has it
	Waits       int    // open questions
	Work        int    // saves that Blaise has itself, of what is settled
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Cursor is the value of Filter.Before for the page after this line.
func (s Summary) Cursor() string {
	return strconv.FormatInt(nanos(s.CreatedAt), 36) + "." + string(s.ID)
}

// Sessions lists sessions, the latest created first. CodeInvalid: the cursor
// is none.
func (db *DB) Sessions(ctx context.Context, f Filter) ([]Summary, error) {
	where, args, err := f.where()
	if err != nil {
		return nil, err
	}
	all, err := summaries(db.read(ctx), where+" ORDER BY s.created_at DESC, s.id DESC LIMIT ?", args...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return all, nil
}

// summaries reads the lines of the sessions s that rest, from the WHERE on,
// chooses and orders.
func summaries(q querier, rest string, args ...any) ([]Summary, error) {
	var all []Summary
	err := q.each(func(row *sql.Rows) error {
		s, err := scanSummary(row)
		all = append(all, s)
		return err
	}, `SELECT s.body, s.waits, s.updated_at, e.state FROM sessions s
		JOIN environments e ON e.id = s.environment WHERE `+rest, args...)
	return all, err
}

func scanSummary(row *sql.Rows) (Summary, error) {
	var raw []byte
	var updated int64
	var l Summary
	if err := row.Scan(&raw, &l.Waits, &updated, &l.Environment); err != nil {
		return l, err
	}
	var s blaise.Session
	err := json.Unmarshal(raw, &s)
	l.ID, l.Agent, l.State, l.Held = s.ID, s.Agent, s.State, s.Held
	l.Outcome, l.Reason, l.Title, l.Author = s.Outcome, s.Reason, s.Title, s.Author
	l.Repo, l.Usage, l.Context, l.Blocked = s.Repo, s.Usage, s.Context, s.Blocked
	l.CreatedAt, l.UpdatedAt = s.CreatedAt, fromNanos(updated)
	return l, err
}

// where gives the condition and the arguments, the limit last.
func (f Filter) where() (string, []any, error) {
	conds, args := []string{"1 = 1"}, []any{}
	add := func(cond string, values ...any) {
		conds, args = append(conds, cond), append(args, values...)
	}
	if f.State != "" {
		add("s.state = ?", string(f.State))
	}
	if f.Outcome != "" {
		add("s.outcome = ?", string(f.Outcome))
	}
	if !f.Since.IsZero() {
		add("s.updated_at >= ?", nanos(f.Since))
	}
	if f.Agent != "" {
		add("s.agent = ?", clean(string(f.Agent)))
	}
	if f.NeedsPerson {
		add("s.attention = 1")
	}
	if f.Text != "" {
		add(`s.search LIKE ? ESCAPE '\'`, "%"+literal.Replace(clean(strings.ToLower(f.Text)))+"%")
	}
	if f.Before != "" {
		at, id, err := parseCursor(f.Before)
		if err != nil {
			return "", nil, err
		}
		add("(s.created_at, s.id) < (?, ?)", at, id)
	}
	if f.Limit <= 0 {
		f.Limit = 100
	}
	return strings.Join(conds, " AND "), append(args, min(f.Limit, 1000)), nil
}

// parseCursor reads a [Summary.Cursor]; "" comes before all. CodeInvalid.
func parseCursor(s string) (at int64, id string, err error) {
	if s == "" {
		return 0, "", nil
	}
	text, id, ok := strings.Cut(s, ".")
	at, err = strconv.ParseInt(text, 36, 64)
	if !ok || err != nil {
		return 0, "", blaise.Errorf(blaise.CodeInvalid, "%q is no cursor", s)
	}
	return at, clean(id), nil
}

// literal takes their meaning from the wildcards of LIKE.
var literal = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Counts says how many sessions there are in each state.
func (db *DB) Counts(ctx context.Context) (map[blaise.SessionState]int, error) {
	return counts(db.read(ctx))
}

func counts(q querier) (map[blaise.SessionState]int, error) {
	all := map[blaise.SessionState]int{}
	err := q.each(func(row *sql.Rows) error {
		var state blaise.SessionState
		var n int
		err := row.Scan(&state, &n)
		all[state] = n
		return err
	}, `SELECT state, COUNT(*) FROM sessions GROUP BY state`)
	return all, err
}

// Ended says how many sessions there are of each outcome.
func (db *DB) Ended(ctx context.Context) (map[blaise.Outcome]int, error) {
	all := map[blaise.Outcome]int{}
	err := db.read(ctx).each(func(row *sql.Rows) error {
		var outcome blaise.Outcome
		var n int
		err := row.Scan(&outcome, &n)
		all[outcome] = n
		return err
	}, `SELECT outcome, COUNT(*) FROM sessions WHERE outcome > '' GROUP BY outcome`)
	return all, err
}

// Needy says how many sessions need a person, as Filter.NeedsPerson, and how
// many have failed that were touched since a time.
func (db *DB) Needy(ctx context.Context, since time.Time) (needs, failed int, err error) {
	_, err = db.read(ctx).one([]any{&needs, &failed}, `SELECT
		(SELECT COUNT(*) FROM sessions WHERE attention = 1),
		(SELECT COUNT(*) FROM sessions WHERE outcome = 'failed' AND updated_at >= ?)`, nanos(since))
	return needs, failed, err
}

// FindSession finds the one session whose id begins with prefix; if there is
// none, one that was deleted: reading it says so. CodeNotFound; CodeInvalid:
// there are several.
func (db *DB) FindSession(ctx context.Context, prefix string) (blaise.SessionID, error) {
	prefix = strings.ToLower(clean(prefix))
	if prefix == "" {
		return "", notFound(`session ""`)
	}
	// "~" sorts after all that ids are made of.
	found, err := sessionIDs(db.read(ctx), `SELECT id FROM sessions WHERE id >= ? AND id < ?
		ORDER BY id LIMIT 2`, prefix, prefix+"~")
	if err == nil && len(found) == 0 {
		found, err = sessionIDs(db.read(ctx), `SELECT session FROM deletions
			WHERE session >= ? AND session < ? ORDER BY session LIMIT 2`, prefix, prefix+"~")
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("find session %q: %w", prefix, err)
	case len(found) == 0:
		return "", notFound("session " + prefix)
	case len(found) > 1 && found[0] != blaise.SessionID(prefix):
		return "", blaise.Errorf(blaise.CodeInvalid, "session %s: several begin with it", prefix).
			WithHint("give more of the id: %s, %s ...", found[0], found[1])
	}
	return found[0], nil
}

func sessionIDs(q querier, query string, args ...any) ([]blaise.SessionID, error) {
	var all []blaise.SessionID
	err := q.each(func(row *sql.Rows) error {
		var id blaise.SessionID
		err := row.Scan(&id)
		all = append(all, id)
		return err
	}, query, args...)
	return all, err
}
