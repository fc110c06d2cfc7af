package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/hall"
	"blaise.dev/blaise/server"
)

// listEvery is how often a list is read again at most while sessions change.
const listEvery = time.Second

// A roll shows a list of sessions as it changes to all who chose the same.
type roll struct {
	d      *dashboard
	filter api.SessionFilter

	hall.Board        // guards what follows
	data       []byte // of the event, nil before the first
}

func (d *dashboard) newRoll(f api.SessionFilter) *roll {
	return &roll{d: d, filter: f}
}

// Run follows sessions.
func (l *roll) Run(ctx context.Context) {
	woken, leave := l.d.control.Hub().Follow(control.TopicSessions)
	defer leave()
	shown := ""
	for {
		html, data, later, err := l.read(ctx)
		if err != nil {
			l.Fail(err)
			return
		}
		if html != shown {
			shown = html
			l.Tell(func() { l.data = data })
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
		case <-time.After(listEvery):
		}
	}
}

// read reads the list. later is when to look without being woken: a runner comes
// and goes without a session that changes.
func (l *roll) read(ctx context.Context) (html string, data []byte, later <-chan time.Time, err error) {
	p, err := l.d.listOf(ctx, l.filter)
	if err != nil {
		return "", nil, nil, err
	}
	if html, err = l.d.fragment("list", p); err != nil {
		return "", nil, nil, err
	}
	if slices.ContainsFunc(p.Rest, func(s api.Summary) bool { return s.Queue != nil }) {
		later = time.After(server.StandingEvery)
	}
	data, err = json.Marshal(map[string]any{"html": html, "needs": len(p.Needs), "waits": p.Waits()})
	return html, data, later, err
}

// now is the list as it is, nil before it was read, and what wakes who has it
// when it is another.
func (l *roll) now() (data []byte, more <-chan struct{}, err error) {
	l.Lock()
	defer l.Unlock()
	more, err = l.More()
	return l.data, more, err
}

// listLive sends the list again when sessions change.
func (d *dashboard) listLive(w http.ResponseWriter, r *http.Request) {
	ctx, leaveUser := d.control.Allowed(r.Context(), d.o.User(r))
	defer leaveUser()
	ev, err := api.NewEventWriter(w, keepAlive)
	defer ev.Close()
	f := filterOf(r)
	l, leave := d.rolls.Enter(ctx, f, d.newRoll(f))
	defer leave()
	for err == nil {
		data, more, failed := l.now()
		if failed != nil {
			return // the browser comes back
		}
		if data != nil {
			err = ev.Raw("", "list", data)
		}
		if err == nil {
			err = ev.Wait(ctx, more, nil)
		}
	}
}
