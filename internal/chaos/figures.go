package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures are what a go comes to. They are safe for concurrent use.
type figures struct {
	o     options
	began time.Time
	took  time.Duration

	mu     sync.Mutex // guards what follows
	counts map[string]int
	order  []string
	wrong  []string
}

func newFigures(o options) *figures {
	return &figures{o: o, began: time.Now(), counts: map[string]int{}}
}

func (f *figures) count(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.counts[what]; !ok {
		f.order = append(f.order, what)
	}
	f.counts[what] += n
}

func (f *figures) get(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[what]
}

func (f *figures) violation(what ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrong = append(f.wrong, what...)
}

func (f *figures) violated() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.wrong)
}

func (f *figures) done() { f.took = time.Since(f.began) }

// table is the account of the go, as docs/chaos.md shows it.
func (f *figures) table() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.order)
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %d lives at once, %s\n\n| what | how many |\n|---|---:|\n",
		f.o.seed, f.o.atOnce, f.took.Round(time.Second))
	fmt.Fprintf(&b, "| **lives** | **%d** |\n", f.counts["lives"])
	for _, what := range f.order {
		if what != "lives" {
			fmt.Fprintf(&b, "| %s | %d |\n", what, f.counts[what])
		}
	}
	fmt.Fprintf(&b, "| **violations** | **%d** |\n", len(f.wrong))
	for _, w := range f.wrong {
		fmt.Fprintf(&b, "\n- %s", w)
	}
	return b.String()
}
