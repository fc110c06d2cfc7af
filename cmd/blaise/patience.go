package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"blaise.dev/blaise/api"
)

// patience is how long a command waits in silence.
const patience = 2 * time.Second

// A waitTeller says on stderr what something waits for: the lines of `blaise
// why` about it, once, and again when they change. It is for one goroutine.
type waitTeller struct {
	a    *app
	id   string
	next time.Time       // when it looks next
	told map[string]bool // the lines that were there last, without what passes
}

func newWaitTeller(a *app, id string) *waitTeller {
	return &waitTeller{a: a, id: id, next: a.now().Add(patience)}
}

// tell looks, if it is time to.
func (w *waitTeller) tell(ctx context.Context, c *api.Client) {
	if w.a.now().Before(w.next) {
		return
	}
	w.next = w.a.now().Add(patience)
	why, err := c.Why(ctx, w.id)
	if err != nil {
		return // the command itself finds out
	}
	told := map[string]bool{}
	for _, l := range waits(why.Lines) {
		plain := passing.ReplaceAllString(l, "")
		told[plain] = true
		if !w.told[plain] {
			fmt.Fprintf(w.a.err, "waiting: %s\n", harmless(l))
		}
	}
	w.told = told
}

// rest says that there is nothing to wait for now.
func (w *waitTeller) rest() { w.next = w.a.now().Add(patience) }

// passing is what changes in a line by the passing of time alone, or with those
// who wait behind.
var passing = regexp.MustCompile(`\b([0-9.]+(d|h|m|s|ms))+\b|(st|nd|rd|th) of [0-9]+`)

// waits are the lines that say what is waited for: neither what the command
// says itself nor the clocks, but the one that tries a teardown again.
func waits(lines []string) []string {
	var kept []string
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "clock teardown "):
		case strings.HasPrefix(l, "session "), strings.HasPrefix(l, "environment "),
			strings.HasPrefix(l, "clock "), strings.HasPrefix(l, "it ended "):
			continue
		}
		kept = append(kept, l)
	}
	return kept
}
