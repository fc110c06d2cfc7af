package daemon

import (
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	// instantly is how soon after its birth a run must fail for its machine to be
	// suspected.
	instantly = 10 * time.Second
	// suspicious is how many runs in a row must.
	suspicious = 3
)

// cooling is how long no run is taken then, longer each time.
var cooling = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}

// A breaker keeps a machine on which nothing begins from taking, and failing,
// every run there is: after three instant failures in a row it takes none for a
// while, then tries one. A changed blaise.yml is a new machine. It is safe for
// concurrent use.
type breaker struct {
	tripped chan struct{} // told each time that it opens: a poll must not go on

	mu    sync.Mutex // guards what follows
	fails int
	until time.Time
	why   string
	file  string // the blaise.yml of the last failure
	stamp string // and what it was
}

// failed counts a run that could not begin.
func (b *breaker) failed(file, why string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if stamp := stampOf(file); file != b.file || stamp != b.stamp {
		b.fails, b.file, b.stamp = 0, file, stamp
	}
	b.fails++
	if b.fails < suspicious {
		return
	}
	wait := cooling[min(b.fails-suspicious, len(cooling)-1)]
	b.until = now.Add(wait)
	poke(b.tripped)
	b.why = fmt.Sprintf("%d runs in a row failed at once, the last: %s; tried again at %s",
		b.fails, why, b.until.UTC().Format("15:04:05 MST"))
}

// worked forgets the failures.
func (b *breaker) worked() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails, b.until = 0, time.Time{}
}

// open is why no run is taken now, "" if one is.
func (b *breaker) open(now time.Time) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Before(b.until) && stampOf(b.file) == b.stamp {
		return b.why
	}
	return ""
}

func stampOf(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}
