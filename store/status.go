package store

import (
	"fmt"

	"blaise.dev/blaise"
)

// KeepStatus keeps what a session's agent said of it, in the place of what it
// said before.
func (tx *Tx) KeepStatus(session blaise.SessionID, s blaise.AgentStatus) error {
	err := tx.exec(`INSERT INTO statuses (session, body) VALUES (?, ?)
		ON CONFLICT (session) DO UPDATE SET body = excluded.body`, string(session), encode(s))
	if err != nil {
		return fmt.Errorf("keep agent status of session %s: %w", session, err)
	}
	return nil
}

// Status is what a session's agent said of it last; zero if it said nothing.
func (tx *Tx) Status(session blaise.SessionID) (blaise.AgentStatus, error) {
	return status(tx.q, session)
}

func status(q querier, session blaise.SessionID) (blaise.AgentStatus, error) {
	s, _, err := body[blaise.AgentStatus](q,
		`SELECT body FROM statuses WHERE session = ?`, string(session))
	return s, err
}
