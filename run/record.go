package run

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/redact"
	"blaise.dev/blaise/transcript"
)

// maxAnswer is how much of the agent's text goes with the report of a turn; the
// whole of it is in the record.
const maxAnswer = 256 << 10

// A record is the way of every event: the plugs' filters, redaction, the
// recorder. What plugs themselves say does not pass the filters again. It is
// safe for concurrent use.
type record struct {
	end     *transcript.Recorder
	secrets *redact.Redactor
	failed  func(error)
	// patience is how long the filters may hold back the end of a turn.
	patience time.Duration

	entry  sync.Mutex      // events enter the filters one at a time, in order
	filter transcript.Sink // nil before the layers are open

	mu      sync.Mutex // guards what follows; it is held into the recorder, to keep the order
	streams *redact.Streams
	turn    string // the last one begun
	answer  strings.Builder
	sealed  chan struct{} // closed when the end of the turn has passed the filters
}

func newRecord(to *transcript.Recorder, secrets *redact.Redactor) *record {
	return &record{
		end: to, secrets: secrets, failed: func(error) {},
		streams: secrets.NewStreams(), sealed: make(chan struct{}),
	}
}

// through puts the filters of the open layers before everything.
func (r *record) through(filter func(transcript.Sink) transcript.Sink) {
	r.entry.Lock()
	defer r.entry.Unlock()
	r.filter = filter(transcript.SinkFunc(r.Append))
}

// enter is for what the agent says and does, and the turns around it. It answers
// whether the filters took it; where one did not, the run ends.
func (r *record) enter(e transcript.Event) bool {
	r.entry.Lock()
	defer r.entry.Unlock()
	to := r.filter
	if to == nil {
		to = transcript.SinkFunc(r.Append)
	}
	err := to.Append(e)
	if err != nil {
		r.failed(err)
	}
	return err == nil
}

// update records a session/update.
func (r *record) update(raw []byte, replay, late bool) {
	e := transcript.Event{Kind: transcript.KindUpdate, Data: raw, Replay: replay, Late: late}
	if late {
		r.mu.Lock()
		e.Turn = r.turn
		r.mu.Unlock()
	}
	r.enter(e)
}

// tell records what a plug, a hook or the run itself says. A record that fails
// ends the run; who tells needs no answer.
func (r *record) tell(e transcript.Event) {
	if err := r.Append(e); err != nil {
		r.failed(err)
	}
}

// Append is the end of the way: nothing passes it with a secret in it.
func (r *record) Append(e transcript.Event) error {
	if e.Replay {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Kind == transcript.KindTurnEnded {
		if err := r.flushLocked(); err != nil {
			return err
		}
	}
	e.Data = r.clean(e)
	r.collect(e)
	err := r.end.Append(e)
	if e.Kind == transcript.KindTurnEnded {
		r.end.SetTurn("")
		close(r.sealed)
		r.sealed = make(chan struct{})
	}
	return err
}

// flush lets out what is withheld at the end of the run.
func (r *record) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.flushLocked(); err != nil {
		r.failed(err)
	}
}

func (r *record) beginTurn(m blaise.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn = string(m)
	r.answer.Reset()
	r.end.SetTurn(r.turn)
}

// endTurn records the end of the turn behind everything that belongs to it, and
// gives what the agent said.
func (r *record) endTurn(e transcript.Event) string {
	r.mu.Lock()
	e.Turn = r.turn
	sealed := r.sealed
	r.mu.Unlock()
	if r.enter(e) {
		r.awaitSeal(sealed)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answer.String()
}

func (r *record) awaitSeal(sealed <-chan struct{}) {
	select {
	case <-sealed:
	case <-time.After(r.patience):
		r.failed(errors.New("a plug holds back the record: the end of the turn does not come out"))
	}
}

// collect gathers the agent's own words.
func (r *record) collect(e transcript.Event) {
	if e.Kind != transcript.KindUpdate || e.Late {
		return
	}
	var c chunk
	if json.Unmarshal(e.Data, &c) != nil || c.Kind != acp.KindAgentChunk {
		return
	}
	text, _ := acp.Update{Kind: c.Kind, Raw: e.Data}.Text()
	room := maxAnswer - r.answer.Len()
	if room < len(text) {
		text = strings.ToValidUTF8(text[:max(room, 0)], "")
	}
	r.answer.WriteString(text)
}
