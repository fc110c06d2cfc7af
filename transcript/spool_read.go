package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
)

// A place in the spool is where an entry begins.
type place struct {
	n   int64
	seg int64 // the segment's first entry
	off int64
}

// Read returns entries in order, beginning with from, or with the first that
// is still there if from is acknowledged and gone: at most maxEntries, and no
// more than maxBytes of data unless the first alone is longer. It returns none
// when from is after the last.
func (s *Spool) Read(from int64, maxEntries int, maxBytes int) ([]Entry, error) {
	r := reader{from: max(from, 1), entries: maxEntries, bytes: maxBytes}
	err := s.read(&r)
	// A segment may be acknowledged and deleted while it is opened.
	for try := 0; try < 3 && errors.Is(err, os.ErrNotExist); try++ {
		err = s.read(&r)
	}
	if err != nil {
		return nil, fmt.Errorf("read spool %q: %w", s.dir, err)
	}
	return r.got, nil
}

type reader struct {
	from           int64
	entries, bytes int
	got            []Entry
	at             place // after the last entry that was read
	enough         bool
}

func (s *Spool) read(r *reader) error {
	s.mu.Lock()
	if err := s.usable(); err != nil {
		s.mu.Unlock()
		return err
	}
	_ = s.file() // what cannot be written now is read later
	segs := append([]segment(nil), s.segs...)
	cursor := s.cursor
	s.mu.Unlock()

	r.got, r.at = nil, place{}
	r.from = max(r.from, segs[0].first)
	i := sort.Search(len(segs), func(i int) bool { return segs[i].first > r.from }) - 1
	start := place{n: segs[i].first, seg: segs[i].first}
	if cursor.seg == start.seg && cursor.n <= r.from {
		start = cursor
	}
	for ; i < len(segs) && !r.enough; i++ {
		if err := r.segment(s.dir, segs[i], start); err != nil {
			return err
		}
		if i+1 < len(segs) {
			start = place{n: segs[i+1].first, seg: segs[i+1].first}
		}
	}
	s.mu.Lock()
	s.cursor = r.at
	s.mu.Unlock()
	return nil
}

// take adds an entry, unless that is too much.
func (r *reader) take(e Entry) {
	if r.entries <= 0 || len(r.got) > 0 && r.bytes < len(e.Data) {
		r.enough = true
		return
	}
	r.got = append(r.got, e)
	r.entries--
	r.bytes -= len(e.Data)
}

// segment reads from one segment, from start up to its size.
func (r *reader) segment(dir string, seg segment, start place) error {
	f, err := os.Open(segmentPath(dir, seg.first))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	br := bufio.NewReaderSize(io.NewSectionReader(f, start.off, seg.size-start.off), 1<<15)
	r.at = start
	if start.off == 0 {
		header, err := br.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("segment %d has no header", seg.first)
		}
		r.at.off = int64(len(header))
	}
	return r.lines(br)
}

func (r *reader) lines(br *bufio.Reader) error {
	for {
		line, err := br.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		e, torn := parseLine(line)
		if torn != nil || e.N != r.at.n {
			return fmt.Errorf("segment %d is damaged at entry %d", r.at.seg, r.at.n)
		}
		if e.N >= r.from {
			r.take(e)
		}
		if r.enough {
			return nil
		}
		r.at.n++
		r.at.off += int64(len(line))
	}
}
