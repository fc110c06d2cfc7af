package store_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/store/storetest"
	"blaise.dev/blaise/transcript"
)

// each runs a benchmark on both databases.
func each(b *testing.B, bench func(b *testing.B, db *store.DB)) {
	b.Run("sqlite", func(b *testing.B) {
		bench(b, open(b, "sqlite:"+b.TempDir(), store.Options{}))
	})
	b.Run("postgres", func(b *testing.B) {
		bench(b, open(b, storetest.StartPostgres(b).Database(b), identity(b)))
	})
}

// BenchmarkDecide is a decision as control makes it: load a session, change
// it, write it with a line of history; 32 callers, each with a session.
func BenchmarkDecide(b *testing.B) {
	each(b, func(b *testing.B, db *store.DB) {
		const callers = 32
		for i := range callers {
			snap := storetest.New(blaise.SessionID(fmt.Sprintf("bench%03d", i)))
			must(b, db.Tx(b.Context(), func(tx *store.Tx) error { return tx.CreateSession(snap) }))
		}
		var next atomic.Int64
		parallel(b, callers, func() {
			sid := blaise.SessionID(fmt.Sprintf("bench%03d", next.Add(1)%callers))
			must(b, db.Tx(b.Context(), func(tx *store.Tx) error { return decide(tx, sid) }))
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	})
}

func decide(tx *store.Tx, sid blaise.SessionID) error {
	before, err := tx.Snapshot(sid)
	if err != nil {
		return err
	}
	plan := blaise.Plan{Next: before}
	run := *before.Run
	run.UnreachableSince = time.Now()
	plan.Next.Run = &run
	plan.Next.Session.Turns++
	plan.Next.Clocks = []blaise.Clock{{Kind: blaise.ClockLost, DueAt: time.Now().Add(time.Hour)}}
	plan.History = []blaise.Change{{Subject: "session", At: time.Now()}}
	return tx.Write(before, plan)
}

// parallel does a benchmark's work in so many goroutines.
func parallel(b *testing.B, callers int, fn func()) {
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan struct{})
	b.ResetTimer()
	for range callers {
		go func() {
			defer func() { done <- struct{}{} }()
			for left.Add(-1) >= 0 {
				fn()
			}
		}()
	}
	for range callers {
		<-done
	}
	b.StopTimer()
}

// BenchmarkAppend has 4 callers append 100 events of 300 bytes at a time.
func BenchmarkAppend(b *testing.B) {
	each(b, func(b *testing.B, db *store.DB) {
		const callers, size = 4, 100
		var caller atomic.Int64
		left := make(chan struct{}, b.N)
		for range b.N {
			left <- struct{}{}
		}
		close(left)
		worker := func() {
			sid := blaise.SessionID(fmt.Sprintf("append%02d", caller.Add(1)))
			for n := int64(1); ; n += size {
				if _, more := <-left; !more {
					return
				}
				_, err := db.Append(b.Context(), sid, sid.Run(1), lines(sid.Run(1), n, size))
				must(b, err)
			}
		}
		done := make(chan struct{})
		b.ResetTimer()
		for range callers {
			go func() { defer func() { done <- struct{}{} }(); worker() }()
		}
		for range callers {
			<-done
		}
		b.StopTimer()
		b.ReportMetric(float64(b.N)*size/b.Elapsed().Seconds(), "events/s")
	})
}

func lines(run blaise.RunID, first int64, count int) []transcript.Event {
	at := time.Now().UTC()
	all := make([]transcript.Event, count)
	for i := range all {
		all[i] = transcript.Event{N: first + int64(i), At: at, Run: string(run),
			Kind: transcript.KindUpdate, Data: data}
	}
	return all
}

var data = []byte(`{"text":"` + strings.Repeat("x", 210) + `"}`)

// BenchmarkDue must cost the same with many paused sessions as with few.
func BenchmarkDue(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			each(b, func(b *testing.B, db *store.DB) {
				fillPaused(b, db, n)
				for b.Loop() {
					due, err := db.Due(b.Context(), time.Now(), 100)
					must(b, err)
					_, found, err := db.NextDue(b.Context())
					must(b, err)
					if len(due) != 0 || !found {
						b.Fatal("wrong clocks are due")
					}
				}
			})
		})
	}
}
