package daemon

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

const (
	// weighEvery is how often a thing is weighed at most: at each look of the
	// daemon's own, and not for all who ask between.
	weighEvery = reconcileEvery - time.Minute
	// weighFor bounds one look through all directories, for the sake of the runs;
	// what it does not reach is first the next time.
	weighFor = 10 * time.Second
	// askFor bounds what engines are asked, and askRest is how many times as long
	// as it took they are left alone: an engine walks its whole disk to answer.
	askFor, askRest = 20 * time.Second, 50
)

// weights is what the things of environments take on disk, as looked at last. It
// is safe for concurrent use.
type weights struct {
	mu     sync.Mutex // guards what follows, also while it looks
	known  map[[3]string]weight
	askAt  time.Time // when plugs may be asked again
	unseen []string  // why they did not answer when they were asked last
}

type weight struct {
	bytes int64
	at    time.Time
	tired time.Time // when the time was up while it was looked through; zero if it was not, the last time
}

// A scales weighs things with the plugs that made them, and says what it could
// not weigh.
type scales func(context.Context, []blaise.Resource) (bytes map[blaise.Resource]int64, unseen []string)

// A walk adds up a directory; false where there was no time to.
type walk func(ctx context.Context, dir string) (bytes int64, ok bool)

// fill writes into an inventory what its things take, and what could not be
// weighed; it forgets those that are gone.
func (w *weights) fill(ctx context.Context, v *api.Inventory, through walk, ask scales) {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := map[[3]string]weight{}
	for _, t := range v.Things {
		if last, ok := w.known[keyOf(t.Resource)]; ok {
			next[keyOf(t.Resource)] = last
		}
	}
	w.known = next
	w.walk(ctx, v.Things, through)
	w.ask(ctx, v.Things, ask)
	v.Unseen = withNew(v.Unseen, w.unseen) // who took the inventory may have met the same
	for i, t := range v.Things {
		last := w.known[keyOf(t.Resource)]
		v.Things[i].Bytes, v.Things[i].WeighedAt = last.bytes, last.at
	}
}

// walk looks through the directories, first where nobody looked for longest, and
// last where it took too long: that is to keep no others from being weighed.
func (w *weights) walk(ctx context.Context, things []api.Thing, through walk) {
	ctx, stop := context.WithTimeout(ctx, weighFor)
	defer stop()
	var dirs [][3]string
	for _, t := range things {
		if t.Kind == kindDirectory && t.Class != api.ClassMissing {
			dirs = append(dirs, keyOf(t.Resource))
		}
	}
	slices.SortFunc(dirs, func(a, b [3]string) int {
		l, m := w.known[a], w.known[b]
		return cmp.Or(l.tired.Compare(m.tired), l.at.Compare(m.at))
	})
	for _, key := range dirs {
		last := w.known[key]
		if time.Since(last.at) < weighEvery {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		if bytes, ok := through(ctx, key[1]); ok {
			last = weight{bytes: bytes, at: time.Now().UTC()}
		} else {
			last.tired = time.Now()
		}
		w.known[key] = last
	}
}

// ask has plugs weigh what only they can, and then leaves them alone.
func (w *weights) ask(ctx context.Context, things []api.Thing, ask scales) {
	began := time.Now()
	if began.Before(w.askAt) {
		return
	}
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	var theirs []blaise.Resource
	for _, t := range things {
		if t.Kind != kindDirectory && t.Class != api.ClassMissing {
			theirs = append(theirs, t.Resource)
		}
	}
	found, unseen := ask(ctx, theirs)
	for r, bytes := range found {
		w.known[keyOf(r)] = weight{bytes: bytes, at: time.Now().UTC()}
	}
	w.unseen, w.askAt = unseen, time.Now().Add(askRest*time.Since(began))
}

// weigh adds up the blocks of all that is in a directory; false where there was
// no time to. What vanishes meanwhile takes nothing.
func weigh(ctx context.Context, dir string) (bytes int64, ok bool) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil //nolint:nilerr // it cannot be looked at, or is gone: the rest can
		}
		if info, err := d.Info(); err == nil {
			bytes += blocksOf(info)
		}
		return nil
	})
	return bytes, err == nil
}

// blocksOf is what a file takes on disk, which is less than its length where it
// has holes.
func blocksOf(info fs.FileInfo) int64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.Size()
	}
	return st.Blocks * 512
}
