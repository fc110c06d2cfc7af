package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A Spool is an outbox on disk, one directory per run: what the run has to
// tell is written here before it leaves the process, numbered from 1 without
// gaps, and stays until the receiver has acknowledged it. It belongs to one
// process at a time. All methods are safe for concurrent use.
//
// An entry is in the file when Append returns, so that it outlives the process;
// in a flood it may wait half a millisecond for others. It outlives the machine
// when it is durable, or after Sync.
type Spool struct {
	dir string
	o   SpoolOptions

	mu      sync.Mutex // guards what follows; entry numbers and the file agree under it
	files   spoolFiles
	segs    []segment // the last one is written to
	buf     []byte    // lines not in the file yet
	all     Digest    // of all events
	filed   Digest    // of the events in the file
	last    int64     // the last number given
	written int64     // the last number in the file
	synced  int64     // the last number known to be on the disk
	acked   int64
	reports int64 // the number of the last report
	cursor  place // where the last Read ended
	used    int64 // bytes of all segments
	wholes  int64 // bytes of the long events kept beside them
	pressAt int64 // the entry that makes a batch full

	bufReport bool // buf holds a report: it may use the reserve
	reserved  bool // the reserve is there
	full      bool // the last write found no space
	syncing   bool // somebody syncs the file; wait for changed
	waiting   int  // who waits for space
	closed    bool
	broken    error // a write or sync failed for good
	stopped   error // the cause given to Stop

	changed chan struct{} // closed when any of this changes; nil if nobody waits
	urgent  chan struct{} // holds a token when there is something to ship at once
	timer   *time.Timer   // files what is in buf

	since   time.Time // when hurried began to count
	hurried int       // entries filed at once since
}

type spoolFiles struct {
	lock, acked, active *os.File
	write               func(f *os.File, b []byte, at int64) error // tests make it fail
}

// SpoolOptions are the limits of a spool; zero fields mean the defaults.
type SpoolOptions struct {
	Limit   int64        // bytes of events on disk, 1 GiB
	Reserve int64        // bytes more for reports, held on disk, 8 MB
	Log     *slog.Logger // slog.Default()
}

const (
	defaultLimit   = 1 << 30
	defaultReserve = 8 << 20
	maxSegment     = 8 << 20
	maxBuffer      = 1 << 14
	fileEvery      = 500 * time.Microsecond // what a kill of the process may cost
	hurry          = 16                     // entries in that time that are filed at once
	retryFull      = time.Second            // others may free space on the disk
)

func (o SpoolOptions) withDefaults() SpoolOptions {
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.Reserve == 0 {
		o.Reserve = defaultReserve
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// segmentSize leaves several segments within the limit, or acks free nothing.
func (o SpoolOptions) segmentSize() int64 { return min(maxSegment, o.Limit/8) }

// ErrClosed is what a closed spool answers.
var ErrClosed = errors.New("spool is closed")

// ErrLocked says that another process, or this one, has the spool open.
var ErrLocked = errors.New("spool is open elsewhere")

// Append adds an entry and returns its number. data is JSON; it is compacted,
// and not kept. A durable entry is on the disk when Append returns; callers
// that come together share one fsync.
//
// At the limit, or when the disk is full, Append waits until acks free space
// (a report may use the reserve); Close and Stop end the wait with an error.
func (s *Spool) Append(kind EntryKind, data []byte, durable bool) (int64, error) {
	var b bytes.Buffer
	b.Grow(len(data))
	if err := canonical(&b, data); err != nil {
		return 0, fmt.Errorf("append %s: %w", kind, err)
	}
	n, err := s.append(kind, b.Bytes())
	if err == nil && durable {
		err = s.syncTo(n)
	}
	if err != nil {
		return 0, fmt.Errorf("append %s: %w", kind, err)
	}
	return n, nil
}

// append adds an entry of canonical data to the buffer.
func (s *Spool) append(kind EntryKind, data []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.room(kind, int64(len(data)+lineOverhead)); err != nil {
		return 0, err
	}
	s.last++
	s.buf = appendLine(s.buf, s.last, kind, data)
	if kind == EntryReport {
		s.reports, s.bufReport = s.last, true
	} else {
		s.all.Add(data)
	}
	if kind == EntryReport || s.last == s.pressAt {
		notify(s.urgent)
	}
	n := s.last
	s.fileSoon()
	s.notify()
	return n, s.broken
}

// fileSoon files a full buffer now, and any other one too unless there is a
// flood: then by the timer.
func (s *Spool) fileSoon() {
	if now := time.Now(); now.Sub(s.since) >= fileEvery {
		s.since, s.hurried = now, 0
	}
	s.hurried++
	if s.hurried <= hurry || len(s.buf) >= maxBuffer {
		_ = s.file() // no space: the next Append waits; anything else is s.broken
	}
	if len(s.buf) > 0 && s.timer == nil {
		s.timer = time.AfterFunc(fileEvery, s.tick)
	}
}

func (s *Spool) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = nil
	if s.closed || s.file() == nil || s.broken != nil {
		return
	}
	s.timer = time.AfterFunc(retryFull, s.tick)
}

// Last is the number of the last entry, 0 if there is none.
func (s *Spool) Last() int64 { return locked(s, func() int64 { return s.last }) }

// Acked is the number up to which the receiver has everything.
func (s *Spool) Acked() int64 { return locked(s, func() int64 { return s.acked }) }

// Empty says that nothing waits to be acknowledged.
func (s *Spool) Empty() bool { return locked(s, func() bool { return s.acked == s.last }) }

// Digest tells how many events were appended, over all openings of the spool,
// and their [Digest] in hex.
func (s *Spool) Digest() (count int64, sum string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Sum()
}

// Dir is the directory of the spool.
func (s *Spool) Dir() string { return s.dir }

// Stop makes every Append of an event that would have to wait for space fail
// with cause, now and from now on. Reports may still use the reserve.
func (s *Spool) Stop(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = cause
	s.notify()
}

func locked[T any](s *Spool, f func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f()
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
