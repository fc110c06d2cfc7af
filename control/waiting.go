package control

import (
	"context"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

const (
	// shownFor is how long a run that was shown to one instance is kept from
	// the others: long enough to write it down and accept it.
	shownFor = time.Second
	// freshFor is how long those who ask share one look at the store.
	freshFor = 20 * time.Millisecond
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
	runs  []store.Offer
	here  map[blaise.RunID]bool // those of runs that still wait
	began time.Time             // when they were read
	to    map[blaise.RunID]showing
}

type showing struct {
	instance blaise.InstanceID
	until    time.Time
}

func newWaiting(db *store.DB) *waiting {
	return &waiting{db: db, to: map[blaise.RunID]showing{}}
}

// since answers the first runs that wait, as they were at some moment from t on,
// and that moment. They are not the caller's to change.
func (w *waiting) since(ctx context.Context, t time.Time) ([]store.Offer, time.Time, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.began.Before(t) {
		return w.runs, w.began, nil
	}
	began := time.Now()
	runs, err := w.db.Offers(ctx, offerBatch+len(w.to)) // behind what others were shown there may be more
	if err != nil {
		return nil, began, err
	}
	w.runs, w.began, w.here = runs, began, make(map[blaise.RunID]bool, len(runs))
	for _, o := range runs {
		w.here[o.Run.ID] = true
	}
	return runs, began, nil
}

// show notes that an instance is shown the run; false if another was first, or
// if it waits no more.
func (w *waiting) show(run blaise.RunID, to blaise.InstanceID, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.to[run]
	if !w.here[run] || old.instance != to && now.Before(old.until) {
		return false
	}
	w.to[run] = showing{instance: to, until: now.Add(shownFor)}
	return true
}

// forget is for a run that is offered no more.
func (w *waiting) forget(run blaise.RunID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.to, run)
	delete(w.here, run)
}
