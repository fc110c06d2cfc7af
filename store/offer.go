package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"blaise.dev/blaise"
)

// An Offer is a run that waits for a runner.
type Offer struct {
	Run          blaise.Run
	Session      blaise.SessionID
	Agent        blaise.AgentName
	Requirements map[string]string
}

// QueryOffers is the query of [DB.Offers], for those who look at its plan.
const QueryOffers = `SELECT r.session, s.agent, COALESCE(a.requirements, 'null'), r.body
	FROM runs r JOIN sessions s ON s.id = r.session LEFT JOIN agents a ON a.name = s.agent
	WHERE r.queue IS NOT NULL AND s.held = 0
	ORDER BY r.queue, r.offered_at, r.id LIMIT ?`

// Offers lists the first offered runs, at most limit: teardowns first, then the
// oldest. Runs of held sessions are not offered.
func (db *DB) Offers(ctx context.Context, limit int) ([]Offer, error) {
	var all []Offer
	err := db.read(ctx).each(func(row *sql.Rows) error {
		var o Offer
		var requirements, body sql.RawBytes // read once
		if err := row.Scan(&o.Session, &o.Agent, &requirements, &body); err != nil {
			return err
		}
		err := errors.Join(json.Unmarshal(requirements, &o.Requirements), json.Unmarshal(body, &o.Run))
		all = append(all, o)
		return err
	}, QueryOffers, limit)
	return all, err
}
