package dashboard

import (
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/syntax"
	"blaise.dev/blaise/transcript"
)

const (
	// windowEvents is how many events a page shows at least at first, and more at
	// a time. Windows begin at multiples of it, so that pages that were opened
	// at about the same time begin alike, and are shown the same from then on.
	windowEvents = 200
	// windowMost is how far a window reaches back from there so that nothing in
	// it begins in its middle.
	windowMost = 800
)

// A sessionPage is a session as its page shows it.
type sessionPage struct {
	panel
	Window window
	Key    string // idempotency key of the next message
	Draft  string // what was written when sending failed
}

// A window is a part of a conversation.
type window struct {
	Session blaise.SessionID
	Items   []*item
	First   int64 // seq of its first event, 0 for an empty one
	Last    int64
	After   int64 // where a stream goes on
	doing   string
}

// Activity is what the session does, as the end of the window tells.
func (p sessionPage) Activity() activity { return activity{p.panel, p.Window.doing} }

// More says that there is something before it.
func (w window) More() bool { return w.First > 1 }

func (d *dashboard) session(w http.ResponseWriter, r *http.Request) {
	d.sessionWith(w, r, http.StatusOK, nil, "")
}

// sessionWith shows a session, beside an error if there is one.
func (d *dashboard) sessionWith(w http.ResponseWriter, r *http.Request, status int, f *failure, draft string) {
	id, err := d.views.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	p, err := d.panelOf(r.Context(), id)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	last, err := d.control.LastSeq(r.Context(), id)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	win, err := d.window(r.Context(), id, last)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, status, "session", page{
		Title: p.title(), Nav: "sessions", Error: f,
		Body: sessionPage{panel: p, Window: win, Key: rand.Text(), Draft: draft},
	})
}

// window reads the events up to last: so many, and back to where nothing is
// cut in two if that is near.
func (d *dashboard) window(ctx context.Context, id blaise.SessionID, last int64) (window, error) {
	from := max(0, last-windowEvents) / windowEvents * windowEvents
	least := from - windowMost
	list, err := d.control.Events(ctx, id, from, int(last-from))
	if err != nil {
		return window{}, err
	}
	for len(list) > 0 && from > 0 && !begins(list[0]) && from > least {
		before := max(0, from-windowEvents)
		more, err := d.control.Events(ctx, id, before, int(from-before))
		if err != nil {
			return window{}, err
		}
		cut := 0
		for n := len(more) - 1; n >= 0 && cut == 0; n-- {
			if begins(more[n]) {
				cut = n
			}
		}
		list = append(more[cut:len(more):len(more)], list...)
		from = list[0].Seq - 1
	}
	c := newConversation()
	for _, e := range list {
		c.add(e)
	}
	colours := syntax.NewBudget(time.Now)
	for _, i := range c.items {
		i.colours = colours
	}
	win := window{Session: id, Items: c.items, Last: last, After: last, doing: c.doing()}
	if len(list) > 0 {
		win.First = list[0].Seq
	}
	return win, nil
}

// begins says that nothing goes on from before the event.
func begins(e transcript.Event) bool {
	switch e.Kind {
	case transcript.KindUpdate, transcript.KindOutput, transcript.KindProgress:
		return false
	}
	return true
}

// earlier answers the part of the conversation before a seq.
func (d *dashboard) earlier(w http.ResponseWriter, r *http.Request) {
	before, err := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64)
	if err != nil || before < 1 {
		d.fail(w, r, blaise.Errorf(blaise.CodeInvalid, "before must be the number of an event"))
		return
	}
	id, err := d.views.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	win, err := d.window(r.Context(), id, before-1)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "earlier", page{Body: win})
}

func (d *dashboard) history(w http.ResponseWriter, r *http.Request) {
	id, err := d.views.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	p, err := d.panelOf(r.Context(), id)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	list, err := d.control.History(r.Context(), id, 1000)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "history", page{
		Title: "History · " + p.title(), Nav: "sessions",
		Body: struct {
			panel
			Changes []blaise.Change
		}{p, list},
	})
}
