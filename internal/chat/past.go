package chat

import (
	"context"
	"fmt"
	"slices"

	"blaise.dev/blaise/transcript"
)

const (
	pastMessages = 8    // how many messages back a conversation is shown
	pastEvents   = 3000 // and how many events at most
)

// past tells the end of what was there already, and the seq of its last event.
// It reads all of the transcript, but keeps no more than it shows.
func (m *model) past(ctx context.Context) (lines []string, last int64, err error) {
	var kept []transcript.Event
	first := int64(0)
	err = m.o.Client.Transcript(ctx, m.o.Session, 0, func(e transcript.Event) error {
		if first == 0 {
			first = e.Seq
		}
		last = e.Seq
		if kept = append(kept, e); len(kept) >= 2*pastEvents {
			kept = slices.Clone(kept[len(kept)-pastEvents:])
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	kept = recent(kept)
	if len(kept) > 0 && kept[0].Seq > first {
		lines = append(lines, m.story.Look.Dim(m.story.Look.Cut(fmt.Sprintf(
			"%d earlier events: blaise transcript %s", kept[0].Seq-first, m.o.Session))))
	}
	for _, e := range kept {
		lines = append(lines, m.story.Tell(e)...)
	}
	return lines, last, nil
}

// recent is the end of a conversation, from a message on.
func recent(all []transcript.Event) []transcript.Event {
	all = all[max(len(all)-pastEvents, 0):]
	messages := 0
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Kind != transcript.KindMessage {
			continue
		}
		if messages++; messages == pastMessages {
			return all[i:]
		}
	}
	return all
}
