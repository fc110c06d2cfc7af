package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// listEvery is how often a list is read again at most while sessions change.
const listEvery = time.Second

// A roll shows a list of sessions as it changes to all who chose the same.
type roll struct {
	d      *dashboard
	filter api.SessionFilter

	mu   sync.Mutex    // guards what follows
	data []byte        // of the event, nil before the first
	more chan struct{} // closed when data or err are others
	err  error
}

func (d *dashboard) newRoll(f api.SessionFilter) *roll {
	return &roll{d: d, filter: f, more: make(chan struct{})}
}

// Run follows sessions.
func (l *roll) Run(ctx context.Context) {
	woken, leave := l.d.control.Hub().Follow(control.TopicSessions)
	defer leave()
	shown := ""
	for {
		html, data, err := l.read(ctx)
		if html != shown || err != nil {
			shown = html
			l.tell(data, err)
		}
		if err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-woken:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(listEvery):
		}
	}
}

func (l *roll) read(ctx context.Context) (html string, data []byte, err error) {
	p, err := l.d.listOf(ctx, l.filter)
	if err != nil {
		return "", nil, err
	}
	if html, err = l.d.fragment("list", p); err != nil {
		return "", nil, err
	}
	data, err = json.Marshal(map[string]any{"html": html, "needs": len(p.Needs), "waits": p.Waits()})
	return html, data, err
}

func (l *roll) tell(data []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data, l.err = data, err
	close(l.more)
	l.more = make(chan struct{})
}

// now is the list as it is, nil before it was read, and what wakes who has it
// when it is another.
func (l *roll) now() (data []byte, more <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data, l.more, l.err
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
