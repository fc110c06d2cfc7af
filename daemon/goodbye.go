package daemon

import (
	"context"
	"time"

	"blaise.dev/blaise/api"
)

// goodbyeFor is how long a daemon that is done tries to say so: Blaise finds out
// by itself, a little later.
const goodbyeFor = 3 * time.Second

// goodbye tells Blaise that the daemon stops, unless a run of it lives or is not
// told of yet: those are the next one's. An older Blaise knows no such call.
func (d *Daemon) goodbye(ctx context.Context) {
	if live, burials, _ := d.live(); live > 0 || burials > 0 || ctx.Err() != nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, goodbyeFor)
	defer stop()
	err := d.blaise().Goodbye(ctx, api.Goodbye{Instance: d.state.instance, Boot: d.state.boot})
	if err != nil {
		d.log.Debug("goodbye not said", "error", err)
	}
}
