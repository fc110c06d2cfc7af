package transcript

import (
	"context"
	"time"
)

// notify wakes all who wait. s.mu is held.
func (s *Spool) notify() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// change returns a channel that is closed at the next change. s.mu is held.
func (s *Spool) change() <-chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// pause lets go of s.mu until something changes, or for a second.
func (s *Spool) pause() {
	changed := s.change()
	s.mu.Unlock()
	defer s.mu.Lock()
	t := time.NewTimer(retryFull)
	defer t.Stop()
	select {
	case <-changed:
	case <-t.C:
	}
}

// room waits until an entry of size bytes may be added. s.mu is held.
func (s *Spool) room(kind EntryKind, size int64) error {
	for told := false; ; {
		if err := s.usable(); err != nil {
			return err
		}
		if s.full && kind == EntryReport {
			s.bufReport = true
		}
		if s.full && s.file() != nil && s.broken != nil {
			return s.broken
		}
		if !s.full && s.fits(kind, size) {
			return nil
		}
		if s.stopped != nil {
			return s.stopped
		}
		if !told {
			s.o.Log.Warn("spool is full, the run waits", "dir", s.dir, "bytes", s.used, "disk", s.full)
			told = true
		}
		s.waiting++
		s.free()
		if s.full || !s.fits(kind, size) {
			s.pause()
		}
		s.waiting--
	}
}

// fits says that size more bytes are within the limit. An empty spool takes
// any entry, or one above the limit would wait for ever.
func (s *Spool) fits(kind EntryKind, size int64) bool {
	limit := s.o.Limit
	if kind == EntryReport {
		limit += s.o.Reserve
	}
	return s.used+int64(len(s.buf))+size <= limit || s.acked == s.last
}

// Wait returns when there is an entry after the given one to Read, with the
// cause of ctx if that ends first.
func (s *Spool) Wait(ctx context.Context, after int64) error {
	return s.until(ctx, func() bool {
		// A full disk keeps entries in memory: they cannot be read yet.
		return s.written > after || s.last > after && !s.full
	})
}

// pressing says that there is enough to ship at once: a report, or n entries.
// If not, urgent gets a token when there is.
func (s *Spool) pressing(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pressAt = s.acked + n
	return s.reports > s.acked || s.last >= s.pressAt
}

// wake makes all who wait look again.
func (s *Spool) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify()
}

// until waits for a condition, which is asked under s.mu.
func (s *Spool) until(ctx context.Context, ok func() bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !ok() {
		if err := s.usable(); err != nil {
			return err
		}
		changed := s.change()
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func (s *Spool) usable() error {
	if s.closed {
		return ErrClosed
	}
	return s.broken
}
