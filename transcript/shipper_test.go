package transcript_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A receiver keeps entries as Blaise does: in order, once, known by number. It
// fails as its plan says.
type receiver struct {
	mu    sync.Mutex
	got   []transcript.Entry
	sends int
	plan  func(send int) trouble
}

// trouble is what goes wrong with one Send.
type trouble struct {
	before error         // the entries do not arrive
	after  error         // they do, and the answer is lost
	only   int           // no more than this many are taken
	delay  time.Duration // first
}

func (r *receiver) Send(ctx context.Context, entries []transcript.Entry) (transcript.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sends++
	var p trouble
	if r.plan != nil {
		p = r.plan(r.sends)
	}
	time.Sleep(p.delay)
	if p.before != nil {
		return transcript.Receipt{}, p.before
	}
	take := len(entries)
	if p.only > 0 {
		take = min(p.only, take)
	}
	receipt := transcript.Receipt{Answers: map[int64]json.RawMessage{}}
	for _, e := range entries[:take] {
		switch have := int64(len(r.got)); {
		case e.N > have+1:
			return transcript.Receipt{}, blaise.Errorf(blaise.CodeInvalid, "gap: got %d after %d", e.N, have)
		case e.N == have+1:
			r.got = append(r.got, e)
		}
	}
	receipt.Acked = int64(len(r.got))
	for _, e := range entries {
		if e.Kind == transcript.EntryReport && e.N <= receipt.Acked {
			receipt.Answers[e.N] = fmt.Appendf(nil, `{"to":%d}`, e.N)
		}
	}
	return receipt, p.after
}

func (r *receiver) entries() []transcript.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got
}

func fast(o transcript.ShipperOptions) transcript.ShipperOptions {
	o.BackoffMin, o.BackoffMax = time.Millisecond, 4*time.Millisecond
	if o.Log == nil {
		o.Log = quiet
	}
	return o
}

// ship runs sh until the test ends or it fails.
func ship(t testing.TB, sh *transcript.Shipper) <-chan error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() { ended <- sh.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return ended
}

func TestShipper(t *testing.T) {
	t.Parallel()
	down := errors.New("connection refused")
	plans := map[string]func(int) trouble{
		"a good receiver":               func(int) trouble { return trouble{} },
		"one that is down at times":     func(n int) trouble { return trouble{before: pick(n%3 != 0, down)} },
		"one whose answers are lost":    func(n int) trouble { return trouble{after: pick(n%2 == 0, down)} },
		"one that takes a few only":     func(int) trouble { return trouble{only: 3} },
		"a slow one that takes a few":   func(int) trouble { return trouble{delay: time.Millisecond, only: 20} },
		"one that does all of it badly": func(int) trouble { return badly(down) },
	}
	for name, plan := range plans {
		t.Run(name+" gets everything, in order, once", func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir(), transcript.SpoolOptions{Limit: 32 << 10})
			to := &receiver{plan: plan}
			sh := transcript.NewShipper(s, to, fast(transcript.ShipperOptions{Flush: time.Millisecond, MaxEntries: 40}))
			ship(t, sh)
			r := transcript.NewRecorder(s, "s1.1", nil)
			for i := range 300 {
				if err := r.Append(transcript.New(transcript.KindUpdate, i)); err != nil {
					t.Fatal(err)
				}
				if i%100 == 50 {
					report(t, sh, s)
				}
			}
			if err := sh.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkReceived(t, to, s)
		})
	}
}

func pick(when bool, err error) error {
	if when {
		return err
	}
	return nil
}

func badly(down error) trouble {
	return trouble{
		before: pick(rand.N(4) == 0, down), after: pick(rand.N(4) == 0, down),
		only: rand.N(30), delay: rand.N(time.Millisecond),
	}
}

