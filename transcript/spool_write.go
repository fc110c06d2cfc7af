package transcript

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// errFull says that the disk has no space: try again later.
var errFull = errors.New("no space for the spool")

// Sync puts everything appended so far on the disk. It waits for space.
func (s *Spool) Sync() error { return s.syncTo(s.Last()) }

// syncTo returns when entry n is on the disk. One caller syncs the file for
// all who wait.
func (s *Spool) syncTo(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.synced < n {
		if err := s.usable(); err != nil {
			return err
		}
		if s.syncing {
			s.pause()
			continue
		}
		if err := s.syncOnce(); err != nil {
			return err
		}
	}
	return nil
}

// syncOnce files the buffer and syncs the file, letting go of s.mu meanwhile.
func (s *Spool) syncOnce() error {
	if err := s.file(); err == errFull {
		if s.stopped != nil && !s.bufReport {
			return s.stopped
		}
		s.pause()
		return nil
	} else if err != nil {
		return err
	}
	target, active := s.written, s.files.active
	s.syncing = true
	s.mu.Unlock()
	err := active.Sync()
	s.mu.Lock()
	s.syncing = false
	s.notify()
	if s.synced >= target {
		return nil // rotated, and so synced, in between
	}
	if err != nil {
		return s.fail("sync", err)
	}
	s.synced = target
	return nil
}

// file writes the buffer to the active segment, all of it or nothing.
func (s *Spool) file() error {
	if len(s.buf) == 0 || s.broken != nil {
		return s.broken
	}
	seg := &s.segs[len(s.segs)-1]
	err := s.files.write(s.files.active, s.buf, seg.size)
	if noSpace(err) && s.bufReport && s.releaseReserve() {
		err = s.files.write(s.files.active, s.buf, seg.size)
	}
	if err != nil {
		if cut := s.files.active.Truncate(seg.size); cut != nil {
			return s.fail("cut", cut)
		}
		if !noSpace(err) {
			return s.fail("write", err)
		}
		s.full = true
		return errFull
	}
	size := int64(len(s.buf))
	seg.size += size
	s.used += size
	s.written, s.filed = s.last, s.all
	s.buf, s.bufReport = s.buf[:0], false
	s.full = false
	s.notify()
	if seg.size >= s.o.segmentSize() {
		return s.rotate()
	}
	return nil
}

// rotate goes on in a new segment, the old one being on the disk. Without
// space for one it stays in the old.
func (s *Spool) rotate() error {
	if s.segs[len(s.segs)-1].first == s.written+1 {
		return nil
	}
	if err := s.files.active.Sync(); err != nil {
		return s.fail("sync", err)
	}
	s.synced = s.written
	f, size, err := createSegment(s.dir, s.written+1, s.filed)
	if noSpace(err) && s.acked >= s.written && s.releaseReserve() {
		f, size, err = createSegment(s.dir, s.written+1, s.filed)
	}
	if noSpace(err) {
		return nil
	}
	if err != nil {
		return s.fail("rotate", err)
	}
	// A caller that is syncing the old file sees that synced has passed it.
	old := s.files.active
	s.files.active = f
	s.segs = append(s.segs, segment{first: s.written + 1, size: size})
	s.used += size
	if err := old.Close(); err != nil {
		return s.fail("close", err)
	}
	s.free()
	return s.broken
}

func (s *Spool) fail(what string, err error) error {
	if s.broken == nil {
		s.broken = fmt.Errorf("%s spool: %w", what, err)
		s.notify()
	}
	return s.broken
}

func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func writeAt(f *os.File, b []byte, at int64) error {
	_, err := f.WriteAt(b, at)
	return err
}
