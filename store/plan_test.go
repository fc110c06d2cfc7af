package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/store/storetest"
)

// The list of sessions, around its conditions.
const (
	listed = `SELECT body FROM sessions WHERE `
	latest = ` ORDER BY created_at DESC, id DESC LIMIT ?`
)

// testPlans looks at how the queries that run all the time find their rows.
func testPlans(t *testing.T, dsn string) {
	db := open(t, dsn, store.Options{})
	fillPaused(t, db, 500)
	postgres := strings.HasPrefix(dsn, "postgres")
	if postgres {
		analyze(t, dsn)
	}
	for _, c := range []struct {
		name, file, query, index string
		args                     []any
	}{
		{"due", "blaise.db", store.QueryDue, "clocks_due", []any{1, 100}},
		{"offers", "blaise.db", store.QueryOffers, "runs_offered", []any{9}},
		{"lines", "blaise.db", store.QueryLines, "runs_line", nil},
		{"line", "blaise.db", store.QueryLine, "runs_line", []any{"a", "b", 9}},
		{"lines of an agent", "blaise.db", store.QueryLinesOf, "runs_line", []any{"a", 9}},
		{"what is left behind", "blaise.db", store.QueryLeftBehind, "environments_holds", []any{2}},
		{"events", "transcript.db", store.QueryEvents, "chunks_pkey", []any{"s", "s", 1, 100}},
		{"lease", "blaise.db", `SELECT body FROM runs WHERE token_hash = ?`, "runs_token",
			[]any{[]byte("x")}},
		{"runner", "blaise.db", `SELECT body FROM runners WHERE token_hash = ?`, "runners_token",
			[]any{[]byte("x")}},
		{"list of an agent", "blaise.db", listed + `agent = ?` + latest, "sessions_agent_latest", []any{"demo", 100}},
		// With states and outcomes that are all alike, as of these rows, PostgreSQL rightly takes another.
		{"list of an agent in a state", "blaise.db", listed + `agent = ? AND state = ?` + latest,
			"sessions_agent_state", []any{"demo", "paused", 100}},
		{"list of an agent that needs a person", "blaise.db", listed + `agent = ? AND attention = 1` + latest,
			"sessions_agent_attention", []any{"demo", 100}},
		{"list of an agent that failed", "blaise.db", listed + `outcome = ? AND updated_at >= ? AND agent = ?` + latest,
			"sessions_agent_outcome", []any{"failed", 1, "demo", 100}},
		{"counts of how they ended", "blaise.db",
			`SELECT outcome, COUNT(*) FROM sessions WHERE outcome > '' GROUP BY outcome`, "COVERING INDEX sessions_outcome", nil},
	} {
		if postgres && slices.Contains([]string{"sessions_agent_state", "sessions_agent_outcome", "COVERING INDEX sessions_outcome"}, c.index) {
			continue
		}
		if !postgres {
			c.index = strings.Replace(c.index, "chunks_pkey", "sqlite_autoindex_chunks_1", 1)
		}
		plan := explain(t, dsn, c.file, c.query, c.args)
		if !strings.Contains(plan, c.index) {
			t.Errorf("%s does not use %s:\n%s", c.name, c.index, plan)
		}
		if !postgres && strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s sorts:\n%s", c.name, plan)
		}
	}
}

func analyze(t *testing.T, dsn string) {
	if _, err := raw(t, dsn, "").ExecContext(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

func explain(t *testing.T, dsn, file, query string, args []any) string {
	t.Helper()
	command := "EXPLAIN QUERY PLAN "
	if strings.HasPrefix(dsn, "postgres") {
		// Small tables are read whole: ask for the plan of large ones.
		command = "EXPLAIN "
		for i := range args {
			query = strings.Replace(query, "?", fmt.Sprintf("$%d", i+1), 1)
		}
	}
	tx, err := raw(t, dsn, file).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if command == "EXPLAIN " {
		if _, err := tx.ExecContext(t.Context(), "SET LOCAL enable_seqscan = off"); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := tx.QueryContext(t.Context(), command+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		cols, _ := rows.Columns()
		dest := make([]any, len(cols))
		for i := range dest {
			dest[i] = new(any)
		}
		dest[len(dest)-1] = &line
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// fillPaused makes n paused sessions whose clocks are due in a week.
func fillPaused(t testing.TB, db *store.DB, n int) {
	t.Helper()
	due := time.Now().Add(7 * 24 * time.Hour)
	for from := 0; from < n; from += 1000 {
		err := db.Tx(t.Context(), func(tx *store.Tx) error {
			for i := from; i < min(n, from+1000); i++ {
				s := storetest.New(blaise.SessionID(fmt.Sprintf("p%07d", i)))
				s.Session.State, s.Environment.State = blaise.SessionPaused, blaise.EnvPaused
				s.Run, s.Messages = nil, nil
				s.Clocks = []blaise.Clock{{Kind: blaise.ClockMaxPaused, DueAt: due}}
				if err := tx.CreateSession(s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
