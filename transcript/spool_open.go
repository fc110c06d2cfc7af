package transcript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// OpenSpool opens the spool in dir, making it if it is not there, and recovers
// what a crash left: a torn line at the end is cut off, half-made files are
// removed. It fails with ErrLocked while the spool is open elsewhere. Close it.
func OpenSpool(dir string, o SpoolOptions) (*Spool, error) {
	s := &Spool{dir: dir, o: o.withDefaults(), urgent: make(chan struct{}, 1)}
	s.files.write = writeAt
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("open spool %q: %w", dir, errors.Join(err, s.closeFiles()))
	}
	return s, nil
}

func (s *Spool) open() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	var err error
	if s.files.lock, err = openFile(s.dir, "lock"); err != nil {
		return err
	}
	err = syscall.Flock(int(s.files.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	if s.files.acked, err = openFile(s.dir, "acked"); err != nil {
		return err
	}
	if s.segs, err = listSegments(s.dir); err != nil {
		return err
	}
	if s.wholes, err = sizeOfWholes(s.dir); err != nil {
		return err
	}
	if err := s.recover(); err != nil {
		return err
	}
	s.reserved = reserve(s.reservePath(), s.o.Reserve) == nil
	if !s.reserved {
		s.o.Log.Warn("no space in reserve for the end of the run", "dir", s.dir)
	}
	return nil
}

func openFile(dir, name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
}

// recover takes up the last segment, or begins the first.
func (s *Spool) recover() error {
	s.acked = readAcked(s.files.acked)
	if len(s.segs) == 0 {
		s.last = s.acked // 0, or everything was acked and somebody removed it
		return s.begin()
	}
	seg := &s.segs[len(s.segs)-1]
	f, err := os.OpenFile(segmentPath(s.dir, seg.first), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	s.files.active = f
	found, err := scanSegment(f, *seg)
	if err != nil {
		return err
	}
	if err := s.cut(seg, found.end); err != nil {
		return err
	}
	s.last, s.written, s.synced = found.last, found.last, found.last
	s.all, s.filed, s.reports = found.digest, found.digest, found.lastReport
	for _, g := range s.segs {
		s.used += g.size
	}
	s.acked = max(s.acked, s.segs[0].first-1)
	if s.acked > s.last {
		return s.skip()
	}
	return nil
}

// cut ends a segment after its last whole line.
func (s *Spool) cut(seg *segment, end int64) error {
	if seg.size > end {
		s.o.Log.Warn("torn end of spool cut off", "dir", s.dir, "bytes", seg.size-end)
		if err := s.files.active.Truncate(end); err != nil {
			return err
		}
	}
	seg.size = end
	return s.files.active.Sync()
}

// skip goes on after what the receiver has acknowledged though the disk has
// lost it: a number is never used twice.
func (s *Spool) skip() error {
	s.o.Log.Warn("spool lost entries that were acknowledged", "dir", s.dir,
		"last", s.last, "acked", s.acked)
	s.last = s.acked
	if err := s.files.active.Close(); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	s.free()
	return s.broken
}

// begin makes the segment for the entries after last.
func (s *Spool) begin() error {
	f, size, err := createSegment(s.dir, s.last+1, s.all)
	if err != nil {
		return err
	}
	s.files.active = f
	s.written, s.synced = s.last, s.last
	s.segs = append(s.segs, segment{first: s.last + 1, size: size})
	s.used += size
	return nil
}

// Close puts everything on the disk and lets the spool go. Who waits in it
// gets ErrClosed. It may be called twice.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	for s.syncing {
		s.pause()
	}
	s.bufReport = true // the last chance to write: the reserve is for this
	err := s.file()
	if err == nil && s.synced < s.written {
		err = s.files.active.Sync()
	}
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.notify()
	if err = errors.Join(err, s.closeFiles()); err != nil {
		return fmt.Errorf("close spool %q: %w", s.dir, err)
	}
	return nil
}

func (s *Spool) closeFiles() error {
	var errs []error
	for _, f := range []*os.File{s.files.active, s.files.acked, s.files.lock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
