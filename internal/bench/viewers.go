package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"blaise.dev/blaise/transcript"
)

const (
	viewersMany = 200
	marks       = 300
	markEvery   = 25 * time.Millisecond // as quickly as models speak
	marksTurn   = 60                    // after so many another message begins
)

// viewers measures how long what an agent says is on its way until each of many
// has it: recorded, spooled, shipped, kept, and sent to browsers and to those
// who watch from a terminal.
func viewers(ctx context.Context, o options) ([]row, error) {
	floor, err := bareViewers(ctx)
	if err != nil {
		return nil, err
	}
	s, err := startServed(ctx, o, "viewers", nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var rows []row
	for _, way := range []struct{ what, path string }{
		{"event to browser", "live"}, {"event to `blaise watch`", "stream"},
	} {
		took, err := s.watched(ctx, o, way.path)
		if err != nil {
			return nil, err
		}
		for _, q := range []float64{0.5, 0.99} {
			rows = append(rows, row{
				name: fmt.Sprintf("%s, %d of them, p%.0f", way.what, viewersMany, q*100),
				got:  quantile(took, q), floor: quantile(floor, q), limit: 100, unit: "ms",
			})
		}
	}
	return rows, nil
}

// watched lets a run speak to many who follow its session.
func (s *served) watched(ctx context.Context, o options, path string) ([]time.Duration, error) {
	l, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	address := fmt.Sprintf("/sessions/%s/live?from=0&start=0", l.session)
	if path == "stream" {
		address = fmt.Sprintf("/api/sessions/%s/stream", l.session)
	}
	a := audience{open: func(ctx context.Context) (*http.Response, error) { return s.open(ctx, address) }}
	spool, err := transcript.OpenSpool(filepath.Join(o.tmp, "viewers-"+path), transcript.SpoolOptions{})
	if err != nil {
		return nil, err
	}
	defer spool.Close()
	return a.hear(ctx, func() error {
		return l.ship(ctx, spool, func(r *transcript.Recorder) error {
			return a.speak(func(n int) error {
				e := chunk(fmt.Sprintf("mark-%d is said, ", n))
				e.Turn = string(l.session.Message(1 + n/marksTurn))
				return r.Append(e)
			})
		})
	})
}

// An audience is many who follow the same stream, and when each mark was said
// and heard.
type audience struct {
	open func(ctx context.Context) (*http.Response, error)
	mu   sync.Mutex // guards what follows
	said [marks]time.Time
	took []time.Duration
}

// hear lets all listen while talk talks, and answers how long each mark took to
// each of them.
func (a *audience) hear(ctx context.Context, talk func() error) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var listening sync.WaitGroup
	ready, errs := make(chan struct{}, viewersMany), make(chan error, viewersMany)
	for range viewersMany {
		listening.Go(func() { errs <- a.listen(ctx, ready) })
	}
	for range viewersMany {
		select {
		case <-ready:
		case err := <-errs:
			cancel()
			listening.Wait()
			return nil, fmt.Errorf("listen: %w", err)
		}
	}
	if err := talk(); err != nil {
		cancel()
		listening.Wait()
		return nil, err
	}
	listening.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return nil, fmt.Errorf("listen: %w", err)
		}
	}
	return a.took, nil
}

// speak says the marks one after the other.
func (a *audience) speak(say func(n int) error) error {
	next := time.NewTicker(markEvery)
	defer next.Stop()
	for n := range marks {
		<-next.C
		a.mu.Lock()
		a.said[n] = time.Now()
		a.mu.Unlock()
		if err := say(n); err != nil {
			return err
		}
	}
	return nil
}

var markForm = regexp.MustCompile(`mark-(\d+) is said`)

// listen follows until the last mark.
func (a *audience) listen(ctx context.Context, ready chan<- struct{}) error {
	resp, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	heard := 0
	for first := true; heard < marks; first = false {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		if first {
			ready <- struct{}{}
		}
		at := bytes.LastIndex(line, []byte("mark-"))
		if at < 0 {
			continue
		}
		found := markForm.FindSubmatch(line[at:])
		if found == nil {
			return fmt.Errorf("read mark: %q", line[at:])
		}
		n, _ := strconv.Atoi(string(found[1]))
		a.note(heard, n+1)
		heard = max(heard, n+1)
	}
	return nil
}

func (a *audience) note(from, to int) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	for n := from; n < to; n++ {
		a.took = append(a.took, now.Sub(a.said[n]))
	}
}

// bareViewers is the least it can take: a handler that writes each mark to as
// many as follow.
func bareViewers(ctx context.Context) ([]time.Duration, error) {
	var mu sync.Mutex // guards following
	var following []chan string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lines := make(chan string, marks)
		mu.Lock()
		following = append(following, lines)
		mu.Unlock()
		for line := "\n"; ; {
			_, _ = w.Write([]byte(line)) // who asked is gone: so is the context
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case line = <-lines:
			}
		}
	}))
	defer h.Close()
	a := audience{open: func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL, nil)
		if err != nil {
			return nil, err
		}
		return h.Client().Do(req)
	}}
	return a.hear(ctx, func() error {
		return a.speak(func(n int) error {
			mu.Lock()
			defer mu.Unlock()
			for _, lines := range following {
				lines <- fmt.Sprintf("mark-%d is said\n", n)
			}
			return nil
		})
	})
}
