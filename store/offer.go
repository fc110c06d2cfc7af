package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"blaise.dev/blaise"
)

// An Offer is a run that waits for a runner.
type Offer struct {
	Run          blaise.Run
	Session      blaise.SessionID
	Agent        blaise.AgentName
	Requirements map[string]string
	Author       string    // of the session
	Served       time.Time // when a run of the author's was taken last; zero: never
}

// Offers are runs that may be taken now, in the order in which they are offered.
type Offers struct {
	Runs []Offer
	More bool // there are others behind them
	// Free is how many runs each agent that has a limit may have beside those at
	// work.
	Free map[blaise.AgentName]int
}

const (
	// leastOfLine is how much of a line is read at least: what others were shown a
	// moment ago is among it.
	leastOfLine = 16
	// mostLines is of how many lines the first are read, those served longest ago,
	// where not all that waits is asked for.
	mostLines = 64
)

// servedAt is when a run of an author's was taken last, 0 for never.
const servedAt = `COALESCE((SELECT MAX(v.served_at) FROM runs v WHERE v.author = l.author AND v.served_at > 0), 0)`

// The queries of [DB.Offers], for those who look at their plans.
const (
	QueryOffers = `SELECT r.session, s.agent, r.author, COALESCE(a.requirements, 'null'), r.body
		FROM runs r JOIN sessions s ON s.id = r.session LEFT JOIN agents a ON a.name = s.agent
		WHERE r.queue IN (0, 2) AND s.held = 0 ORDER BY r.queue, r.offered_at, r.id LIMIT ?`
	// QueryLines finds who waits for which agent that has a place free: some steps
	// in an index for each, and none for each run. A line without an author is the
	// step to the next agent.
	QueryLines = `WITH RECURSIVE lines(agent, author) AS (
		SELECT MIN(agent), CAST(NULL AS TEXT) FROM runs WHERE queue = 1
		UNION ALL SELECT
			CASE WHEN l.author IS NULL OR EXISTS (SELECT 1 FROM runs r
				WHERE r.queue = 1 AND r.agent = l.agent AND r.author > l.author) THEN l.agent
			ELSE (SELECT MIN(r.agent) FROM runs r WHERE r.queue = 1 AND r.agent > l.agent) END,
			CASE WHEN l.author IS NULL THEN (SELECT MIN(r.author) FROM runs r
				WHERE r.queue = 1 AND r.agent = l.agent)
			ELSE (SELECT MIN(r.author) FROM runs r
				WHERE r.queue = 1 AND r.agent = l.agent AND r.author > l.author) END
		FROM lines l WHERE l.agent IS NOT NULL)
		SELECT l.agent, l.author, ` + servedAt + ` FROM lines l
		WHERE l.author IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agents a
			WHERE a.name = l.agent AND a.places > 0 AND a.places <=
				(SELECT COUNT(*) FROM runs b WHERE b.works = 1 AND b.agent = a.name))`
	QueryLine = `SELECT r.session, s.agent, r.author, COALESCE(a.requirements, 'null'), r.body
		FROM runs r JOIN sessions s ON s.id = r.session LEFT JOIN agents a ON a.name = s.agent
		WHERE r.queue = 1 AND r.agent = ? AND r.author = ? AND s.held = 0
		ORDER BY r.offered_at, r.id LIMIT ?`
	// QueryLinesOf reads the lines of an agent, one after the other.
	QueryLinesOf = `SELECT r.session, s.agent, r.author, COALESCE(a.requirements, 'null'), r.body
		FROM runs r JOIN sessions s ON s.id = r.session LEFT JOIN agents a ON a.name = s.agent
		WHERE r.queue = 1 AND r.agent = ? AND s.held = 0
		ORDER BY r.author, r.offered_at, r.id LIMIT ?`
)

// Offers reads the first of the runs that wait, about as many as limit: those
// without an agent first (teardowns, terminals), the oldest before the others;
// then those that need one, one of every person ([blaise.RoundRobin]). Runs of
// held sessions are not offered, nor those of an agent of which as many are at
// work as may be.
func (db *DB) Offers(ctx context.Context, limit int) (Offers, error) {
	return db.offers(ctx, limit, func(q querier, o *Offers, lines []line) error {
		o.More = len(lines) > mostLines
		lines = lines[:min(len(lines), mostLines)]
		return o.readFirst(q, lines, max(limit/max(len(lines), 1), leastOfLine))
	})
}

