package plug

import (
	"strings"

	"blaise.dev/blaise/transcript"
)

// lastLines is how many of the last lines an error shows.
const lastLines = 10

// An output takes what a command of a plug writes, tells it to the reader of
// the session line by line, and keeps the end of it for errors.
type output struct {
	scope  Scope
	source string
	held   bool // told by flush only: a secret in it may not be known before
	tail   transcript.Tail
}

func newOutput(s Scope, held bool) *output {
	return &output{scope: s, source: "plug " + s.ID, held: held}
}

func (o *output) Write(p []byte) (int, error) {
	if text := o.tail.Take(p); text != "" && !o.held {
		o.tell(text)
	}
	return len(p), nil
}

// flush tells what was not told yet.
func (o *output) flush() {
	text := o.tail.Rest()
	if o.held {
		text = o.tail.Kept()
	}
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
	text := strings.ToValidUTF8(o.tail.Last(lastLines), "\uFFFD")
	if text == "" {
		return ""
	}
	return "; its last output:\n" + text
}
