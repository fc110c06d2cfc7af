package store

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
)

// A Runner is the holder of one runner token.
type Runner struct {
	ID        blaise.RunnerID
	Name      string
	Labels    map[string]string
	SingleUse bool
	Used      bool
	Revoked   bool
	TokenHash []byte
	CreatedAt time.Time
	RevokedAt time.Time
	By        string
}

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
	PausedWhy string // why it takes nothing, "" if it does
}

// PutRunner writes a runner.
func (tx *Tx) PutRunner(r Runner) error { return errors.ErrUnsupported }

// Runner reads and locks a runner. CodeNotFound.
func (tx *Tx) Runner(id blaise.RunnerID) (Runner, error) { return Runner{}, errors.ErrUnsupported }

// Runner reads a runner. CodeNotFound.
func (db *DB) Runner(ctx context.Context, id blaise.RunnerID) (Runner, error) {
	return Runner{}, errors.ErrUnsupported
}

// Runners lists the runners, oldest first.
func (db *DB) Runners(ctx context.Context) ([]Runner, error) { return nil, errors.ErrUnsupported }

// RunnerByToken finds the runner with a token, revoked or not. CodeNotFound.
func (db *DB) RunnerByToken(ctx context.Context, hash []byte) (Runner, error) {
	return Runner{}, errors.ErrUnsupported
}

// PutInstance writes an instance.
func (tx *Tx) PutInstance(i Instance) error { return errors.ErrUnsupported }

// Instance reads and locks an instance. CodeNotFound.
func (tx *Tx) Instance(id blaise.InstanceID) (Instance, error) {
	return Instance{}, errors.ErrUnsupported
}

// Instance reads an instance. CodeNotFound.
func (db *DB) Instance(ctx context.Context, id blaise.InstanceID) (Instance, error) {
	return Instance{}, errors.ErrUnsupported
}

// Instances lists all instances by id.
func (db *DB) Instances(ctx context.Context) ([]Instance, error) { return nil, errors.ErrUnsupported }

// InstancesOf lists the instances of a runner by id.
func (db *DB) InstancesOf(ctx context.Context, runner blaise.RunnerID) ([]Instance, error) {
	return nil, errors.ErrUnsupported
}

// LiveRuns lists the runs that a runner has accepted and that have not ended.
func (db *DB) LiveRuns(ctx context.Context, runner blaise.RunnerID) ([]blaise.Run, error) {
	return nil, errors.ErrUnsupported
}

// LiveRunsOf lists the runs that an instance has accepted and that have not
// ended.
func (db *DB) LiveRunsOf(ctx context.Context, i blaise.InstanceID) ([]blaise.Run, error) {
	return nil, errors.ErrUnsupported
}

// SessionsAt lists the sessions that a runner ran last and that still have an
// environment or have not ended: those a revoked token concerns (A31).
func (db *DB) SessionsAt(ctx context.Context, runner blaise.RunnerID) ([]blaise.SessionID, error) {
	return nil, errors.ErrUnsupported
}
