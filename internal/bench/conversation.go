package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// converse makes a session of so many events, as an agent's turns leave them.
func (s *served) converse(ctx context.Context, o options, events int) (live, error) {
	l, err := s.begin(ctx)
	if err != nil {
		return l, err
	}
	spool, err := transcript.OpenSpool(filepath.Join(o.tmp, "spool-"+string(l.session)), transcript.SpoolOptions{})
	if err != nil {
		return l, err
	}
	defer spool.Close()
	return l, l.ship(ctx, spool, func(r *transcript.Recorder) error {
		for n := 0; n < events; {
			for _, e := range turn(l.session, n) {
				if n++; n > events {
					break
				}
				if err := r.Append(e); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// turn is one of an agent that thinks, plans, reads, edits and tells.
func turn(id blaise.SessionID, n int) []transcript.Event {
	m := id.Message(n + 1)
	update := func(v map[string]any) transcript.Event { return transcript.New(transcript.KindUpdate, v) }
	text := func(kind, t string) transcript.Event {
		return update(map[string]any{"sessionUpdate": kind, "content": map[string]string{"type": "text", "text": t}})
	}
	tool := func(name, kind string, more map[string]any) transcript.Event {
		more["sessionUpdate"], more["toolCallId"] = "tool_call_update", fmt.Sprintf("%s-%d", kind, n)
		more["title"], more["kind"] = name, kind
		return update(more)
	}
	list := []transcript.Event{
		transcript.New(transcript.KindMessage, map[string]any{"message": m, "author": "ann", "text": "Please mend the next one."}),
		transcript.New(transcript.KindTurnBegan, map[string]any{"message": m}),
		text("agent_thought_chunk", "The test fails because the clock is read twice. "),
		update(map[string]any{"sessionUpdate": "plan", "entries": []map[string]string{
			{"content": "Read clock.go", "status": "completed"}, {"content": "Mend it", "status": "in_progress"},
		}}),
		tool("Read clock.go", "read", map[string]any{"status": "in_progress"}),
		tool("Read clock.go", "read", map[string]any{"status": "completed"}),
		tool("Edit clock.go", "edit", map[string]any{"status": "completed", "content": []any{map[string]any{
			"type": "diff", "path": "clock.go",
			"oldText": "func due(c clock) bool {\n\treturn time.Now().After(c.at)\n}\n",
			"newText": "func due(c clock, now time.Time) bool {\n\treturn now.After(c.at)\n}\n",
		}}}),
	}
	for i := range 30 {
		words := fmt.Sprintf("It is **%d** words that come one after the other, ", i)
		if i == 15 {
			words = "\n\n```go\nfor _, c := range clocks {\n\tif due(c, now) {\n\t\tfire(c)\n\t}\n}\n```\n\n"
		}
		list = append(list, text("agent_message_chunk", words))
	}
	for i := range list {
		list[i].Turn = string(m)
	}
	return append(list, transcript.New(transcript.KindTurnEnded, map[string]any{"message": m, "result": "answered"}))
}

// ship lets tell record events, and ships them until all are kept.
func (l live) ship(ctx context.Context, spool *transcript.Spool, tell func(*transcript.Recorder) error) error {
	ctx, cancel := context.WithCancel(ctx)
	shipper := transcript.NewShipper(spool, l.client, transcript.ShipperOptions{})
	ended := make(chan error, 1)
	go func() { ended <- shipper.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	if err := tell(transcript.NewRecorder(spool, string(l.run.ID), nil)); err != nil {
		return err
	}
	return shipper.Drain(ctx)
}

// chunk is a piece of what an agent says.
func chunk(text string) transcript.Event {
	return transcript.New(transcript.KindUpdate, map[string]any{
		"sessionUpdate": "agent_message_chunk", "content": map[string]string{"type": "text", "text": text},
	})
}

// entry is an event on its way from a run's spool.
func entry(run blaise.RunID, n int64, e transcript.Event) (transcript.Entry, error) {
	e.N, e.Run = n, string(run)
	data, err := json.Marshal(e)
	return transcript.Entry{N: n, Kind: transcript.EntryEvent, Data: data}, err
}
