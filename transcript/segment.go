package transcript

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A segment is one file of a spool: a header line, then lines of entries. It
// is named after its first entry and deleted when its last one is acked.
type segment struct {
	first int64
	size  int64
}

// A segmentHeader carries the digest of all events before the segment, since
// the segments before it may be gone.
type segmentHeader struct {
	Segment int64  `json:"segment"`
	Count   int64  `json:"count"`
	Sum     string `json:"sum"`
}

const segmentSuffix = ".jsonl"

func segmentPath(dir string, first int64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d%s", first, segmentSuffix))
}

// createSegment makes an empty segment. It appears under its name only when
// its header is on disk, so that no crash leaves half a header.
func createSegment(dir string, first int64, before Digest) (*os.File, int64, error) {
	count, sum := before.Sum()
	head, err := json.Marshal(segmentHeader{Segment: first, Count: count, Sum: sum})
	if err != nil {
		return nil, 0, fmt.Errorf("marshal segment header: %w", err)
	}
	head = append(head, '\n')
	path := segmentPath(dir, first)
	if err := writeWhole(path, head); err != nil {
		return nil, 0, fmt.Errorf("create segment: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("create segment: %w", err)
	}
	return f, int64(len(head)), nil
}

// writeWhole writes a file that is there in full or not at all, on disk when
// writeWhole returns.
func writeWhole(path string, data []byte) (err error) {
	tmp := path + ".tmp"
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreAbsent(os.Remove(tmp)))
		}
	}()
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func ignoreAbsent(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// listSegments finds the segments of dir in order, and clears away what a
// crash left half made.
func listSegments(dir string) ([]segment, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var segs []segment
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".tmp") {
			if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
				return nil, err
			}
			continue
		}
		first, err := strconv.ParseInt(strings.TrimSuffix(f.Name(), segmentSuffix), 10, 64)
		if err != nil || !strings.HasSuffix(f.Name(), segmentSuffix) {
			continue
		}
		info, err := f.Info()
		if err != nil {
			return nil, err
		}
		segs = append(segs, segment{first: first, size: info.Size()})
	}
	slices.SortFunc(segs, func(a, b segment) int { return cmp.Compare(a.first, b.first) })
	return segs, nil
}

// A scan is what a segment holds up to its first torn line.
type scan struct {
	last       int64 // first-1 if it holds nothing
	lastReport int64
	end        int64 // the offset after the last whole line
	digest     Digest
}

// scanSegment reads a whole segment. Only the header must be whole.
func scanSegment(r io.Reader, seg segment) (scan, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	line, err := br.ReadBytes('\n')
	if err != nil {
		return scan{}, fmt.Errorf("read header of segment %d: %w", seg.first, err)
	}
	s := scan{last: seg.first - 1, end: int64(len(line))}
	if s.digest, err = parseHeader(line, seg.first); err != nil {
		return scan{}, err
	}
	for {
		line, err := br.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return scan{}, fmt.Errorf("read segment %d: %w", seg.first, err)
		}
		e, torn := parseLine(line)
		if err == io.EOF || torn != nil || e.N != s.last+1 {
			return s, nil
		}
		s.last, s.end = e.N, s.end+int64(len(line))
		if e.Kind == EntryReport {
			s.lastReport = e.N
		} else {
			s.digest.Add(e.Data)
		}
	}
}

func parseHeader(line []byte, first int64) (Digest, error) {
	var h segmentHeader
	err := json.Unmarshal(line, &h)
	d, sumErr := ParseDigest(h.Count, h.Sum)
	if err != nil || sumErr != nil || h.Segment != first {
		return Digest{}, fmt.Errorf("segment %d has a damaged header", first)
	}
	return d, nil
}
