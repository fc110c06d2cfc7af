package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"blaise.dev/blaise/transcript"

	"golang.org/x/sync/errgroup"
)

const recorded = 300_000

// record measures the whole way of a transcript: recorded into the spool on
// disk, shipped over HTTP, kept by the store; none may be missing at the end.
func record(ctx context.Context, o options) ([]row, error) {
	p, err := startPlane(ctx, o, "record")
	if err != nil {
		return nil, err
	}
	defer p.close()
	l, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	spool, err := transcript.OpenSpool(filepath.Join(o.tmp, "spool"), transcript.SpoolOptions{})
	if err != nil {
		return nil, err
	}
	defer spool.Close()
	began := time.Now()
	spooled, err := ship(ctx, l, spool, recorded)
	if err != nil {
		return nil, err
	}
	whole := time.Since(began)
	kept, err := p.db.Record(ctx, l.run.ID)
	if err != nil {
		return nil, err
	}
	count, digest := spool.Digest()
	if kept.Count != recorded || count != recorded || kept.Digest != digest {
		return nil, fmt.Errorf("recorded %d events, spooled %d, kept %d", recorded, count, kept.Count)
	}
	return []row{
		{name: "events recorded to the spool a second", got: recorded / spooled.Seconds(), limit: 50_000, unit: "/s", least: true},
		{name: "events recorded, shipped and kept a second, none missing", got: recorded / whole.Seconds(), limit: 50_000, unit: "/s", least: true},
	}, nil
}

// ship records and ships n events and answers how long the recording took.
func ship(ctx context.Context, l live, spool *transcript.Spool, n int) (time.Duration, error) {
	shipper := transcript.NewShipper(spool, l.client, transcript.ShipperOptions{})
	recorder := transcript.NewRecorder(spool, string(l.run.ID), time.Now)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var g errgroup.Group
	g.Go(func() error { return shipper.Run(ctx) })
	data, err := json.Marshal(map[string]any{
		"sessionUpdate": "agent_message_chunk",
		"content":       map[string]string{"type": "text", "text": "some words that an agent says, as long as most are, and a few more"},
	})
	if err != nil {
		return 0, fmt.Errorf("encode event: %w", err)
	}
	began := time.Now()
	for range n {
		if err := recorder.Append(transcript.Event{Kind: transcript.KindUpdate, Data: data}); err != nil {
			return 0, err
		}
	}
	if err := spool.Sync(); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if err := shipper.Drain(ctx); err != nil {
		return 0, err
	}
	cancel()
	_ = g.Wait() // it was cancelled
	return took, nil
}
