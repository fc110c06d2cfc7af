package daemon

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"blaise.dev/blaise/api"
)

const (
	// weighEvery is how often a directory is looked through at most.
	weighEvery = 10 * time.Minute
	// weighFor bounds one look through all of them, for the sake of the runs;
	// what it does not reach is first the next time.
	weighFor = 10 * time.Second
)

// weights is what the directories of environments take on disk, as looked at
// last. It is safe for concurrent use.
type weights struct {
	mu    sync.Mutex // guards known, also while it looks
	known map[string]weight
}

type weight struct {
	bytes int64
	at    time.Time
}

// fill writes into things what their directories take, and forgets those that
// are gone.
func (w *weights) fill(ctx context.Context, things []api.Thing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, weighFor)
	defer stop()
	var dirs []*api.Thing
	for i := range things {
		if things[i].Kind == kindDirectory && things[i].Class != api.ClassMissing {
			dirs = append(dirs, &things[i])
		}
	}
	slices.SortFunc(dirs, func(a, b *api.Thing) int { return w.known[a.Name].at.Compare(w.known[b.Name].at) })
	next := make(map[string]weight, len(dirs))
	for _, t := range dirs {
		last := w.known[t.Name]
		if time.Since(last.at) >= weighEvery {
			if bytes, ok := weigh(ctx, t.Name); ok {
				last = weight{bytes: bytes, at: time.Now()}
			}
		}
		next[t.Name], t.Bytes = last, last.bytes
	}
	w.known = next
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
