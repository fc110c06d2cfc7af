package storetest

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// start is when the tests take place.
var start = time.Date(2026, 11, 29, 12, 0, 0, 123456789, time.UTC)

// New is a new session with one queued message and an offered run.
func New(id blaise.SessionID) blaise.Snapshot {
	return blaise.Snapshot{
		Session: blaise.Session{
			ID: id, Agent: "demo", State: blaise.SessionQueued, Title: "Mend the Roof",
			Author: "ada", Runs: 1, Messages: 1, CreatedAt: start,
		},
		Environment: blaise.Environment{
			ID: id.Environment(1), State: blaise.EnvNone, Generation: 1,
		},
		Run: &blaise.Run{
			ID: id.Run(1), Kind: blaise.RunStart, State: blaise.RunOffered, Attempt: 1,
			OfferedAt: start,
		},
		Messages: []blaise.Message{{
			ID: id.Message(1), N: 1, Author: "ada", Text: "mend it", Key: "k1",
			State: blaise.MessageQueued, QueuedAt: start,
		}},
	}
}

// Full is a session with every field of its snapshot set but the policy.
func Full(id blaise.SessionID) blaise.Snapshot {
	var s blaise.Snapshot
	fill(reflect.ValueOf(&s).Elem(), new(int))
	s.Policy, s.Crowded = blaise.Policy{}, false // not of the database
	s.Session.ID, s.Session.State = id, blaise.SessionParked
	s.Session.Held = false
	s.Session.Title, s.Messages[0].Text = "nul\x00 Roof", "nul\x00"
	s.Environment.ID = id.Environment(2)
	s.Environment.State, s.Environment.Generation = blaise.EnvOpen, 2
	s.Run.ID, s.Run.State, s.Run.Attempt = id.Run(4), blaise.RunConnected, 4
	s.Last.ID, s.Last.State, s.Last.Attempt = id.Run(3), blaise.RunEnded, 3
	s.Messages[0].ID, s.Messages[0].State = id.Message(1), blaise.MessageDelivered
	s.Questions[0].ID, s.Questions[0].State = id.Question(1), blaise.QuestionOpen
	s.Questions[0].Detail = []byte(`{"a":"<b>\u0000"}`)
	s.Directives[0].Run = s.Run.ID
	return s
}

// fill sets every field below v to a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(start.Add(time.Duration(*n) * time.Second)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text <%d> \u00e9", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*n) / 4)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(fmt.Appendf(nil, "bytes %d", *n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case reflect.Map:
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(fmt.Sprintf("key %d", *n)), e)
	default:
		panic("storetest: no value for " + v.Type().String())
	}
}

var drawn atomic.Int64

// id draws a session id that no other test of this process has.
func id() blaise.SessionID { return blaise.SessionID(fmt.Sprintf("s%07d", drawn.Add(1))) }

func do(t *testing.T, db *store.DB, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := db.Tx(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, db *store.DB, snaps ...blaise.Snapshot) {
	t.Helper()
	do(t, db, func(tx *store.Tx) error {
		for _, s := range snaps {
			if err := tx.CreateSession(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// change loads a session, lets edit make a plan of it, and writes that.
func change(t *testing.T, db *store.DB, id blaise.SessionID, edit func(p *blaise.Plan)) {
	t.Helper()
	do(t, db, func(tx *store.Tx) error { return apply(tx, id, edit) })
}

func apply(tx *store.Tx, id blaise.SessionID, edit func(p *blaise.Plan)) error {
	before, err := tx.Snapshot(id)
	if err != nil {
		return err
	}
	next, err := tx.Snapshot(id) // a second copy: edits must not reach before
	if err != nil {
		return err
	}
	plan := blaise.Plan{Next: next}
	edit(&plan)
	return tx.Write(before, plan)
}

func load(t *testing.T, db *store.DB, id blaise.SessionID) blaise.Snapshot {
	t.Helper()
	var snap blaise.Snapshot
	do(t, db, func(tx *store.Tx) (err error) {
		snap, err = tx.Snapshot(id)
		return err
	})
	return snap
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func code(t *testing.T, err error, want blaise.Code) {
	t.Helper()
	if err == nil || blaise.CodeOf(err) != want {
		t.Errorf("error = %v, want code %s", err, want)
	}
}

// check is ok for goroutines beside the test's own.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