func report(t *testing.T, sh *transcript.Shipper, s *transcript.Spool) {
	t.Helper()
	answer, err := sh.Report(t.Context(), []byte(`{"report":"open"}`))
	if want := fmt.Sprintf(`{"to":%d}`, s.Last()); err != nil || string(answer) != want {
		t.Errorf("got answer %s (%v), want %s", answer, err, want)
	}
}

func checkReceived(t *testing.T, to *receiver, s *transcript.Spool) {
	t.Helper()
	var d transcript.Digest
	got := to.entries()
	for i, e := range got {
		if e.N != int64(i)+1 {
			t.Fatalf("entry %d has number %d", i+1, e.N)
		}
		if e.Kind == transcript.EntryEvent {
			d.Add(e.Data)
		}
	}
	count, sum := d.Sum()
	if wantCount, wantSum := s.Digest(); len(got) != 303 || count != wantCount || sum != wantSum {
		t.Errorf("got %d entries, digest %d %s, want %d %s", len(got), count, sum, wantCount, wantSum)
	}
}

func TestShipperStops(t *testing.T) {
	t.Parallel()
	for _, code := range []blaise.Code{blaise.CodeStale, blaise.CodeInvalid, blaise.CodeRefused} {
		t.Run("when the receiver says "+string(code), func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir(), transcript.SpoolOptions{})
			said := blaise.Errorf(code, "no")
			to := &receiver{plan: func(int) trouble { return trouble{before: fmt.Errorf("post: %w", said)} }}
			sh := transcript.NewShipper(s, to, fast(transcript.ShipperOptions{}))
			ended := ship(t, sh)
			if _, err := sh.Report(t.Context(), []byte(`1`)); !errors.Is(err, said) {
				t.Errorf("Report: got %v", err)
			}
			if err := sh.Drain(t.Context()); !errors.Is(err, said) {
				t.Errorf("Drain: got %v", err)
			}
			if err := <-ended; !errors.Is(err, said) {
				t.Errorf("Run: got %v", err)
			}
		})
	}
	t.Run("when its context ends, and may go on", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{})
		to := &receiver{}
		sh := transcript.NewShipper(s, to, fast(transcript.ShipperOptions{}))
		cause := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if err := sh.Run(ctx); !errors.Is(err, cause) {
			t.Errorf("got %v, want %v", err, cause)
		}
		add(t, s, transcript.EntryEvent, `1`)
		ship(t, sh)
		if err := sh.Drain(t.Context()); err != nil || len(to.entries()) != 1 {
			t.Errorf("got %v, %d entries", err, len(to.entries()))
		}
	})
}

func TestShipperBatches(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), transcript.SpoolOptions{})
	to := &receiver{}
	sh := transcript.NewShipper(s, to, fast(transcript.ShipperOptions{Flush: time.Hour}))
	ship(t, sh)
	add(t, s, transcript.EntryEvent, `1`)
	time.Sleep(20 * time.Millisecond)
	if n := len(to.entries()); n != 0 {
		t.Errorf("%d entries left before the flush", n)
	}
	if _, err := sh.Report(t.Context(), []byte(`2`)); err != nil { // does not wait an hour
		t.Error(err)
	}
	for range 200 {
		add(t, s, transcript.EntryEvent, `3`)
	}
	for limit := time.Now().Add(5 * time.Second); len(to.entries()) < 202; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("a full batch waits")
		}
	}
	if to.sends > 3 {
		t.Errorf("got %d sends, want at most 3", to.sends)
	}
}

func TestShipperLogsAnOutageOnce(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	to := &receiver{plan: func(n int) trouble { return trouble{before: pick(n < 5, errors.New("down"))} }}
	s := open(t, t.TempDir(), transcript.SpoolOptions{})
	sh := transcript.NewShipper(s, to, fast(transcript.ShipperOptions{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	}))
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- sh.Run(ctx) }()
	if _, err := sh.Report(t.Context(), []byte(`1`)); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-ended
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "down") || !strings.Contains(lines[1], "again") {
		t.Errorf("got %q", lines)
	}
}
