package store

import (
	"context"
	"database/sql"
	"fmt"

	"blaise.dev/blaise"
)

// AtWork counts the runs of an agent that take one of its places. Until the
// commit no other transaction that counts them too comes past.
func (tx *Tx) AtWork(agent blaise.AgentName) (int, error) {
	if alone := tx.q.d.alone; alone != "" {
		if _, err := tx.q.exec(alone, "places of "+clean(string(agent))); err != nil {
			return 0, err
		}
	}
	return atWork(tx.q, agent)
}

func atWork(q querier, agent blaise.AgentName) (n int, err error) {
	_, err = q.one([]any{&n}, `SELECT COUNT(*) FROM runs WHERE works = 1 AND agent = ?`, clean(string(agent)))
	return n, err
}

// Places are the runs of an agent: how many are at work, and who waits.
type Places struct {
	AtWork int
	Lines  []blaise.Line
}

// Waiting is how many runs wait.
func (p Places) Waiting() (n int) {
	for _, l := range p.Lines {
		n += l.Waiting
	}
	return n
}

// Places reads who is at work for an agent and who waits, from indexes alone.
func (db *DB) Places(ctx context.Context, agent blaise.AgentName) (Places, error) {
	var p Places
	err := db.together(ctx, func(q querier) (err error) {
		if p.AtWork, err = atWork(q, agent); err != nil {
			return err
		}
		return q.each(func(row *sql.Rows) error {
			var l blaise.Line
			var oldest, served int64
			err := row.Scan(&l.Author, &l.Waiting, &oldest, &served)
			l.Oldest, l.Served = fromNanos(oldest), fromNanos(served)
			p.Lines = append(p.Lines, l)
			return err
		}, `SELECT l.author, l.waiting, l.oldest, `+servedAt+` FROM (
			SELECT author, COUNT(*) AS waiting, MIN(offered_at) AS oldest FROM runs
			WHERE queue = 1 AND agent = ? GROUP BY author) l`, clean(string(agent)))
	})
	if err != nil {
		return p, fmt.Errorf("read who waits for agent %s: %w", agent, err)
	}
	return p, nil
}

// A Waiter is a run that waits for an agent's process, and its place, from 0, in
// the line of its author.
type Waiter struct {
	Run    blaise.RunID
	Agent  blaise.AgentName
	Author string
	Ahead  int
}

// Waiter finds the run of a session that waits; false if none does.
func (db *DB) Waiter(ctx context.Context, session blaise.SessionID) (w Waiter, found bool, err error) {
	found, err = db.read(ctx).one([]any{&w.Run, &w.Agent, &w.Author, &w.Ahead},
		`SELECT m.id, m.agent, m.author, (SELECT COUNT(*) FROM runs r
			WHERE r.queue = 1 AND r.agent = m.agent AND r.author = m.author
			AND (r.offered_at, r.id) < (m.offered_at, m.id))
		FROM runs m WHERE m.session = ? AND m.final = 0 AND m.queue = 1`, clean(string(session)))
	return w, found, err
}

// Waiters lists the runs that wait for an agent.
func (db *DB) Waiters(ctx context.Context, agent blaise.AgentName) ([]Waiter, error) {
	var all []Waiter
	err := db.read(ctx).each(func(row *sql.Rows) error {
		w := Waiter{Agent: agent}
		err := row.Scan(&w.Run, &w.Author, &w.Ahead)
		all = append(all, w)
		return err
	}, `SELECT id, author, ROW_NUMBER() OVER (PARTITION BY author ORDER BY offered_at, id) - 1
		FROM runs WHERE queue = 1 AND agent = ?`, clean(string(agent)))
	return all, err
}

// A Crowd is how many runs an agent has.
type Crowd struct {
	AtWork  int
	Waiting int // for its process
	Limit   int // as many may be at work; 0: any number
}

// Crowds reads the crowds of all agents that have runs or a limit, from indexes
// alone.
func (db *DB) Crowds(ctx context.Context) (map[blaise.AgentName]Crowd, error) {
	all := map[blaise.AgentName]Crowd{}
	err := db.together(ctx, func(q querier) error { return crowds(q, all) })
	if err != nil {
		return nil, fmt.Errorf("count the runs of agents: %w", err)
	}
	return all, nil
}

func crowds(q querier, all map[blaise.AgentName]Crowd) error {
	return q.each(func(row *sql.Rows) error {
		var agent blaise.AgentName
		var more Crowd
		err := row.Scan(&agent, &more.AtWork, &more.Waiting, &more.Limit)
		c := all[agent]
		all[agent] = Crowd{c.AtWork + more.AtWork, c.Waiting + more.Waiting, c.Limit + more.Limit}
		return err
	}, `SELECT agent, COUNT(*), 0, 0 FROM runs WHERE works = 1 GROUP BY agent
		UNION ALL SELECT agent, 0, COUNT(*), 0 FROM runs WHERE queue = 1 GROUP BY agent
		UNION ALL SELECT name, 0, 0, places FROM agents WHERE places > 0`)
}

// RunsAtWork lists the runs that take an agent's places.
func (db *DB) RunsAtWork(ctx context.Context, agent blaise.AgentName) ([]blaise.Run, error) {
	return bodies[blaise.Run](db.read(ctx),
		`SELECT body FROM runs WHERE works = 1 AND agent = ? ORDER BY id`, clean(string(agent)))
}
