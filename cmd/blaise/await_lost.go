package main

import (
	"encoding/json"
	"fmt"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// hearLost remembers what a run has said of a conversation that its agent has
// not whole (X6): of no turn, and before the first.
func (v *vigil) hearLost(e transcript.Event) {
	var d struct{ Text, Context string }
	if e.Kind == transcript.KindNotice && json.Unmarshal(e.Data, &d) == nil && d.Context != "" {
		v.lost[e.Run] = d.Text
	}
}

// tellLost says it, if the run's first message is the one that is waited for.
func (v *vigil) tellLost(s api.Session) {
	text, ok := v.lost[string(v.message.Run)]
	if !ok {
		return
	}
	delete(v.lost, string(v.message.Run))
	for _, m := range s.Messages {
		if m.Run == v.message.Run {
			if m.ID == v.message.ID {
				v.teller.endLine()
				fmt.Fprintf(v.a.err, "note: %s\n", harmless(text))
			}
			return
		}
	}
}
