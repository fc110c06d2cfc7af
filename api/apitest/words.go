package apitest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// Tell gives the run a directive.
func (b *Blaise) Tell(d blaise.Directive) {
	b.Set(func() {
		d.N = int64(len(b.directives) + 1)
		b.directives = append(b.directives, d)
	})
}

// Prompt gives the run a message.
func (b *Blaise) Prompt(m blaise.MessageID, text string) {
	b.Tell(blaise.Directive{Kind: blaise.DirectivePrompt, Message: m, Text: text})
}

// Stop tells the run to stop.
func (b *Blaise) Stop(mayResume bool) {
	b.Tell(blaise.Directive{Kind: blaise.DirectiveStop,
		Stop: &blaise.Stop{Reason: "a test says so", MayResume: mayResume, By: "test"}})
}

// Allow answers a question with what allows it once.
func (b *Blaise) Allow(q *blaise.Question) {
	for _, o := range q.Options {
		if o.Kind == "allow_once" {
			b.Tell(blaise.Directive{Kind: blaise.DirectiveAnswer, Key: q.Key, Choice: o.ID})
			return
		}
	}
	b.t.Errorf("nothing to allow in %s", Dump(q))
}

// Attach keeps a file, and answers it as an attachment of a message.
func (b *Blaise) Attach(name, kind, data string) blaise.Attachment {
	sum := sha256.Sum256([]byte(data))
	a := blaise.Attachment{Name: name, Type: kind, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	b.Set(func() { b.files[a.SHA256] = []byte(data) })
	return a
}

// Report waits for the first report of a kind.
func (b *Blaise) Report(kind blaise.EventKind) api.Report { b.t.Helper(); return b.ReportN(kind, 1) }

// ReportN waits for the nth report of a kind.
func (b *Blaise) ReportN(kind blaise.EventKind, n int) (found api.Report) {
	b.t.Helper()
	b.Await(fmt.Sprintf("report %s, %d", kind, n), func() bool {
		left := n
		for _, r := range b.Reports {
			if r.Event == kind {
				if left--; left == 0 {
					found = r
					return true
				}
			}
		}
		return false
	})
	return found
}

// Kinds are the reports in their order, without those that say what is kept.
func (b *Blaise) Kinds() []blaise.EventKind {
	b.mu.Lock()
	defer b.mu.Unlock()
	var kinds []blaise.EventKind
	for _, r := range b.Reports {
		switch r.Event {
		case blaise.EventPlugRecorded, blaise.EventResourceIntended, blaise.EventResourceGone,
			api.EventConfigKept, api.EventStateSaved, api.EventStatusTold, blaise.EventWorkSaved:
		default:
			kinds = append(kinds, r.Event)
		}
	}
	return kinds
}

// Event waits for the first event of which f says true.
func (b *Blaise) Event(what string, f func(transcript.Event) bool) (found transcript.Event) {
	b.t.Helper()
	b.Await("event "+what, func() bool {
		for _, e := range b.Events {
			if f(e) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// Text is the record, an event a line.
func (b *Blaise) Text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var text strings.Builder
	for _, e := range b.Events {
		text.WriteString(string(e.Kind) + " " + string(e.Data) + "\n")
	}
	return text.String()
}
