package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Ack says that the receiver has everything up to n; less than it said before
// changes nothing. Segments that are acknowledged whole are deleted. The
// number is on disk before long: a crash may make the receiver see entries
// again, never miss one.
func (s *Spool) Ack(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	if n > s.last {
		return fmt.Errorf("ack %d: the last entry is %d", n, s.last)
	}
	if n <= s.acked {
		return nil
	}
	s.acked = n
	s.saveAcked()
	s.free()
	s.notify()
	return s.broken
}

// saveAcked notes the number in place. Losing it costs a repetition.
func (s *Spool) saveAcked() {
	if err := writeAt(s.files.acked, fmt.Appendf(nil, "%020d\n", s.acked), 0); err != nil {
		s.o.Log.Warn("acknowledgement not saved", "dir", s.dir, "n", s.acked, "error", err)
	}
}

// free deletes the segments that are acknowledged. The active one goes, too,
// when it is worth it or somebody waits for its space.
func (s *Spool) free() {
	active := s.segs[len(s.segs)-1]
	whole := s.acked >= s.written && active.first <= s.written
	if whole && (s.waiting > 0 || s.full || active.size >= s.o.segmentSize()/2) {
		_ = s.rotate() // frees, or is s.broken
		return
	}
	for len(s.segs) > 1 && s.segs[1].first <= s.acked+1 {
		if err := ignoreAbsent(os.Remove(segmentPath(s.dir, s.segs[0].first))); err != nil {
			_ = s.fail("free", err)
			return
		}
		s.used -= s.segs[0].size
		s.segs = s.segs[1:]
	}
	if s.full {
		_ = s.file() // whether it is still full, or is s.broken
	}
	if !s.full && !s.reserved {
		s.reserved = reserve(s.reservePath(), s.o.Reserve) == nil
	}
}

const reserveName = "reserve"

func (s *Spool) reservePath() string { return filepath.Join(s.dir, reserveName) }

// releaseReserve gives the space held for reports back to the disk. It says
// whether there was any.
func (s *Spool) releaseReserve() bool {
	if !s.reserved {
		return false
	}
	s.reserved = false
	return os.Remove(s.reservePath()) == nil
}

// readAcked reads what saveAcked wrote, 0 if there is nothing sensible.
func readAcked(f *os.File) int64 {
	var b [21]byte
	n, _ := f.ReadAt(b[:], 0)
	acked, err := strconv.ParseInt(strings.TrimSpace(string(b[:n])), 10, 64)
	if err != nil || n < len(b) {
		return 0
	}
	return acked
}
