package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/coder/websocket"
)

// shellPatience is how long a run may take to come for a shell.
const shellPatience = 20 * time.Second

// shells are the shells that wait for the end of their run. They live in this
// process alone: a restart of Blaise closes them.
type shells struct {
	mu      sync.Mutex // guards what follows
	waiting map[string]waitingShell
}

type waitingShell struct {
	session blaise.SessionID
	come    chan *api.Shell // takes the run's end, once
	done    chan struct{}   // closed when the shell is
}

func (s *shells) wait(key string, w waitingShell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = map[string]waitingShell{}
	}
	s.waiting[key] = w
}

// take gives a shell to the first that comes for it from a run of its session.
func (s *shells) take(key string, session blaise.SessionID) (waitingShell, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.waiting[key]
	if !ok || session != "" && w.session != session {
		return w, false
	}
	delete(s.waiting, key)
	return w, true
}

// shell is a person's end: it asks the run for the other and joins the two.
func (s *Server) shell(w http.ResponseWriter, r *http.Request) {
	if err := handshake(r); err != nil {
		s.refuse(w, r, err)
		return
	}
	user := callerOf(r.Context()).user
	ctx, leave := s.control.Allowed(r.Context(), user)
	defer leave()
	id, err := s.views.Find(ctx, r.PathValue("id"))
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	key := rand.Text()
	wait := waitingShell{session: id, come: make(chan *api.Shell, 1), done: make(chan struct{})}
	s.shells.wait(key, wait)
	defer s.shells.take(key, "")
	defer close(wait.done)
	e := blaise.Event{Kind: blaise.EventShellAsked, By: user.Name, Key: key, Reason: claimed(r.URL.Query().Get("what"))}
	if err := s.control.OpenShell(ctx, id, e); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		s.refuse(w, r, err)
		return
	}
	e.Kind, e.Reason = blaise.EventShellClosed, "no connection came about"
	if conn, err := websocket.Accept(w, r, nil); err == nil { // else it has answered
		e.Reason = s.joined(ctx, api.NewShell(conn), wait.come)
	}
	if err := s.control.Act(context.WithoutCancel(ctx), id, e); err != nil {
		s.log.Error("end of a shell not recorded", "session", id, "error", err)
	}
}

// joined waits for the run's end, carries what both say, and answers how the
// shell ended.
func (s *Server) joined(ctx context.Context, person *api.Shell, come <-chan *api.Shell) string {
	select {
	case run := <-come:
		return s.relay(ctx, person, run)
	case <-ctx.Done():
		why := cutWords(ctx)
		person.Close(why)
		return why
	case <-time.After(shellPatience):
		why := fmt.Sprintf("its run did not come for it within %s", shellPatience)
		_ = person.Send(ctx, api.ShellExit, api.ShellExited{Code: 1, Error: why})
		person.Close(why)
		return why
	}
}

// relay carries messages both ways, one at a time, until one side goes: who
// reads slowly holds up who writes.
func (s *Server) relay(ctx context.Context, person, run *api.Shell) (why string) {
	allowed := ctx
	ctx, cancel := context.WithCancel(ctx)
	var both sync.WaitGroup
	both.Go(func() {
		defer cancel()
		_ = carry(ctx, person, run, nil)
	})
	both.Go(func() { s.keepAlive(ctx, cancel, person, run) })
	_ = carry(ctx, run, person, func(b []byte) { why = exitWords(b) })
	if why == "" {
		why = cutWords(allowed)
	}
	person.Close(why)
	run.Close(why)
	cancel()
	both.Wait()
	return why
}

func carry(ctx context.Context, from, to *api.Shell, ended func([]byte)) error {
	for {
		kind, body, err := from.Next(ctx)
		if err == nil {
			err = to.Send(ctx, kind, body)
		}
		if err != nil {
			return err
		}
		if kind == api.ShellExit && ended != nil {
			ended(body)
			return nil
		}
	}
}

// keepAlive finds out that a side is gone though its connection is not.
func (s *Server) keepAlive(ctx context.Context, gone func(), sides ...*api.Shell) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.o.KeepAlive):
		}
		for _, side := range sides {
			within, cancel := context.WithTimeout(ctx, 2*s.o.KeepAlive)
			err := side.Ping(within)
			cancel()
			if err != nil {
				gone()
				return
			}
		}
	}
}

// cutWords says how a shell ended whose run did not say it.
func cutWords(ctx context.Context) string {
	if err := context.Cause(ctx); blaise.CodeOf(err) == blaise.CodeDenied {
		return err.Error()
	}
	return "the connection was closed"
}

func exitWords(b []byte) string {
	var x api.ShellExited
	switch err := json.Unmarshal(b, &x); {
	case err != nil:
		return "its run did not say how"
	case x.Error != "":
		return x.Error
	}
	return fmt.Sprintf("exit code %d", x.Code)
}

// joinShell is the run's end.
func (s *Server) joinShell(w http.ResponseWriter, r *http.Request) {
	run := callerOf(r.Context()).run
	err := alive(run)
	if err == nil {
		err = handshake(r)
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	wait, ok := s.shells.take(r.PathValue("key"), run.ID.Session())
	if !ok {
		s.refuse(w, r, blaise.Errorf(blaise.CodeNotFound, "no shell of that name waits"))
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	wait.come <- api.NewShell(conn)
	<-wait.done
}
