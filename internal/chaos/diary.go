package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// clockFormat is the time of a line: UTC, as the programs' own logs have it.
const clockFormat = "15:04:05.000"

// A diary is what happened, of all lives and of the world. It is safe for
// concurrent use.
type diary struct {
	mu    sync.Mutex // guards lines
	lines []entry
}

type entry struct {
	at   time.Time
	life int // 0: the world's
	text string
}

func (d *diary) write(life int, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, entry{at: time.Now(), life: life, text: fmt.Sprintf(format, args...)})
}

// of gives what a life has seen since a time, the world's part too.
func (d *diary) of(life int, since time.Time) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var b strings.Builder
	for _, e := range d.lines {
		if e.at.Before(since) || e.life != life && e.life != 0 {
			continue
		}
		who := "     "
		if e.life == 0 {
			who = "world"
		}
		fmt.Fprintf(&b, "  %s %s %s\n", e.at.UTC().Format(clockFormat), who, e.text)
	}
	return b.String()
}
