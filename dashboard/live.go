package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

const (
	keepAlive = 15 * time.Second
	// flushEvery is how often a growing bubble is sent again at most: quick to
	// the eye, and a long one is not rendered for every word.
	flushEvery = 80 * time.Millisecond
	panelEvery = 250 * time.Millisecond
	liveBatch  = 500
)

// A feed is what one browser has been sent of a session.
type feed struct {
	d     *dashboard
	id    blaise.SessionID
	ev    *api.EventWriter
	talk  *conversation
	parts map[string]string
	title string
	read  time.Time // when the panel was read last
}

// live sends fragments as a session changes: items of the conversation, and
// the parts around it. from is where the page's window begins: what is joined
// to an item there must know its beginning.
func (d *dashboard) live(w http.ResponseWriter, r *http.Request) {
	ctx, leave := d.control.Allowed(r.Context(), d.o.User(r))
	defer leave()
	id, err := d.views.Find(ctx, r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	from := number(r.URL.Query().Get("from"))
	sent := max(number(r.URL.Query().Get("start")), number(r.URL.Query().Get("after")),
		number(r.Header.Get("Last-Event-ID")))
	ev, err := api.NewEventWriter(w, keepAlive)
	defer ev.Close()
	if err != nil {
		return
	}
	f := &feed{d: d, id: id, ev: ev, talk: newConversation(), parts: map[string]string{}}
	if err := f.run(ctx, max(0, from-1), sent); err != nil && !errors.Is(err, api.ErrGone) && ctx.Err() == nil {
		d.o.Log.Error("live page ended", "session", id, "error", err)
	}
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (f *feed) run(ctx context.Context, from, sent int64) error {
	woken, leave := f.d.control.Hub().Follow(control.TopicSession(f.id))
	defer leave()
	f.talk.last = from
	if err := f.catchUp(ctx, sent); err != nil {
		return err
	}
	for {
		if err := f.items(ctx); err != nil {
			return err
		}
		fresh, err := f.around(ctx)
		if err != nil {
			return err
		}
		var later <-chan time.Time
		if !fresh {
			later = time.After(panelEvery)
		}
		if err := f.ev.Wait(ctx, woken, later); err != nil {
			return err
		}
		if err := f.ev.Wait(ctx, nil, time.After(flushEvery)); err != nil { // more of the same comes
			return err
		}
	}
}

// catchUp reads what the page shows already.
func (f *feed) catchUp(ctx context.Context, sent int64) error {
	for f.talk.last < sent {
		list, err := f.d.control.Events(ctx, f.id, f.talk.last, int(min(liveBatch, sent-f.talk.last)))
		if err != nil || len(list) == 0 {
			return err
		}
		for _, e := range list {
			f.talk.add(e)
		}
	}
	f.talk.take()
	return nil
}

// items sends what the conversation gained.
func (f *feed) items(ctx context.Context) error {
	for {
		list, err := f.d.control.Events(ctx, f.id, f.talk.last, liveBatch)
		if err != nil {
			return err
		}
		for _, e := range list {
			f.talk.add(e)
		}
		for _, i := range f.talk.take() {
			html, err := f.d.fragment("item", i)
			if err != nil {
				return err
			}
			seq := strconv.FormatInt(f.talk.last, 10)
			if err := f.ev.Send(seq, "item", map[string]string{"id": i.ID(), "html": html}); err != nil {
				return err
			}
		}
		if len(list) < liveBatch {
			return nil
		}
	}
}

// around sends the parts around the conversation that changed. It is not fresh
// when it was read only a moment ago.
func (f *feed) around(ctx context.Context) (fresh bool, err error) {
	now := time.Now()
	if now.Sub(f.read) < panelEvery {
		return false, nil
	}
	s, err := f.d.views.Fresh(ctx, f.id, now)
	if err != nil {
		return false, err
	}
	f.read = now
	p := f.d.around(ctx, s)
	changed := map[string]string{}
	for _, name := range []string{"head", "cards", "queue", "side"} {
		html, err := f.d.fragment(name, p)
		if err != nil {
			return false, err
		}
		if f.parts[name] != html {
			f.parts[name], changed[name] = html, html
		}
	}
	if len(changed) == 0 && f.title == p.title() {
		return true, nil
	}
	f.title = p.title()
	return true, f.ev.Send("", "parts", map[string]any{"title": f.title, "parts": changed})
}
