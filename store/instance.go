package store

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// An Instance is one daemon of a runner.
type Instance struct {
	ID        blaise.InstanceID
	Runner    blaise.RunnerID
	Boot      string
	Machine   blaise.MachineID
	Host      string
	Version   string
	OS        string
	Arch      string
	Slots     int
	Labels    map[string]string
	Agents    []string
	Draining  bool
	LastSeen  time.Time
	StoppedAt time.Time // when it said goodbye; zero since its last hello
	PausedWhy string    // why it takes nothing, "" if it does
	Once      bool      // it is there for one run
	Probed    []blaise.Probed
	Ahead     time.Duration // how far its clock was ahead of ours at its last hello
}

// PutInstance writes an instance.
func (tx *Tx) PutInstance(i Instance) error {
	utc(&i.LastSeen, &i.StoppedAt)
	err := tx.exec(`INSERT INTO instances (id, runner, body) VALUES (?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET runner = excluded.runner, body = excluded.body`,
		clean(string(i.ID)), string(i.Runner), encode(i))
	if err != nil {
		return fmt.Errorf("write instance %s: %w", i.ID, err)
	}
	return nil
}

// Instance reads an instance, which stays as it is until the commit.
// CodeNotFound.
func (tx *Tx) Instance(id blaise.InstanceID) (Instance, error) { return instance(tx.q, id) }

// Instance reads an instance. CodeNotFound.
func (db *DB) Instance(ctx context.Context, id blaise.InstanceID) (Instance, error) {
	q := db.read(ctx)
	q.d.share = "" // nothing is written on it
	return instance(q, id)
}

func instance(q querier, id blaise.InstanceID) (Instance, error) {
	return need[Instance](q, "instance "+string(id),
		`SELECT body FROM instances WHERE id = ?`+q.d.share, clean(string(id)))
}

// Instances lists all instances by id.
func (db *DB) Instances(ctx context.Context) ([]Instance, error) {
	return bodies[Instance](db.read(ctx), `SELECT body FROM instances ORDER BY id`)
}

// InstancesOf lists the instances of a runner by id.
func (db *DB) InstancesOf(ctx context.Context, runner blaise.RunnerID) ([]Instance, error) {
	return instancesOf(db.read(ctx), runner)
}

// InstancesOf is [DB.InstancesOf], as the transaction sees it.
func (tx *Tx) InstancesOf(runner blaise.RunnerID) ([]Instance, error) {
	return instancesOf(tx.q, runner)
}

func instancesOf(q querier, runner blaise.RunnerID) ([]Instance, error) {
	return bodies[Instance](q, `SELECT body FROM instances WHERE runner = ? ORDER BY id`, clean(string(runner)))
}
