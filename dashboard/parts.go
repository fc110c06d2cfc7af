package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"blaise.dev/blaise/server"
)

// parts are what stands around a conversation, as HTML, and since which version
// of them all each is as it is.
type parts struct {
	title   string
	html    map[string]string
	since   map[string]int64
	version int64 // 0: not read yet
	news    batch // what the last version changed
}

// lookAround reads the parts, and tells if any has changed. later is when to look
// without being woken: what happens to others moves one that waits on.
func (s *stage) lookAround(ctx context.Context, now time.Time) (later <-chan time.Time, err error) {
	v, err := s.d.views.Fresh(ctx, s.id, now)
	if err != nil {
		return nil, err
	}
	if v.Queue != nil {
		later = time.After(server.StandingEvery)
	}
	p := s.d.around(ctx, v)
	next := map[string]string{}
	for name, of := range map[string]any{
		"head": p, "cards": p, "queue": p, "side": p, "activity": activity{p, s.doing()},
	} {
		html, err := s.d.fragment(name, of)
		if err != nil {
			return nil, err
		}
		if s.panel.html[name] != html {
			next[name] = html
		}
	}
	if len(next) == 0 && s.panel.title == p.title() {
		return later, nil
	}
	s.Tell(func() { err = s.panel.change(p.title(), next) })
	return later, err
}

// change takes the parts that are new.
func (p *parts) change(title string, next map[string]string) (err error) {
	if p.html == nil {
		p.html, p.since = map[string]string{}, map[string]int64{}
	}
	p.version++
	p.title = title
	for name, html := range next {
		p.html[name], p.since[name] = html, p.version
	}
	p.news, err = p.encode(p.version - 1)
	return err
}

// gained is what has changed after a version.
func (p *parts) gained(after int64) (batch, error) {
	switch after {
	case p.version:
		return batch{last: after}, nil
	case p.version - 1:
		return p.news, nil
	}
	return p.encode(after)
}

func (p *parts) encode(after int64) (batch, error) {
	changed := map[string]string{}
	for name, html := range p.html {
		if p.since[name] > after {
			changed[name] = html
		}
	}
	data, err := json.Marshal(map[string]any{"title": p.title, "parts": changed})
	if err != nil {
		return batch{}, fmt.Errorf("encode parts: %w", err)
	}
	return batch{data: data, last: p.version}, nil
}
