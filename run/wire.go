package run

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/redact"
)

// WireFile is where a run keeps, in its directory, the frames between it and
// its agent, one JSON object a line: {at, dir, frame}. Updates are not in it:
// the transcript has them, verbatim.
const WireFile = "wire.jsonl"

// A wire bounds what is kept: when half of it is full it goes into a second
// file, in the place of what was there.
const wireHalf = 4 << 20

// wireLine is the longest frame kept whole: pictures are not worth it.
const wireLine = 256 << 10

// A wire keeps frames for a person who asks what an agent was really told. It
// never fails a run.
type wire struct {
	path    string
	secrets *redact.Redactor

	mu   sync.Mutex // guards what follows
	file *os.File
	size int
}

func newWire(r *run) *wire {
	return &wire{path: filepath.Join(r.spec.Dir, WireFile), secrets: r.secrets}
}

var updateMethod = []byte(`"session/update"`)

// frame is for acp.Options.Frames.
func (w *wire) frame(dir acp.Direction, raw []byte) {
	if dir == acp.In && bytes.Contains(raw[:min(len(raw), 96)], updateMethod) {
		return
	}
	line := struct {
		At    time.Time       `json:"at"`
		Dir   string          `json:"dir"`
		Frame json.RawMessage `json:"frame,omitempty"`
		Size  int             `json:"size,omitempty"`
		Head  string          `json:"head,omitempty"`
	}{At: time.Now().UTC(), Dir: dir.String()}
	if len(raw) <= wireLine {
		line.Frame = w.secrets.JSON(raw)
	} else {
		line.Size, line.Head = len(raw), w.secrets.String(string(raw[:512]))
	}
	b, err := json.Marshal(line)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeLocked(append(b, '\n'))
}

func (w *wire) writeLocked(b []byte) {
	if w.file != nil && w.size+len(b) > wireHalf {
		_ = w.file.Close()
		w.file = nil
		_ = os.Rename(w.path, w.path+".1") // what is lost is the oldest
	}
	if w.file == nil {
		f, err := os.OpenFile(w.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return
		}
		w.file, w.size = f, 0
	}
	n, _ := w.file.Write(b) // no space: the record is what counts
	w.size += n
}

func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
}
