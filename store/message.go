package store

import (
	"fmt"
	"slices"

	"blaise.dev/blaise"
)

func (tx *Tx) writeMessages(before blaise.Snapshot, plan blaise.Plan) error {
	is := slices.Concat(plan.Next.Messages, plan.Ended.Messages)
	changed, err := changes(before.Messages, is,
		func(m blaise.Message) blaise.MessageID { return m.ID })
	if err != nil {
		return err
	}
	for _, m := range changed {
		if err := tx.writeMessage(m); err != nil {
			return fmt.Errorf("write message %s: %w", m.ID, err)
		}
	}
	return nil
}

func (tx *Tx) writeMessage(m blaise.Message) error {
	utc(&m.QueuedAt, &m.DeliveredAt, &m.AnsweredAt)
	var key any
	if m.Key != "" {
		key = clean(m.Key)
	}
	return tx.exec(`INSERT INTO messages (id, session, n, key, final, body)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
		final = excluded.final, body = excluded.body`,
		string(m.ID), string(m.ID.Session()), m.N, key, flag(m.Final()), encode(m))
}

// MessageByKey finds a message by its idempotency key.
func (tx *Tx) MessageByKey(id blaise.SessionID, key string) (blaise.Message, bool, error) {
	return body[blaise.Message](tx.q,
		`SELECT body FROM messages WHERE session = ? AND key = ?`, string(id), clean(key))
}

// StartKey finds the first message of the session that was started with an
// idempotency key.
func (tx *Tx) StartKey(key string) (blaise.MessageID, bool, error) {
	var first blaise.MessageID
	found, err := tx.q.one([]any{&first},
		`SELECT message FROM start_keys WHERE key = ?`, clean(key))
	return first, found, err
}

// KeepStartKey remembers the first message of a session under the idempotency
// key it was started with. ErrExists: the key is taken; run the transaction
// again and look it up.
func (tx *Tx) KeepStartKey(key string, first blaise.MessageID) error {
	n, err := tx.q.exec(`INSERT INTO start_keys (key, message) VALUES (?, ?)
		ON CONFLICT (key) DO NOTHING`, clean(key), string(first))
	if err == nil && n == 0 {
		return fmt.Errorf("keep start key: %w", ErrExists)
	}
	return err
}

// Message reads a message in any state. CodeNotFound.
func (tx *Tx) Message(id blaise.MessageID) (blaise.Message, error) {
	return need[blaise.Message](tx.q, "message "+string(id),
		`SELECT body FROM messages WHERE id = ?`, string(id))
}

// writeQuestions writes the questions; those in plan.Ended are final.
func (tx *Tx) writeQuestions(before blaise.Snapshot, plan blaise.Plan) error {
	is := slices.Concat(plan.Next.Questions, plan.Ended.Questions)
	id := func(q blaise.Question) blaise.QuestionID { return q.ID }
	changed, err := changes(before.Questions, is, id)
	if err != nil {
		return err
	}
	for _, q := range changed {
		if err := tx.writeQuestion(q, false); err != nil {
			return fmt.Errorf("write question %s: %w", q.ID, err)
		}
	}
	// Also what only left the snapshot, unchanged in itself.
	for _, q := range plan.Ended.Questions {
		if err := tx.writeQuestion(q, true); err != nil {
			return fmt.Errorf("write question %s: %w", q.ID, err)
		}
	}
	return nil
}

func (tx *Tx) writeQuestion(q blaise.Question, final bool) error {
	utc(&q.AskedAt, &q.AnsweredAt)
	return tx.exec(`INSERT INTO questions (id, session, n, final, body)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
		final = excluded.final, body = excluded.body`,
		string(q.ID), string(q.ID.Session()), q.N, flag(final), encode(q))
}

// Question reads a question in any state. CodeNotFound.
func (tx *Tx) Question(id blaise.QuestionID) (blaise.Question, error) {
	return need[blaise.Question](tx.q, "question "+string(id),
		`SELECT body FROM questions WHERE id = ?`, string(id))
}
