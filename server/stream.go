package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/transcript"
)

func (s *Server) streamRoutes() {
	stream(s, route{
		id: "directives-stream", method: http.MethodGet, path: "/api/run/directives/stream", kind: kindRun,
		says: "Directives as they are issued or taken back",
	}, s.directivesStream)
	stream(s, route{
		id: "session-stream", method: http.MethodGet, path: "/api/sessions/{id}/stream", user: control.RoleViewer,
		says: "A session and its transcript as they change",
	}, s.sessionStream)
	handle(s, route{
		id: "session-follow", method: http.MethodGet, path: "/api/sessions/{id}/follow", user: control.RoleViewer,
		says: "The polling form of the session's stream",
	}, s.sessionFollow)
	s.eventRoute()
	handle(s, route{
		id: "get-transcript", method: http.MethodGet, path: "/api/sessions/{id}/transcript", user: control.RoleViewer,
		says: "A part of a session's transcript",
	}, s.transcript)
}

type directivesStreamIn struct {
	After int64  `query:"after" doc:"the highest number known"`
	Last  string `header:"Last-Event-ID"`
}

// directivesStream sends what is new since the last look: directives above
// after, and those of them that were taken back.
func (s *Server) directivesStream(ctx context.Context, in *directivesStreamIn, ev *api.EventWriter) error {
	run := callerOf(ctx).run
	woken, leave := s.control.Hub().Follow(control.TopicRun(run.ID))
	defer leave()
	from := after(in.After, in.Last)
	seen := directivesSeen{last: from, sent: map[int64]bool{}, void: map[int64]bool{}}
	for {
		run, err := s.control.RunOf(ctx, run.ID)
		if err != nil {
			return err
		}
		if run.Final() {
			return s.afterEnd(ctx, run, ev)
		}
		open, gone, err := s.control.Directives(ctx, run, from, 0)
		if err != nil {
			return err
		}
		if d := seen.news(open, gone); len(d.Directives)+len(d.Void) > 0 {
			if err := ev.Send(strconv.FormatInt(seen.last, 10), "directives", d); err != nil {
				return err
			}
		}
		if err := ev.Wait(ctx, woken, nil); err != nil {
			return err
		}
	}
}

// lastWords is how long a run that has ended itself may take to hear that its
// last report was taken, before its stream says that the lease is stale.
const lastWords = 5 * time.Second

func (s *Server) afterEnd(ctx context.Context, run blaise.Run, ev *api.EventWriter) error {
	if run.Outcome != blaise.RunLost {
		if err := ev.Wait(ctx, nil, time.After(lastWords)); err != nil {
			return err
		}
	}
	return alive(run)
}

// directivesSeen is what one subscription has been sent.
type directivesSeen struct {
	last       int64
	sent, void map[int64]bool
}

func (d *directivesSeen) news(open []blaise.Directive, gone []int64) api.Directives {
	out := api.Directives{Directives: []blaise.Directive{}}
	for _, x := range open {
		if !d.sent[x.N] {
			d.sent[x.N], d.last = true, max(d.last, x.N)
			out.Directives = append(out.Directives, x)
		}
	}
	for _, n := range gone {
		if !d.void[n] {
			d.void[n] = true
			out.Void = append(out.Void, n)
		}
	}
	return out
}

// pageEvents and pageBytes bound one reading of a transcript.
const (
	pageEvents = 500
	pageBytes  = 8 << 20
)

type followIn struct {
	SessionPath
	After int64  `query:"after" doc:"the seq of the last event known"`
	Wait  string `query:"wait" doc:"a duration such as 25s, the most there is"`
}

func (s *Server) sessionFollow(ctx context.Context, in *followIn) ([]api.Followed, error) {
	wait, err := waiting(in.Wait)
	if err != nil {
		return nil, err
	}
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	woken, leave := s.control.Hub().Follow(control.TopicSession(id))
	defer leave()
	page, err := s.page(ctx, id, in.After, pageEvents)
	if err == nil && len(page.Events) == 0 {
		if err = s.sleep(ctx, woken, wait); err == nil {
			page, err = s.page(ctx, id, in.After, pageEvents)
		}
	}
	if err != nil {
		return nil, err
	}
	view, err := s.views.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	view = cut(view)
	out := []api.Followed{{Session: &view}}
	for i := range page.Events {
		out = append(out, api.Followed{Event: &page.Events[i]})
	}
	return out, nil
}

// sleep is over early for whom there is nothing to wait for any more.
func (s *Server) sleep(ctx context.Context, woken <-chan struct{}, wait time.Duration) error {
	ctx, leave := s.control.Allowed(ctx, callerOf(ctx).user)
	defer leave()
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-woken:
	case <-t.C:
	}
	return nil
}

type transcriptIn struct {
	SessionPath
	After int64 `query:"after" doc:"the seq of the last event known"`
	Limit int   `query:"limit" doc:"at most 500"`
}

func (s *Server) transcript(ctx context.Context, in *transcriptIn) (api.Transcript, error) {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return api.Transcript{}, err
	}
	limit := in.Limit
	if limit <= 0 || limit > pageEvents {
		limit = pageEvents
	}
	page, err := s.page(ctx, id, in.After, limit)
	if err == nil && len(page.Events) == 0 {
		_, err = s.control.View(ctx, id) // an unknown session has no transcript either
	}
	return page, err
}

// page reads a part of a transcript.
func (s *Server) page(ctx context.Context, id blaise.SessionID, after int64, limit int) (api.Transcript, error) {
	list, err := s.control.Events(ctx, id, after, limit)
	if err != nil {
		return api.Transcript{}, err
	}
	out := api.Transcript{Events: list, Last: after, More: len(list) == limit}
	size := 0
	for i, e := range list {
		if size += len(e.Data); size > pageBytes && i > 0 {
			out.Events, out.More = list[:i], true
			break
		}
		out.Last = e.Seq
	}
	if out.Events == nil {
		out.Events = []transcript.Event{} // null would not be a page
	}
	return out, nil
}
