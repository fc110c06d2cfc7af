package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/hall"
	"blaise.dev/blaise/transcript"
)

const (
	// viewEvery is how often a session is read again at most while its transcript
	// grows.
	viewEvery = 150 * time.Millisecond
	// StandingEvery is how often one looks again where a run stands that waits:
	// what happens to others moves it on.
	StandingEvery = 2 * time.Second
	// keptBytes is how much of the latest events is kept for those who follow.
	keptBytes = 1 << 20
)

// A following follows a session for all who stream it: what is new is read and
// encoded once.
type following struct {
	s  *Server
	id blaise.SessionID

	hall.Board         // guards what follows
	last       int64   // seq of the last event read, -1 before the first look
	latest     []batch // the last events, each begins where the one before ends
	size       int     // of their data
	view       []byte  // the session, nil before the first look
	version    int64   // of view
}

// A batch is the events after one, as they are written.
type batch struct {
	after, last int64
	data        []byte
}

func (s *Server) newFollowing(id blaise.SessionID) *following {
	return &following{s: s, id: id, last: -1}
}

// Run follows the session.
func (f *following) Run(ctx context.Context) {
	woken, leave := f.s.control.Hub().Follow(control.TopicSession(f.id))
	defer leave()
	var read time.Time // when the session was read last
	for {
		var later <-chan time.Time
		var err error
		if wait := viewEvery - time.Since(read); wait > 0 {
			later = time.After(wait)
		} else {
			read = time.Now()
			later, err = f.look(ctx, read)
		}
		if err == nil {
			err = f.listen(ctx)
		}
		if err != nil {
			f.Fail(err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-woken:
		case <-later:
		}
	}
}

// look reads the session. later is when to look without being woken.
func (f *following) look(ctx context.Context, now time.Time) (later <-chan time.Time, err error) {
	view, err := f.s.views.Fresh(ctx, f.id, now)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(cut(view))
	if err != nil {
		return nil, fmt.Errorf("encode session: %w", err)
	}
	if !bytes.Equal(b, f.view) {
		f.Tell(func() { f.view, f.version = b, f.version+1 })
	}
	if view.Queue != nil {
		later = time.After(StandingEvery)
	}
	return later, nil
}

// listen reads what the transcript has gained; at first only how long it is.
func (f *following) listen(ctx context.Context) error {
	if f.last < 0 {
		last, err := f.s.control.LastSeq(ctx, f.id)
		if err == nil {
			f.Tell(func() { f.last = last })
		}
		return err
	}
	for n := pageEvents; n == pageEvents; {
		list, err := f.s.control.Events(ctx, f.id, f.last, pageEvents)
		if n = len(list); err != nil || n == 0 {
			return err
		}
		b := batch{after: f.last, last: list[n-1].Seq}
		if b.data, err = written(list); err != nil {
			return err
		}
		f.Tell(func() { f.keep(b) })
	}
	return nil
}

// keep adds a batch, and forgets the oldest for it.
func (f *following) keep(b batch) {
	f.last, f.latest, f.size = b.last, append(f.latest, b), f.size+len(b.data)
	for f.size > keptBytes && len(f.latest) > 1 {
		f.size -= len(f.latest[0].data)
		f.latest = f.latest[1:]
	}
}

// written is events as they are written to a stream.
func written(list []transcript.Event) ([]byte, error) {
	var b []byte
	for _, e := range list {
		data, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("encode event %d: %w", e.Seq, err)
		}
		b = api.AppendEvent(b, strconv.FormatInt(e.Seq, 10), "transcript", data)
	}
	return b, nil
}

// A follower is how much one has been sent of a session.
type follower struct {
	f       *following
	ev      *api.EventWriter
	seq     int64
	version int64
}

type sessionStreamIn struct {
	SessionPath
	After int64  `query:"after" doc:"the seq of the last event known"`
	Last  string `header:"Last-Event-ID"`
}

func (s *Server) sessionStream(ctx context.Context, in *sessionStreamIn, ev *api.EventWriter) error {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return err
	}
	f, leave := s.followed.Enter(ctx, id, s.newFollowing(id))
	defer leave()
	w := follower{f: f, ev: ev, seq: after(in.After, in.Last)}
	for {
		more, err := w.send(ctx)
		if err != nil {
			return err
		}
		if err := ev.Wait(ctx, more, nil); err != nil {
			return err
		}
	}
}

// send sends the session and then the events that are new to the follower, and
// answers what wakes him when there is more.
func (w *follower) send(ctx context.Context) (more <-chan struct{}, err error) {
	for {
		f := w.f
		f.Lock()
		view, version, last, next := f.view, f.version, f.last, f.next(w.seq)
		more, err = f.More()
		f.Unlock()
		if err != nil || view == nil {
			return more, err
		}
		if version != w.version {
			if err := w.ev.Raw("", "session", view); err != nil {
				return nil, err
			}
			w.version = version
		}
		if w.seq >= last {
			return more, nil
		}
		if next.data == nil {
			if next, err = w.read(ctx); err != nil || next.data == nil {
				return more, err
			}
		}
		if err := w.ev.Write(next.data); err != nil {
			return nil, err
		}
		w.seq = next.last
	}
}

// next is the batch after an event, none if it is not kept.
func (f *following) next(after int64) batch {
	for _, b := range f.latest {
		if b.after == after {
			return b
		}
	}
	return batch{}
}

// read is the batch for one who is further behind than is kept.
func (w *follower) read(ctx context.Context) (batch, error) {
	list, err := w.f.s.control.Events(ctx, w.f.id, w.seq, pageEvents)
	if err != nil || len(list) == 0 {
		return batch{}, err
	}
	data, err := written(list)
	return batch{after: w.seq, last: list[len(list)-1].Seq, data: data}, err
}
