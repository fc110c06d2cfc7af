package store

import (
	"context"
	"time"
)

// A timedLane tells how long each write took.
type timedLane struct {
	lane
	name string
	took func(lane string, d time.Duration)
}

func (l timedLane) do(ctx context.Context, fn func(q querier) error) error {
	began := time.Now()
	defer func() { l.took(l.name, time.Since(began)) }()
	return l.lane.do(ctx, fn)
}

// measure has the lanes of an open store say how long they take.
func (db *DB) measure() {
	lanes := map[string]*lane{"decisions": &db.decisions, "transcript": &db.records, "blobs": &db.blobs}
	for name, l := range lanes {
		*l = timedLane{lane: *l, name: name, took: db.o.Took}
	}
}
