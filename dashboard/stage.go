package dashboard

import (
	"context"
	"encoding/json"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/hall"
	"blaise.dev/blaise/internal/syntax"
)

const (
	// flushEvery is how often a conversation is read and sent at most: quick to
	// the eye. A long bubble is sent whole again for every few words, so that
	// each flushBytes take as long again, up to flushMost.
	flushEvery = 20 * time.Millisecond
	flushBytes = 8 << 10
	flushMost  = 250 * time.Millisecond
	panelEvery = 250 * time.Millisecond
	liveBatch  = 500
)

// A stage shows a session as it changes to all whose pages begin at the same
// event: items of the conversation, and the parts around it.
type stage struct {
	d  *dashboard
	id blaise.SessionID

	hall.Board // guards what follows
	talk       *conversation
	before     int64 // seq of the last event before the last look
	items      batch // what came by it, if somebody asked
	panel      parts
}

// A stageKey is what those have in common who are shown the same.
type stageKey struct {
	id   blaise.SessionID
	from int64
}

// newStage returns one whose conversation begins after an event: what is joined
// to an item must know its beginning.
func (d *dashboard) newStage(k stageKey) *stage {
	s := &stage{d: d, id: k.id, talk: newConversation()}
	s.talk.last = k.from
	return s
}

// A batch is the data of an event, nil for none, and up to where it goes.
type batch struct {
	data []byte
	last int64
}

// Run follows the session.
func (s *stage) Run(ctx context.Context) {
	woken, leave := s.d.control.Hub().Follow(control.TopicSession(s.id))
	defer leave()
	var read time.Time // when the panel was read last
	for {
		began := time.Now()
		err := s.look(ctx)
		var later <-chan time.Time
		if wait := panelEvery - began.Sub(read); wait > 0 {
			later = time.After(wait)
		} else if err == nil {
			read = began
			later, err = s.lookAround(ctx, began)
		}
		if err != nil {
			s.Fail(err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-woken:
		case <-later:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.pace() - time.Since(began)): // more of the same comes
		}
	}
}

// look reads what the conversation gained.
func (s *stage) look(ctx context.Context) error {
	for {
		list, err := s.d.control.Events(ctx, s.id, s.talk.last, liveBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		s.Tell(func() {
			s.before, s.items = s.talk.last, batch{}
			for _, e := range list {
				s.talk.add(e)
			}
		})
		if len(list) < liveBatch {
			return nil
		}
	}
}

// doing is what the agent does.
func (s *stage) doing() string {
	s.Lock()
	defer s.Unlock()
	return s.talk.doing()
}

// pace is how long it is at least from one look to the next.
func (s *stage) pace() time.Duration {
	s.Lock()
	defer s.Unlock()
	return min(flushMost, flushEvery*time.Duration(1+len(s.items.data)/flushBytes))
}

// gained is what the conversation has gained after an event. Most have seen all
// there was before the last look, and get the same.
func (s *stage) gained(after int64) (batch, error) {
	switch {
	case after >= s.talk.last:
		return batch{last: after}, nil
	case after == s.before && s.items.data != nil:
		return s.items, nil
	}
	data, err := s.encode(after)
	b := batch{last: s.talk.last, data: data}
	if after == s.before && err == nil {
		s.items = b
	}
	return b, err
}

// encode renders the items that were touched after an event, each once however
// many are to see it.
func (s *stage) encode(after int64) ([]byte, error) {
	b, colours := []byte{'['}, syntax.NewBudget(time.Now)
	for n, i := range s.talk.since(after) {
		if i.sent == nil {
			i.colours = colours
			html, err := s.d.fragment("item", i)
			if err != nil {
				return nil, err
			}
			if i.sent, err = json.Marshal(map[string]string{"id": i.ID(), "html": html}); err != nil {
				return nil, err
			}
		}
		if n > 0 {
			b = append(b, ',')
		}
		b = append(b, i.sent...)
	}
	return append(b, ']'), nil
}
