package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxLine is the longest line that Read takes: an event and some room.
const maxLine = 8 << 20

// Read yields the events of a JSONL stream, as `blaise transcript --json`
// writes it. Empty lines are passed over. After the first error, which names
// the line, it yields no more.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 1<<16), maxLine)
		n := 0
		for lines.Scan() {
			n++
			line := bytes.TrimSpace(lines.Bytes())
			if len(line) == 0 {
				continue
			}
			var e Event
			if err := json.Unmarshal(line, &e); err != nil {
				yield(Event{}, fmt.Errorf("read transcript line %d: %w", n, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("longer than %d bytes", maxLine)
		}
		if err != nil {
			yield(Event{}, fmt.Errorf("read transcript line %d: %w", n+1, err))
		}
	}
}
