package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// event is an entry with a transcript event.
func event(n int64, run blaise.RunID, text string) transcript.Entry {
	e := transcript.New(transcript.KindNotice, map[string]string{"text": text})
	e.N, e.At, e.Run = n, time.Unix(1e9+n, 0).UTC(), string(run)
	b, _ := json.Marshal(e)
	return transcript.Entry{N: n, Kind: transcript.EntryEvent, Data: b}
}

func report(n int64, r api.Report) transcript.Entry {
	b, _ := json.Marshal(r)
	return transcript.Entry{N: n, Kind: transcript.EntryReport, Data: b}
}

// connected is a session with a run that has connected.
func (h *house) connected() (api.Posted, api.Lease, *api.Client) {
	h.t.Helper()
	p := h.start("hello")
	l, run := h.take(h.runner())
	if _, err := run.Connect(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	return p, l, run
}

func within[T any](t *testing.T, ch <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("no " + what)
		panic("unreachable")
	}
}

func TestOutbox(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, l, run := h.connected()
	send := func(entries ...transcript.Entry) transcript.Receipt {
		t.Helper()
		r, err := run.Send(t.Context(), entries)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := []transcript.Entry{
		event(1, l.Run, "one"), event(2, l.Run, "two"),
		report(3, api.Report{Event: blaise.EventOpened, Plugs: []blaise.PlugRecord{{ID: "src", Use: "worktree", Opened: true, Resumable: true}}}),
	}
	r := send(first...)
	if r.Acked != 3 || len(r.Answers) != 1 {
		t.Errorf("receipt %+v", r)
	}
	again := send(first...)
	if again.Acked != 3 || string(again.Answers[3]) != string(r.Answers[3]) {
		t.Errorf("sent again: %+v, at first %+v", again, r)
	}
	// Reports have numbers of the spool between the events': theirs have not.
	e := event(3, l.Run, "three")
	e.N = 4
	send(first[2], e)
	var texts []string
	err := h.user.Transcript(t.Context(), p.Session, 0, func(e transcript.Event) error {
		if e.Run == string(l.Run) {
			var d struct{ Text string }
			_ = json.Unmarshal(e.Data, &d)
			texts = append(texts, d.Text)
		}
		return nil
	})
	if got := strings.Join(texts, " "); err != nil || got != "one two three" {
		t.Errorf("recorded %q, %v", got, err)
	}
	s, err := h.user.Session(t.Context(), p.Session)
	if err != nil || s.Environment.State != blaise.EnvOpen || len(s.Environment.Plugs) != 1 || s.Environment.Meaning == "" {
		t.Errorf("environment %+v, %v", s.Environment, err)
	}
	t.Run("what is no entry is refused", func(t *testing.T) {
		for _, bad := range [][]transcript.Entry{
			{{N: 5, Kind: "event", Data: json.RawMessage(`[]`)}},
			{{N: 5, Kind: "event", Data: json.RawMessage(`{"kind":"notice"}`)}},
			{{N: 5, Kind: "song", Data: json.RawMessage(`{}`)}},
			{event(9, l.Run, "a gap")},
			{event(4, "other.1", "another's")},
		} {
			_, err := run.Send(t.Context(), bad)
			code(t, err, blaise.CodeInvalid)
		}
	})
	t.Run("a part is acknowledged", func(t *testing.T) {
		good, bad := event(4, l.Run, "four"), event(9, l.Run, "gap")
		good.N, bad.N = 5, 7
		rep := report(6, api.Report{Event: blaise.EventProgress})
		got := send(good, rep, bad)
		if got.Acked != 6 {
			t.Errorf("acked %d, want 6", got.Acked)
		}
	})
	t.Run("a state is kept", func(t *testing.T) {
		send(report(7, api.Report{Event: api.EventStateSaved, Plug: "src", State: []byte("x")}))
		b, err := run.PlugState(t.Context(), "src")
		if err != nil || string(b) != "x" {
			t.Errorf("%q, %v", b, err)
		}
		if b, err := run.PlugState(t.Context(), "none"); err != nil || b != nil {
			t.Errorf("of a plug that saved nothing: %q, %v", b, err)
		}
	})
}

// TestWholeRecord holds that Blaise computes the digest that the spool does.
func TestWholeRecord(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, l, run := h.connected()
	spool, err := transcript.OpenSpool(t.TempDir(), transcript.SpoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	rec := transcript.NewRecorder(spool, string(l.Run), nil)
	for i := range 5 {
		if err := rec.Append(transcript.New(transcript.KindNotice, map[string]string{"text": fmt.Sprintf("<%d> & ü", i)})); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := spool.Read(1, 100, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	n, digest := spool.Digest()
	entries = append(entries, report(n+1, api.Report{Event: blaise.EventProgress, Count: n, Digest: digest}))
	if _, err := run.Send(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	err = h.user.Transcript(t.Context(), p.Session, 0, func(e transcript.Event) error {
		if e.Kind == transcript.KindGap {
			return errors.New(string(e.Data))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDirectives(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, l, run := h.connected()
	got := make(chan api.Directives, 10)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run.FollowDirectives(ctx, 0, func(d api.Directives) error { got <- d; return nil })
	}()
	open(t, run)
	d := within(t, got, "prompt")
	if len(d.Directives) != 1 || d.Directives[0].Kind != blaise.DirectivePrompt || d.Directives[0].Text != "hello" {
		t.Fatalf("directives %+v", d)
	}
	n := d.Directives[0].N
	if r, err := run.Received(t.Context(), n); err != nil || r.Verdict == blaise.VerdictVoid {
		t.Fatalf("%+v, %v", r, err)
	}
	if c, err := run.Claim(t.Context(), d.Directives[0].Message); err != nil || c.Turn != 0 && c.Turn != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	b, err := run.Beat(t.Context(), api.Beat{})
	if err != nil || b.Directive != n {
		t.Errorf("beat %+v, %v, want directive %d", b, err, n)
	}
	t.Run("goes on after the last", func(t *testing.T) {
		resp := h.request("GET", "/api/run/directives/stream", l.Token, "", "Last-Event-ID", fmt.Sprint(n))
		r := bufio.NewReader(resp.Body)
		line, err := r.ReadString('\n')
		if err != nil || line != "event: ping\n" {
			t.Errorf("the stream begins with %q, %v", line, err)
		}
		if err := h.user.Cancel(t.Context(), p.Session, "enough"); err != nil {
			t.Fatal(err)
		}
		for line != "" && !strings.HasPrefix(line, "id: ") {
			if line, err = r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		if line != fmt.Sprintf("id: %d\n", n+1) {
			t.Errorf("then comes %q", line)
		}
	})
	if d := within(t, got, "cancel"); d.Directives[0].Kind != blaise.DirectiveCancel {
		t.Errorf("%+v", d)
	}
	cancel()
	if err := within(t, ended, "end"); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func open(t *testing.T, run *api.Client) {
	t.Helper()
	if _, err := run.Send(t.Context(), []transcript.Entry{report(1, api.Report{Event: blaise.EventOpened})}); err != nil {
		t.Fatal(err)
	}
}

// TestStopIsTakenBack is A18: an end that no run received has changed nothing,
// and the run that comes late is told so.
func TestStopIsTakenBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, _, run := h.connected()
	code(t, h.user.End(t.Context(), p.Session, ""), blaise.CodeUnreachable)
	s, err := h.user.Session(t.Context(), p.Session)
	if err != nil || s.State == blaise.SessionEnded {
		t.Fatalf("%s, %v", s.State, err)
	}
	b, err := run.Beat(t.Context(), api.Beat{})
	if err != nil {
		t.Fatal(err)
	}
	for n := int64(1); n <= b.Directive; n++ {
		if r, err := run.Received(t.Context(), n); err != nil || r.Verdict != blaise.VerdictVoid {
			t.Errorf("directive %d: %+v, %v", n, r, err)
		}
	}
	d, err := run.Directives(t.Context(), 0, 0)
	if err != nil || len(d.Directives) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

// blocking is a proxy that holds streams back, as some do.
func blocking(t *testing.T, to string, streams *atomic.Int64) *httptest.Server {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(u)
		r.Out.Host = u.Host
	}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stream") {
			streams.Add(1)
			<-r.Context().Done()
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestPolling(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, l, run := h.connected()
	var streams atomic.Int64
	s := blocking(t, h.server.URL, &streams)
	o := api.ClientOptions{HTTP: s.Client(), FirstEvent: 100 * time.Millisecond, Poll: 300 * time.Millisecond}
	got := make(chan api.Directives, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_ = api.NewClient(s.URL, l.Token, o).FollowDirectives(ctx, 0, func(d api.Directives) error { got <- d; return nil })
	}()
	followed := make(chan api.Followed, 100)
	go func() {
		_ = api.NewClient(s.URL, h.token, o).Follow(ctx, p.Session, 0, func(f api.Followed) error { followed <- f; return nil })
	}()
	open(t, run)
	if d := within(t, got, "prompt by polling"); len(d.Directives) != 1 {
		t.Errorf("%+v", d)
	}
	if _, err := run.Send(t.Context(), []transcript.Entry{{N: 2, Kind: "event", Data: event(1, l.Run, "seen").Data}}); err != nil {
		t.Fatal(err)
	}
	for {
		f := within(t, followed, "event by polling")
		if f.Event != nil && strings.Contains(string(f.Event.Data), "seen") {
			break
		}
	}
	if streams.Load() == 0 {
		t.Error("no stream was tried")
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, l, run := h.connected()
	followed := make(chan api.Followed, 100)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_ = h.user.Follow(ctx, p.Session, 0, func(f api.Followed) error { followed <- f; return nil })
	}()
	if f := within(t, followed, "session"); f.Session == nil || f.Session.ID != p.Session {
		t.Fatalf("first comes %+v", f)
	}
	if _, err := run.Send(t.Context(), []transcript.Entry{event(1, l.Run, "one"), event(2, l.Run, "two")}); err != nil {
		t.Fatal(err)
	}
	var last int64
	for {
		f := within(t, followed, "event")
		if f.Event != nil {
			if f.Event.Seq != last+1 {
				t.Errorf("event %d follows %d", f.Event.Seq, last)
			}
			last = f.Event.Seq
			if strings.Contains(string(f.Event.Data), "two") {
				break
			}
		}
	}
	h.server.CloseClientConnections() // an outage: it goes on where it was
	resend(t, run, event(3, l.Run, "three"))
	for {
		f := within(t, followed, "event after the outage")
		if f.Event == nil {
			continue
		}
		if f.Event.Seq != last+1 {
			t.Errorf("event %d follows %d", f.Event.Seq, last)
		}
		last = f.Event.Seq
		if strings.Contains(string(f.Event.Data), "three") {
			return
		}
	}
}

// TestFollowEnds holds that a refusal ends a follower, and an outage does not.
func TestFollowEnds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	err := h.user.Follow(t.Context(), "zzzzzzzz", 0, func(api.Followed) error { return nil })
	code(t, err, blaise.CodeNotFound)
	p := h.start("hello")
	stop := io.ErrUnexpectedEOF
	if err := h.user.Follow(t.Context(), p.Session, 0, func(api.Followed) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want fn's error", err)
	}
	_, run := h.take(h.runner())
	if _, err := run.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.FollowDirectives(t.Context(), 0, func(api.Directives) error { return nil }) }()
	if err := h.user.Lost(t.Context(), p.Session.Run(1), "gone"); err != nil {
		t.Fatal(err)
	}
	code(t, within(t, ended, "end of a lost run's stream"), blaise.CodeStale)
	_, err = run.Beat(t.Context(), api.Beat{})
	code(t, err, blaise.CodeStale)
	_, err = run.Send(t.Context(), []transcript.Entry{event(1, p.Session.Run(1), "late")})
	code(t, err, blaise.CodeStale)
}

// resend sends until Blaise is reached.
func resend(t *testing.T, run *api.Client, entries ...transcript.Entry) {
	t.Helper()
	for range 20 {
		_, err := run.Send(t.Context(), entries)
		if err == nil {
			return
		}
		code(t, err, blaise.CodeUnreachable)
	}
	t.Fatal("nothing was sent")
}
