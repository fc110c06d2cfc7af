package transcript

import (
	"bytes"
	"strings"
	"sync"
)

const (
	tailKept = 64 << 10
	longLine = 8 << 10 // a longer one is cut into several
)

// A Tail cuts what a program writes into lines, to be recorded as they come, and
// keeps the end of it: where a program fails, the reason is there. The zero value
// is ready, and safe for concurrent use.
type Tail struct {
	mu   sync.Mutex // guards what follows
	line []byte     // begun
	kept []byte
}

// Take adds p and answers the lines that it makes whole, without their last
// newline; "" for none.
func (t *Tail) Take(p []byte) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailKept; over > 0 {
		t.kept = bytes.Clone(t.kept[over:])
	}
	t.line = append(t.line, p...)
	end := bytes.LastIndexByte(t.line, '\n') + 1
	if end == 0 && len(t.line) > longLine {
		end = len(t.line)
	}
	whole := string(t.line[:end])
	t.line = append(t.line[:0], t.line[end:]...)
	return strings.TrimRight(whole, "\n")
}

// Rest answers the line that was begun and not ended, once.
func (t *Tail) Rest() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := string(t.line)
	t.line = nil
	return rest
}

// Kept is the end of all that was written, 64 KB of it at most.
func (t *Tail) Kept() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// Last is the end of what was written without the blank lines around it, at most
// n lines of it.
func (t *Tail) Last(n int) string {
	lines := strings.Split(strings.TrimSpace(t.Kept()), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
