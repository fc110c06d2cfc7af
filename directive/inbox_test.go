package directive_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/directive"
)

func prompt(n int64) blaise.Directive {
	return blaise.Directive{N: n, Kind: blaise.DirectivePrompt}
}

func cancel(n int64) blaise.Directive {
	return blaise.Directive{N: n, Kind: blaise.DirectiveCancel}
}

func answer(n int64) blaise.Directive {
	return blaise.Directive{N: n, Kind: blaise.DirectiveAnswer}
}

func pause(n int64) blaise.Directive {
	return blaise.Directive{N: n, Kind: blaise.DirectiveStop, Stop: &blaise.Stop{MayResume: true}}
}

func end(n int64) blaise.Directive {
	return blaise.Directive{N: n, Kind: blaise.DirectiveStop, Stop: &blaise.Stop{}}
}

// next takes a directive's number, 0 if none may go: Next asks whether its context
// has ended only when it would wait.
func next(t *testing.T, b *directive.Inbox) int64 {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, err := b.Next(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return d.N
}

func TestInboxOrder(t *testing.T) {
	t.Parallel()
	unknown := blaise.Directive{N: 5, Kind: "dance"}
	for _, c := range []struct {
		name string
		put  []blaise.Directive
		want []int64
	}{
		{"a cancel outranks an answer, an answer a prompt",
			[]blaise.Directive{prompt(1), answer(2), cancel(3)}, []int64{3, 2, 1, 0}},
		{"within a rank by number",
			[]blaise.Directive{prompt(3), prompt(1), prompt(2)}, []int64{1, 2, 3, 0}},
		{"a known number is ignored",
			[]blaise.Directive{prompt(1), prompt(1), cancel(1)}, []int64{1, 0}},
		{"an unknown kind goes with the answers",
			[]blaise.Directive{prompt(1), answer(6), unknown}, []int64{5, 6, 1, 0}},
		{"a stop goes before all, and nothing after it",
			[]blaise.Directive{prompt(1), cancel(2), pause(3), answer(4)}, []int64{3, 0}},
		{"a stronger stop replaces a weaker one",
			[]blaise.Directive{pause(1), end(2)}, []int64{2, 0}},
		{"a weaker or equal stop changes nothing",
			[]blaise.Directive{end(1), pause(2), end(3)}, []int64{1, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := directive.NewInbox()
			for _, d := range c.put {
				b.Put(d)
			}
			for _, want := range c.want {
				if got := next(t, b); got != want {
					t.Fatalf("got %d, want %d", got, want)
				}
			}
		})
	}
}

func TestInboxStop(t *testing.T) {
	t.Parallel()
	t.Run("a stronger stop is heard after a weaker one was taken", func(t *testing.T) {
		t.Parallel()
		b := directive.NewInbox()
		b.Put(pause(1))
		if got := next(t, b); got != 1 {
			t.Fatalf("got %d, want 1", got)
		}
		b.Put(prompt(2))
		b.Put(end(3))
		if got := next(t, b); got != 3 {
			t.Errorf("got %d, want 3", got)
		}
		if got := next(t, b); got != 0 {
			t.Errorf("got %d after the stop", got)
		}
	})
	t.Run("a void stop had not been", func(t *testing.T) {
		t.Parallel()
		b := directive.NewInbox()
		b.Put(prompt(1))
		b.Put(pause(2))
		next(t, b)
		b.Void(2)
		if got := next(t, b); got != 1 {
			t.Errorf("got %d, want 1", got)
		}
		b.Put(pause(3))
		if got := next(t, b); got != 3 {
			t.Errorf("got %d, want 3", got)
		}
	})
	t.Run("a weaker stop counts again when the stronger is void", func(t *testing.T) {
		t.Parallel()
		b := directive.NewInbox()
		b.Put(pause(1))
		b.Put(end(2))
		b.Void(2)
		if got := next(t, b); got != 1 {
			t.Errorf("got %d, want 1", got)
		}
	})
	t.Run("what is void before it comes never goes", func(t *testing.T) {
		t.Parallel()
		b := directive.NewInbox()
		b.Put(prompt(1))
		b.Void(1)
		b.Void(2)
		b.Put(end(2))
		if got := next(t, b); got != 0 {
			t.Errorf("got %d", got)
		}
	})
}

func TestInboxNext(t *testing.T) {
	t.Parallel()
	cause := errors.New("interrupted")
	ctx, cancelCause := context.WithCancelCause(t.Context())
	b := directive.NewInbox()
	b.Put(pause(1))
	next(t, b)
	b.Put(prompt(2))
	failed := make(chan error, 1)
	go func() {
		_, err := b.Next(ctx)
		failed <- err
	}()
	cancelCause(cause)
	if err := <-failed; !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
	took := make(chan int64, 1)
	go func() {
		d, _ := b.Next(t.Context())
		took <- d.N
	}()
	b.Put(end(3))
	if n := <-took; n != 3 {
		t.Errorf("got %d, want 3", n)
	}
}

// Every directive is given out once, whoever puts and takes.
func TestInboxConcurrent(t *testing.T) {
	t.Parallel()
	const count = 500
	b := directive.NewInbox()
	ctx, done := context.WithCancel(t.Context())
	defer done()
	var mu sync.Mutex
	seen := map[int64]int{}
	all := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				d, err := b.Next(ctx)
				if err != nil {
					return
				}
				mu.Lock()
				seen[d.N]++
				if len(seen) == count {
					close(all)
				}
				mu.Unlock()
			}
		})
		wg.Go(func() {
			for _, i := range rand.Perm(count) { // each subscription brings them all
				b.Put([]blaise.Directive{prompt(int64(i)), cancel(int64(i)), answer(int64(i))}[i%3])
			}
		})
	}
	<-all
	b.Put(end(count))
	b.Put(prompt(count + 1))
	b.Void(count + 1)
	done()
	wg.Wait()
	for n, times := range seen {
		if times != 1 {
			t.Errorf("directive %d was taken %d times", n, times)
		}
	}
}
