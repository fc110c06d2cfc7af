package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"blaise.dev/blaise/api"
)

// reconcileEvery is how often what exists is held against the ledger.
const reconcileEvery = 10 * time.Minute

// reconcile looks at boot, when Blaise knows of it, and every ten minutes from
// then on, and tells Blaise what it found.
func (d *Daemon) reconcile(ctx context.Context) {
	select {
	case <-d.greeted:
	case <-ctx.Done():
		return
	}
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	for {
		d.dropMirrors(ctx)
		d.look(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look takes the inventory and tells Blaise.
func (d *Daemon) look(ctx context.Context) api.Inventory {
	p := d.premises()
	v := p.Inventory(ctx, d.blaise().Ledger)
	v.Instance = d.state.instance
	d.weights.fill(ctx, &v, weigh, p.weigh)
	orphaned := 0
	for _, t := range v.Things {
		if t.Class == api.ClassOrphaned {
			orphaned++
		}
	}
	d.tally.orphaned.Store(int64(orphaned))
	if orphaned > 0 {
		d.log.Warn("things are left of environments that are gone; see `runner inventory` and `runner reap`",
			"orphaned", orphaned)
	}
	if err := d.blaise().TellInventory(ctx, v); err != nil && ctx.Err() == nil {
		d.tally.inventoryErrors.Add(1)
		d.log.Info("inventory not reported", "error", err)
	}
	return v
}

func (d *Daemon) premises() Premises { return Premises{StateDir: d.state.dir, Configs: d.c.Configs()} }

func (d *Daemon) serveInventory(w http.ResponseWriter, r *http.Request) {
	_ = json.NewEncoder(w).Encode(d.look(r.Context())) // who asked is gone
}

// Inventory has the daemon of a state directory take its inventory and report
// it. CodeNotFound: none runs there.
func Inventory(ctx context.Context, stateDir string) (api.Inventory, error) {
	var v api.Inventory
	return v, local(ctx, stateDir, http.MethodGet, "/inventory", nil, &v)
}
