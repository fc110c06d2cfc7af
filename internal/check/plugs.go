package check

import (
	"context"
	"fmt"
	"sync"
	"time"

	"blaise.dev/blaise/config"
)

// fresh is how long the plugs' word that they could open is good: some start
// processes to find out.
const fresh = 15 * time.Second

// A Gate asks the plugs of a blaise.yml whether they could open on this machine
// now. It is safe for concurrent use.
type Gate struct {
	File string

	mu   sync.Mutex // guards good, and keeps two from asking at once
	good time.Time  // until when the last answer holds
}

// Ready is the first reason why they could not. A file that cannot be read is
// for others to tell.
func (g *Gate) Ready(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Now().Before(g.good) {
		return nil
	}
	cfg, err := config.Read(g.File)
	if err != nil {
		return nil //nolint:nilerr // the run says it, with line and column
	}
	for i, s := range cfg.Plugs {
		if !hostPrograms(cfg.Plugs[:i]) {
			break
		}
		if f, checked := checkHere(ctx, cfg.Base(g.File), s); checked && !f.OK {
			return fmt.Errorf("%s: %s", f.What, f.Text)
		}
	}
	g.good = time.Now().Add(fresh)
	return nil
}
