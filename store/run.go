package store

import (
	"context"
	"fmt"
	"slices"

	"blaise.dev/blaise"
)

// writeRuns writes the run, the one before it and those that ended.
func (tx *Tx) writeRuns(before blaise.Snapshot, plan blaise.Plan) error {
	is := append(list(plan.Next.Run, plan.Next.Last), plan.Ended.Runs...)
	was := list(before.Run)
	if l := before.Last; l != nil {
		// It is there for takebacks and may just be dropped.
		if slices.ContainsFunc(is, func(r blaise.Run) bool { return r.ID == l.ID }) {
			was = append(was, *l)
		}
	}
	changed, err := changes(was, is, func(r blaise.Run) blaise.RunID { return r.ID })
	if err != nil {
		return err
	}
	for _, r := range changed {
		if err := tx.writeRun(plan.Next.Session, r); err != nil {
			return fmt.Errorf("write run %s: %w", r.ID, err)
		}
	}
	return nil
}

func list(runs ...*blaise.Run) []blaise.Run {
	var all []blaise.Run
	for _, r := range runs {
		if r != nil {
			all = append(all, *r)
		}
	}
	return all
}

func (tx *Tx) writeRun(s blaise.Session, r blaise.Run) error {
	utc(&r.UnreachableSince, &r.OfferedAt, &r.AcceptedAt, &r.ConnectedAt,
		&r.EndedAt, &r.TurnSince)
	var queue any // NULL: it is not offered
	if r.State == blaise.RunOffered {
		queue = queueOf(r.Kind)
	}
	served := int64(0)
	if r.Kind.HasAgent() {
		served = nanos(r.AcceptedAt)
	}
	live := !r.Final() && queue == nil
	return tx.exec(`INSERT INTO runs (id, session, agent, author, attempt, runner, instance, queue, live,
		works, final, offered_at, served_at, ended_at, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, author = excluded.author,
		runner = excluded.runner, instance = excluded.instance, queue = excluded.queue,
		live = excluded.live, works = excluded.works, final = excluded.final,
		offered_at = excluded.offered_at, served_at = excluded.served_at,
		ended_at = excluded.ended_at, body = excluded.body`,
		string(r.ID), string(r.ID.Session()), clean(string(s.Agent)), clean(s.Author), r.Attempt,
		clean(string(r.Runner)), clean(string(r.Instance)), queue, flag(live), flag(r.Works()),
		flag(r.Final()), nanos(r.OfferedAt), served, nanos(r.EndedAt), encode(r))
}

// queueOf is where runs of that kind wait: those without an agent (0 teardowns, 2
// terminals) first come, first served; the others (1) in lines.
func queueOf(k blaise.RunKind) int {
	switch {
	case k == blaise.RunTeardown:
		return 0
	case k.HasAgent():
		return 1
	}
	return 2
}

// Run reads a run in any state. CodeNotFound.
func (tx *Tx) Run(id blaise.RunID) (blaise.Run, error) { return run(tx.q, id) }

// Run reads a run in any state. CodeNotFound.
func (db *DB) Run(ctx context.Context, id blaise.RunID) (blaise.Run, error) {
	return run(db.read(ctx), id)
}

func run(q querier, id blaise.RunID) (blaise.Run, error) {
	return need[blaise.Run](q, "run "+string(id), `SELECT body FROM runs WHERE id = ?`, string(id))
}

// LiveRuns lists the runs that a runner has accepted and that have not ended.
func (tx *Tx) LiveRuns(runner blaise.RunnerID) ([]blaise.Run, error) {
	return bodies[blaise.Run](tx.q,
		`SELECT body FROM runs WHERE runner = ? AND live = 1 ORDER BY id`, string(runner))
}

// LiveRunsOf lists the runs that an instance has accepted and that have not
// ended.
func (db *DB) LiveRunsOf(ctx context.Context, i blaise.InstanceID) ([]blaise.Run, error) {
	return liveRunsOf(db.read(ctx), i)
}

// LiveRunsOf is [DB.LiveRunsOf], as the transaction sees it.
func (tx *Tx) LiveRunsOf(i blaise.InstanceID) ([]blaise.Run, error) { return liveRunsOf(tx.q, i) }

func liveRunsOf(q querier, i blaise.InstanceID) ([]blaise.Run, error) {
	return bodies[blaise.Run](q,
		`SELECT body FROM runs WHERE instance = ? AND live = 1 ORDER BY id`, string(i))
}

// RunsOf lists the runs of a session that a runner has accepted, ended or not.
func (tx *Tx) RunsOf(session blaise.SessionID) ([]blaise.Run, error) {
	all, err := bodies[blaise.Run](tx.q, `SELECT body FROM runs WHERE session = ? ORDER BY attempt`, string(session))
	return slices.DeleteFunc(all, func(r blaise.Run) bool { return r.AcceptedAt.IsZero() }), err
}

// A Lease is what is kept of a run's lease: never its token.
type Lease struct {
	Nonce     string
	TokenHash []byte
}

// KeepLease keeps a run's lease, in place of an earlier one. CodeNotFound.
func (tx *Tx) KeepLease(run blaise.RunID, nonce string, tokenHash []byte) error {
	n, err := tx.q.exec(`UPDATE runs SET nonce = ?, token_hash = ? WHERE id = ?`,
		clean(nonce), tokenHash, string(run))
	if err == nil && n == 0 {
		return notFound("run " + string(run))
	}
	return err
}

// Lease reads a run's lease.
func (tx *Tx) Lease(run blaise.RunID) (Lease, bool, error) {
	var l Lease
	found, err := tx.q.one([]any{&l.Nonce, &l.TokenHash},
		`SELECT nonce, token_hash FROM runs WHERE id = ? AND token_hash IS NOT NULL`, string(run))
	return l, found, err
}

// RunByLease finds the run whose lease has the token. CodeNotFound.
func (db *DB) RunByLease(ctx context.Context, tokenHash []byte) (blaise.Run, error) {
	return need[blaise.Run](db.read(ctx), "lease",
		`SELECT body FROM runs WHERE token_hash = ?`, tokenHash)
}