// AllOffers reads all of them, in the same order.
func (db *DB) AllOffers(ctx context.Context) (Offers, error) {
	return db.offers(ctx, math.MaxInt32, func(q querier, o *Offers, lines []line) error {
		return o.readWhole(q, lines)
	})
}

// OffersOf reads as many as limit of the runs that wait for an agent, whether it
// has a place free or not; they are in no order that matters.
func (db *DB) OffersOf(ctx context.Context, agent blaise.AgentName, limit int) ([]Offer, error) {
	all, err := offers(db.read(ctx), QueryLinesOf, clean(string(agent)), limit)
	if err != nil {
		return nil, fmt.Errorf("read offers of agent %s: %w", agent, err)
	}
	return all, nil
}

func (db *DB) offers(ctx context.Context, limit int, read func(querier, *Offers, []line) error) (Offers, error) {
	o := Offers{Free: map[blaise.AgentName]int{}}
	// Not as of one moment: who accepts is told what holds then, and what is read
	// beside a transaction is prepared.
	q := db.read(ctx)
	err := o.countFree(q)
	if err == nil {
		o.Runs, err = offers(q, QueryOffers, limit)
	}
	if o.More = len(o.Runs) == limit; err == nil && !o.More {
		var lines []line
		if lines, err = linesOf(q); err == nil {
			err = read(q, &o, lines)
		}
	}
	if err != nil {
		return o, fmt.Errorf("read offers: %w", err)
	}
	return o, nil
}

// A line is who waits for an agent.
type line struct {
	agent, author string
	served        time.Time
}

// linesOf reads the lines, those served longest ago first.
func linesOf(q querier) (lines []line, err error) {
	err = q.each(func(row *sql.Rows) error {
		var l line
		var served int64
		err := row.Scan(&l.agent, &l.author, &served)
		l.served = fromNanos(served)
		lines = append(lines, l)
		return err
	}, QueryLines)
	slices.SortFunc(lines, func(a, b line) int { return a.served.Compare(b.served) })
	return lines, err
}

// readFirst reads so many of each line.
func (o *Offers) readFirst(q querier, lines []line, each int) error {
	var waits []Offer
	for _, l := range lines {
		first, err := offers(q, QueryLine, l.agent, l.author, each)
		if err != nil {
			return err
		}
		o.More = o.More || len(first) == each
		for _, one := range first {
			one.Served = l.served
			waits = append(waits, one)
		}
	}
	o.inTurn(waits)
	return nil
}

// readWhole reads the lines to their ends, with one query for each agent.
func (o *Offers) readWhole(q querier, lines []line) error {
	served := map[string]map[string]time.Time{} // by agent and author
	for _, l := range lines {
		if served[l.agent] == nil {
			served[l.agent] = map[string]time.Time{}
		}
		served[l.agent][l.author] = l.served
	}
	var waits []Offer
	for agent, authors := range served {
		all, err := offers(q, QueryLinesOf, agent, math.MaxInt32)
		if err != nil {
			return err
		}
		for _, one := range all {
			one.Served = authors[one.Author]
			waits = append(waits, one)
		}
	}
	o.inTurn(waits)
	return nil
}

func (o *Offers) inTurn(waits []Offer) {
	blaise.RoundRobin(waits, func(o Offer) (string, time.Time, time.Time) {
		return o.Author, o.Served, o.Run.OfferedAt
	})
	o.Runs = append(o.Runs, waits...)
}

func offers(q querier, query string, args ...any) (all []Offer, err error) {
	err = q.each(func(row *sql.Rows) error {
		var o Offer
		var requirements, body sql.RawBytes // read once
		if err := row.Scan(&o.Session, &o.Agent, &o.Author, &requirements, &body); err != nil {
			return err
		}
		err := errors.Join(json.Unmarshal(requirements, &o.Requirements), json.Unmarshal(body, &o.Run))
		all = append(all, o)
		return err
	}, query, args...)
	return all, err
}

// countFree reads only the agents that have a limit.
func (o *Offers) countFree(q querier) error {
	return q.each(func(row *sql.Rows) error {
		var agent blaise.AgentName
		var places, works int
		err := row.Scan(&agent, &places, &works)
		o.Free[agent] = max(0, places-works)
		return err
	}, `SELECT a.name, a.places, (SELECT COUNT(*) FROM runs r WHERE r.works = 1 AND r.agent = a.name)
		FROM agents a WHERE a.places > 0`)
}
