package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// An event's data are at most maxData long. Longer ones are replaced by a
// Shortened, and stand whole in a file of the spool's directory.
const (
	maxData = 1<<20 - 4096 // an event with its other fields stays under 1 MiB
	maxEnd  = 64 << 10     // even if every byte is escaped, head and tail fit
)

// Shortened is the data of an event whose own were too long.
type Shortened struct {
	Cut Cut `json:"cut"`
}

// A Cut says what is left of data that were too long, and where the rest is.
type Cut struct {
	Size   int    `json:"size"`           // of the whole, as compact JSON
	SHA256 string `json:"sha256"`         // of the whole
	File   string `json:"file,omitempty"` // beside the spool; "" if the limit left no room for it
	Head   string `json:"head"`           // how the whole begins, as text
	Tail   string `json:"tail"`           // how it ends
}

// CutOf is what is left of the event's data, false if they are whole.
func CutOf(e Event) (Cut, bool) {
	if !bytes.HasPrefix(e.Data, []byte(`{"cut":{`)) { // no kind's own data begin so
		return Cut{}, false
	}
	var s Shortened
	err := json.Unmarshal(e.Data, &s)
	return s.Cut, err == nil && s.Cut.SHA256 != ""
}

// shorten keeps data in a file and returns what stands in their place. It
// waits for space on the disk.
func (s *Spool) shorten(n int64, data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	cut := Cut{
		Size: len(data), SHA256: hex.EncodeToString(sum[:]),
		Head: string(runesBefore(data, maxEnd)), Tail: string(runesAfter(data, len(data)-maxEnd)),
	}
	kept, err := s.keepWhole(fmt.Sprintf("whole-%d.json", n), data)
	if err != nil {
		return nil, fmt.Errorf("keep long event: %w", err)
	}
	cut.File = kept
	return json.Marshal(Shortened{Cut: cut})
}

// keepWhole writes a file beside the segments and returns its name. A quarter
// of the limit is theirs, apart from it; beyond that they are not kept.
func (s *Spool) keepWhole(name string, data []byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wholes+int64(len(data)) > s.o.Limit/4 {
		s.o.Log.Warn("long event kept in part only", "dir", s.dir, "bytes", len(data))
		return "", nil
	}
	for {
		if err := s.usable(); err != nil {
			return "", err
		}
		err := writeWhole(filepath.Join(s.dir, name), data)
		if err == nil {
			s.wholes += int64(len(data))
			return name, nil
		}
		if !noSpace(err) {
			return "", err
		}
		if s.stopped != nil {
			return "", s.stopped
		}
		s.pause()
	}
}

// runesBefore is the head of b, no longer than n, that ends with a whole rune.
func runesBefore(b []byte, n int) []byte {
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// runesAfter is the tail of b from n on that begins with a whole rune.
func runesAfter(b []byte, n int) []byte {
	for n < len(b) && !utf8.RuneStart(b[n]) {
		n++
	}
	return b[n:]
}

// sizeOfWholes adds up the long events that an earlier opening kept.
func sizeOfWholes(dir string) (int64, error) {
	names, err := wholesIn(dir)
	if err != nil {
		return 0, err
	}
	var size int64
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}
