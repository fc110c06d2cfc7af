package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Recorder is the Sink at the end of a run: it numbers events and writes
// them to the spool. It drops replayed ones (A13). What a reader must never
// miss (messages, turns, questions and decisions) is on the disk when Append
// returns. It is safe for concurrent use.
type Recorder struct {
	spool *Spool
	now   func() time.Time
	run   []byte // quoted
	turn  atomic.Value

	mu   sync.Mutex // keeps N and the spool in step, also while the spool waits for space
	n    int64
	data bytes.Buffer // memory to work in
	line []byte
}

var _ Sink = (*Recorder)(nil)

// durable are the kinds that are on the disk when Append returns.
var durable = map[Kind]bool{
	KindMessage: true, KindTurnBegan: true, KindTurnEnded: true,
	KindAsked: true, KindDecided: true,
}

// NewRecorder returns a recorder that goes on after the events in s. now is
// the clock for events without a time, nil for time.Now.
func NewRecorder(s *Spool, run string, now func() time.Time) *Recorder {
	if now == nil {
		now = time.Now
	}
	n, _ := s.Digest()
	r := &Recorder{spool: s, now: now, run: quote(run), n: n}
	r.turn.Store("")
	return r
}

// SetTurn names the message whose turn the next events belong to, "" for none.
// An event that has a turn keeps it.
func (r *Recorder) SetTurn(id string) { r.turn.Store(id) }

// Append records e, with N, the run, and the time and turn if it has none. It
// waits while the spool has no space. Data that are not JSON are refused.
func (r *Recorder) Append(e Event) error {
	if e.Replay {
		return nil
	}
	if e.At.IsZero() {
		e.At = r.now()
	}
	if e.Turn == "" {
		e.Turn, _ = r.turn.Load().(string)
	}
	n, err := r.record(e)
	if err == nil && durable[e.Kind] {
		err = r.spool.syncTo(n)
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", e.Kind, err)
	}
	return nil
}

// record gives e its number and hands it to the spool.
func (r *Recorder) record(e Event) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data.Reset()
	if len(e.Data) > 0 {
		if err := canonical(&r.data, e.Data); err != nil {
			return 0, err
		}
	}
	data := r.data.Bytes()
	if len(data) > maxData {
		short, err := r.spool.shorten(r.n+1, data)
		if err != nil {
			return 0, err
		}
		data = short
		r.data = bytes.Buffer{} // do not keep megabytes for the next small one
	}
	r.appendLine(e, data)
	n, err := r.spool.append(EntryEvent, r.line)
	if err == nil {
		r.n++
	}
	return n, err
}

// appendLine builds the JSON of e by hand: its data are canonical already, and
// marshalling them again takes most of the time of a recording.
func (r *Recorder) appendLine(e Event, data []byte) {
	b := append(r.line[:0], `{"n":`...)
	b = strconv.AppendInt(b, r.n+1, 10)
	b = append(b, `,"at":"`...)
	b = e.At.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","run":`...)
	b = append(b, r.run...)
	if e.Turn != "" {
		b = append(b, `,"turn":`...)
		b = append(b, quote(e.Turn)...)
	}
	b = append(b, `,"kind":`...)
	b = append(b, quote(string(e.Kind))...)
	if e.Late {
		b = append(b, `,"late":true`...)
	}
	if len(data) > 0 {
		b = append(b, `,"data":`...)
		b = append(b, data...)
	}
	r.line = append(b, '}')
}

// quote is the JSON of s; ids and kinds are plain and need no marshalling.
func quote(s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte("\"\\<>&", c) >= 0 {
			b, _ := json.Marshal(s) // a string always can
			return b
		}
	}
	return append(append([]byte{'"'}, s...), '"')
}
