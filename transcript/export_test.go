package transcript

import (
	"os"
	"syscall"
)

// FillDisk makes every write fail for want of space, as long as full says so.
// The reserve is worth allow bytes.
func (s *Spool) FillDisk(full func() bool, allow int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files.write = func(f *os.File, b []byte, at int64) error {
		if !full() {
			return writeAt(f, b, at)
		}
		if !s.reserved && len(b) <= allow {
			allow -= len(b)
			return writeAt(f, b, at)
		}
		if err := writeAt(f, b[:len(b)/2], at); err != nil {
			return err
		}
		return syscall.ENOSPC
	}
}

// Crash lets go of the files without writing anything more.
func (s *Spool) Crash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.notify()
	_ = s.closeFiles()
}
