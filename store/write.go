package store

import (
	"fmt"
	"reflect"

	"blaise.dev/blaise"
)

// Write writes what plan changes of before, with history and notices, and adds
// one to the session's version, whatever version plan.Next says. A plan that
// changes nothing writes nothing. ErrConflict: before is not what the store
// holds. A row that left plan.Next must be in plan.Ended.
func (tx *Tx) Write(before blaise.Snapshot, plan blaise.Plan) error {
	written := tx.writes
	if err := tx.writeParts(before, plan); err != nil {
		return fmt.Errorf("write session %s: %w", before.Session.ID, err)
	}
	next := plan.Next
	next.Session.Version = before.Session.Version
	if tx.writes == written && reflect.DeepEqual(before.Session, next.Session) {
		return nil
	}
	if err := tx.updateSession(next, before.Session.Version); err != nil {
		return fmt.Errorf("write session %s: %w", before.Session.ID, err)
	}
	return nil
}

// writeParts writes all but the session's own row.
func (tx *Tx) writeParts(before blaise.Snapshot, plan blaise.Plan) error {
	for _, step := range []func(blaise.Snapshot, blaise.Plan) error{
		tx.writeEnvironment, tx.writeRuns, tx.writeMessages, tx.writeQuestions, tx.writeClocks,
		tx.writeSave, tx.writeDirectives, tx.writeHistory, tx.writeNotices,
	} {
		if err := step(before, plan); err != nil {
			return err
		}
	}
	return nil
}

// changes gives the rows of after that are not as they were before. One that
// is in before and not in after was lost by the caller.
func changes[K comparable, T any](before, after []T, id func(T) K) ([]T, error) {
	was := make(map[K]T, len(before))
	for _, v := range before {
		was[id(v)] = v
	}
	var changed []T
	for _, v := range after {
		old, known := was[id(v)]
		delete(was, id(v))
		if !known || !reflect.DeepEqual(old, v) {
			changed = append(changed, v)
		}
	}
	for k := range was {
		return nil, fmt.Errorf("%v is in neither the next snapshot nor the ended rows", k)
	}
	return changed, nil
}

func (tx *Tx) writeSave(before blaise.Snapshot, plan blaise.Plan) error {
	if plan.Next.Save.N == 0 || reflect.DeepEqual(plan.Next.Save, before.Save) {
		return nil
	}
	return tx.KeepSave(plan.Next.Session.ID, plan.Next.Save)
}

func (tx *Tx) writeHistory(before blaise.Snapshot, plan blaise.Plan) error {
	for i, c := range plan.History {
		utc(&c.At)
		err := tx.exec(`INSERT INTO history (session, version, n, at, body) VALUES (?, ?, ?, ?, ?)`,
			string(plan.Next.Session.ID), before.Session.Version+1, i, nanos(c.At), encode(c))
		if err != nil {
			return fmt.Errorf("write history: %w", err)
		}
	}
	return nil
}

func (tx *Tx) writeNotices(_ blaise.Snapshot, plan blaise.Plan) error {
	for _, n := range plan.Notices {
		if err := tx.Notice(plan.Next.Session.ID, n); err != nil {
			return err
		}
	}
	return nil
}
