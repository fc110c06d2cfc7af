package plug

import (
	"bytes"
	"strings"
	"sync"

	"blaise.dev/blaise/transcript"
)

const (
	outputKept = 64 << 10 // for errors, and of what is told at the end
	lineKept   = 8 << 10  // a longer line is cut into several
	lastLines  = 10       // of them an error shows
)

// An output takes what a command of a plug writes, tells it to the reader of
// the session line by line, and keeps the end of it for errors.
type output struct {
	scope  Scope
	source string
	held   bool // told by flush only: a secret in it may not be known before

	mu   sync.Mutex // guards what follows
	line []byte     // begun
	kept []byte
}

func newOutput(s Scope, held bool) *output {
	return &output{scope: s, source: "plug " + s.ID, held: held}
}

func (o *output) Write(p []byte) (int, error) {
	if text := o.take(p); text != "" && !o.held {
		o.tell(text)
	}
	return len(p), nil
}

// take adds p and answers the lines that it makes whole.
func (o *output) take(p []byte) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, p...)
	if over := len(o.kept) - outputKept; over > 0 {
		o.kept = bytes.Clone(o.kept[over:])
	}
	o.line = append(o.line, p...)
	end := bytes.LastIndexByte(o.line, '\n') + 1
	if end == 0 && len(o.line) > lineKept {
		end = len(o.line)
	}
	whole := string(o.line[:end])
	o.line = append(o.line[:0], o.line[end:]...)
	return strings.TrimRight(whole, "\n")
}

// flush tells what was not told yet.
func (o *output) flush() {
	o.mu.Lock()
	text := string(o.line)
	if o.held {
		text = string(o.kept)
	}
	o.line = nil
	o.mu.Unlock()
	if text = strings.Trim(text, "\n"); text != "" {
		o.tell(text)
	}
}

func (o *output) tell(text string) {
	o.scope.Note(transcript.New(transcript.KindOutput, map[string]string{
		"source": o.source, "text": strings.ToValidUTF8(text, "\uFFFD") + "\n",
	}))
}

// last is the end of what was written, as an error shows it; "" for nothing.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(o.kept), "\uFFFD"))
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return "; its last output:\n" + strings.Join(lines[max(0, len(lines)-lastLines):], "\n")
}
