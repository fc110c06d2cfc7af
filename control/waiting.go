package control

import (
	"context"
	"maps"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

const (
	// shownFor is how long a run that was shown to one instance is kept from
	// the others: long enough to write it down and accept it.
	shownFor = time.Second
	// freshFor is how long those who ask share one look at the front of the
	// queue, wholeFor at all of it.
	freshFor = 50 * time.Millisecond
	wholeFor = time.Second
)

// waiting is what instances that ask for work are shown: the runs that wait, read
// once for all who ask at about the same time, and who was shown which. It keeps
// a herd from going for the same runs (R19): what one instance was offered, the
// others are not for a moment. It is a hint, and no promise: only the accept
// decides, and a run that its instance did not take is everybody's again.
type waiting struct {
	db *store.DB

	// mu guards what follows. It is held while the store is read, so that a run
	// that is taken meanwhile is forgotten after that and not before.
	mu    sync.Mutex
	front queue // mostly the first ones will do
	whole queue // where none of them is for who asks
	free  map[blaise.AgentName]int
	to    map[blaise.RunID]showing
}

// A queue is a look at the runs that wait.
type queue struct {
	runs  []store.Offer
	here  map[blaise.RunID]bool // those of runs that still wait
	began time.Time             // when they were read
	full  bool                  // there may be more behind them
}

type showing struct {
	agent    blaise.AgentName
	instance blaise.InstanceID
	until    time.Time
}

// keeps says that a run is kept from an instance. One that let its time pass
// lets others go first for as long. No time is longer than it can be: a clock
// that is set back keeps nothing.
func (s showing) keeps(from blaise.InstanceID, now time.Time) bool {
	mine, left := s.instance == from, s.until.Sub(now)
	return !mine && left > 0 && left <= shownFor || mine && left <= 0 && left > -shownFor
}

func newWaiting(db *store.DB) *waiting {
	return &waiting{db: db, to: map[blaise.RunID]showing{}}
}

// first answers the front of the queue as it was at some moment from t on. Its
// runs are not the caller's to change.
func (w *waiting) first(ctx context.Context, t time.Time) (queue, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.front.began.Before(t) {
		return w.front, nil
	}
	began := time.Now()
	got, err := w.db.Offers(ctx, offerBatch+len(w.to)) // behind what others were shown there may be more
	if err == nil {
		w.keep(&w.front, got, began)
	}
	return w.front, err
}

// all answers the whole queue, as it was some time within [wholeFor]: thousands
// may wait for a machine that is switched off, and must not be read for each
// one that comes beside them.
func (w *waiting) all(ctx context.Context) (queue, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.whole.began) < wholeFor {
		return w.whole, nil
	}
	began := time.Now()
	got, err := w.db.AllOffers(ctx)
	if err == nil {
		w.keep(&w.whole, got, began)
	}
	return w.whole, err
}

func (w *waiting) keep(q *queue, got store.Offers, began time.Time) {
	*q = queue{runs: got.Runs, began: began, full: got.More, here: make(map[blaise.RunID]bool, len(got.Runs))}
	for _, o := range got.Runs {
		q.here[o.Run.ID] = true
	}
	w.free = got.Free
	// Another process of Blaise tells nobody here what was taken there.
	maps.DeleteFunc(w.to, func(run blaise.RunID, _ showing) bool { return !w.waits(run) })
}

func (w *waiting) waits(run blaise.RunID) bool { return w.front.here[run] || w.whole.here[run] }

// stillWaits says that a run of a queue was not taken here since it was read.
func (w *waiting) stillWaits(run blaise.RunID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waits(run)
}

// show notes that an instance is shown the run; false if another was first, if it
// waits no more, or if others were shown as many runs of its agent as may still
// be taken. Asking again does not keep it for longer.
func (w *waiting) show(o store.Offer, to blaise.InstanceID, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	run := o.Run.ID
	old := w.to[run]
	if !w.waits(run) || old.keeps(to, now) || !w.room(o, now) {
		return false
	}
	if left := old.until.Sub(now); old.instance != to || left <= 0 || left > shownFor {
		w.to[run] = showing{agent: agentFor(o), instance: to, until: now.Add(shownFor)}
	}
	return true
}

// hasRoom is room, for those who have not looked closer at the run yet.
func (w *waiting) hasRoom(o store.Offer, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.room(o, now)
}

// room says that the agent of an offered run has a place free which no other run
// that was shown is on its way to.
func (w *waiting) room(o store.Offer, now time.Time) bool {
	free, limited := w.free[agentFor(o)]
	if !limited {
		return true
	}
	for run, s := range w.to {
		if left := s.until.Sub(now); s.agent == agentFor(o) && run != o.Run.ID && left > 0 && left <= shownFor {
			free--
		}
	}
	return free > 0
}

// agentFor is the agent of which a run takes a place, "" for none.
func agentFor(o store.Offer) blaise.AgentName {
	if o.Run.Kind.HasAgent() {
		return o.Agent
	}
	return ""
}

// forget is for a run that is offered no more. A place it may have taken is not
// given to another before the queue is read again.
func (w *waiting) forget(run blaise.RunID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if agent := w.to[run].agent; w.free[agent] > 0 {
		w.free[agent]--
	}
	delete(w.to, run)
	delete(w.front.here, run)
	delete(w.whole.here, run)
}

// lately is how many runs were shown within a time before now and not taken yet.
func (w *waiting) lately(now time.Time, within time.Duration) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.to {
		if ago := now.Sub(s.until.Add(-shownFor)); ago >= 0 && ago < within {
			n++
		}
	}
	return n
}
