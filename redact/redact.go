// Package redact takes secret values out of strings, JSON and streams. Package
// run puts one Redactor before everything that leaves a process: the record,
// reports, errors, questions. It knows values it was told, in every form that
// a program is likely to write them in, and the shapes of the tokens of known
// services; it neither stores nor logs them.
package redact

import (
	"strings"
	"sync"
	"sync/atomic"
)

// Mark stands where a secret stood.
const Mark = "[redacted]"

// minLength is that of the shortest value that is taken for a secret: shorter
// ones stand by chance in every text.
const minLength = 6

// A Redactor replaces secret values by [Mark]: as they are, as JSON, URLs and
// base64 write them, and each line of a value of several lines; and tokens that
// it was not told of, by their shapes (shapes_table.go). It is safe for
// concurrent use; a value is known to every call that begins after its Add.
type Redactor struct {
	mu    sync.Mutex // guards what follows
	forms map[string]bool

	// current is built of forms by the first use after an Add, nil until then.
	current atomic.Pointer[trie]
}

// New returns a Redactor that knows no values yet.
func New() *Redactor {
	return &Redactor{forms: make(map[string]bool)}
}

// Add makes value known as a secret. Values, and lines of values, of less than
// six bytes are not.
func (r *Redactor) Add(value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range partsOf(value) {
		for _, form := range formsOf(secret) {
			if len(form) >= minLength && !r.forms[form] {
				r.forms[form] = true
				r.current.Store(nil)
			}
		}
	}
}

// String returns s with every secret replaced. Secrets that overlap are
// replaced together.
func (r *Redactor) String(s string) string {
	spans, _ := r.find("", s)
	if len(spans) == 0 {
		return s
	}
	return replace(s, spans)
}

// find returns what must be replaced in s, in order and apart from each other,
// and the place from which on s is not decided: what begins there may go on as
// a secret. before is the end of what came before s.
func (r *Redactor) find(before, s string) (spans []span, open int) {
	return find(r.trie(), before, s)
}

func (r *Redactor) trie() *trie {
	if t := r.current.Load(); t != nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.current.Load()
	if t == nil {
		t = newTrie(r.forms)
		r.current.Store(t)
	}
	return t
}

// A span is a part of a string, from start up to end.
type span struct{ start, end int }

func replace(s string, spans []span) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.start])
		b.WriteString(Mark)
		at = sp.end
	}
	b.WriteString(s[at:])
	return b.String()
}
