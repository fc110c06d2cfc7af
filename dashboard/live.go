package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"blaise.dev/blaise/api"
)

const keepAlive = 15 * time.Second

// A feed is how much one browser has been sent of a session.
type feed struct {
	stage *stage
	ev    *api.EventWriter
	seq   int64 // of the conversation
	parts int64 // the version of what is around it
}

// live sends fragments as a session changes. from is where the page's window
// begins, start or after the last event that the page shows.
func (d *dashboard) live(w http.ResponseWriter, r *http.Request) {
	ctx, leave := d.control.Allowed(r.Context(), d.o.User(r))
	defer leave()
	id, err := d.views.Find(ctx, r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	sent := max(number(r.URL.Query().Get("start")), number(r.URL.Query().Get("after")),
		number(r.Header.Get("Last-Event-ID")))
	ev, err := api.NewEventWriter(w, keepAlive)
	defer ev.Close()
	if err != nil {
		return
	}
	key := stageKey{id: id, from: max(0, number(r.URL.Query().Get("from"))-1)}
	s, leaveStage := d.stages.Enter(ctx, key, d.newStage(key))
	defer leaveStage()
	f := &feed{stage: s, ev: ev, seq: sent}
	if err := f.run(ctx); !errors.Is(err, api.ErrGone) && ctx.Err() == nil {
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

// run sends until the browser is gone, ctx ends or the stage fails; it says which.
func (f *feed) run(ctx context.Context) error {
	for {
		items, parts, more, err := f.stage.after(f.seq, f.parts)
		if err != nil {
			return err
		}
		if items.data != nil {
			if err := f.ev.Raw(strconv.FormatInt(items.last, 10), "items", items.data); err != nil {
				return err
			}
		}
		if parts.data != nil {
			if err := f.ev.Raw("", "parts", parts.data); err != nil {
				return err
			}
		}
		f.seq, f.parts = items.last, parts.last
		if err := f.ev.Wait(ctx, more, nil); err != nil {
			return err
		}
	}
}

// after is what one who was sent so much is to be sent now, and what wakes him
// when there is more.
func (s *stage) after(seq, version int64) (items, parts batch, more <-chan struct{}, err error) {
	s.Lock()
	defer s.Unlock()
	more, err = s.More()
	if err != nil {
		return items, parts, nil, err
	}
	if items, err = s.gained(seq); err == nil {
		parts, err = s.panel.gained(version)
	}
	return items, parts, more, err
}
