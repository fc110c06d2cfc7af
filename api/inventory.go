package api

import (
	"context"
	"time"

	"blaise.dev/blaise"
)

// A Class says whose a thing is that a runner's machine holds.
type Class string

// The classes of things.
const (
	ClassOurs     Class = "ours"     // its session has it, live or paused
	ClassOrphaned Class = "orphaned" // made by this runner; its environment is gone: reap removes it
	ClassKept     Class = "kept"     // left on purpose: saved work, a branch with commits of its own
	ClassUnknown  Class = "unknown"  // not to be told whose it is: nothing touches it
	ClassMissing  Class = "missing"  // the ledger has it, and it is not there
	ClassUnowned  Class = "unowned"  // recorded of a plug that no blaise.yml has any more (A32)
	ClassUntold   Class = "untold"   // Blaise was not asked, or did not answer
)

// A Thing is one line of an inventory.
type Thing struct {
	blaise.Resource
	Session blaise.SessionID `json:"session,omitempty"`
	Class   Class            `json:"class"`
	Why     string           `json:"why,omitempty"`
	Bytes   int64            `json:"bytes,omitempty"` // on disk, of what can be weighed: directories, containers, volumes, images
	// WeighedAt is when that was looked at last; zero: it is not known.
	WeighedAt time.Time `json:"weighed_at,omitzero"`
}

// An Inventory is what exists on the machine of an instance, held against the
// ledger (X4). It is what `runner inventory --json` prints, and the body of POST
// /api/runner/inventory.
type Inventory struct {
	Instance blaise.InstanceID `json:"instance"`
	Machine  blaise.MachineID  `json:"machine"`
	Host     string            `json:"host"`
	At       time.Time         `json:"at"`
	Things   []Thing           `json:"things"`
	Unseen   []string          `json:"unseen,omitempty"` // what could not be looked at, and why
}

// AskLedger asks what Blaise knows: of these environments, and of all of the
// runner that may hold something. POST /api/runner/ledger, runner token.
type AskLedger struct {
	Environments []blaise.EnvironmentID `json:"environments"`
}

// A Ledger answers AskLedger. An environment that was asked for and is not in
// it is none that Blaise knows.
type Ledger struct {
	Environments []LedgerEntry `json:"environments"`
}

// A LedgerEntry is what Blaise knows of one environment.
type LedgerEntry struct {
	Environment blaise.EnvironmentID    `json:"environment"`
	Session     blaise.SessionID        `json:"session"`
	Runner      blaise.RunnerID         `json:"runner"`
	Mine        bool                    `json:"mine"` // of the runner that asks
	State       blaise.EnvironmentState `json:"state"`
	Over        bool                    `json:"over"` // nothing of it should be there
	SessionSays blaise.SessionState     `json:"session_state"`
	Plugs       []blaise.PlugRecord     `json:"plugs,omitempty"`
	Resources   []blaise.Resource       `json:"resources,omitempty"`
}

// Leftovers answers GET /api/leftovers: all that a person must see to, for no
// run will come for it.
type Leftovers struct {
	Environments []Leftover  `json:"environments"`
	Machines     []Inventory `json:"machines"` // with the things alone that need somebody
}

// A Leftover is an environment of which something is left.
type Leftover struct {
	Session     blaise.SessionID        `json:"session"`
	Environment blaise.EnvironmentID    `json:"environment"`
	State       blaise.EnvironmentState `json:"state"`
	Why         string                  `json:"why"`
	LastError   string                  `json:"last_error,omitempty"`
	Plugs       []blaise.PlugRecord     `json:"plugs,omitempty"` // those that nothing owns
	Resources   []blaise.Resource       `json:"resources"`       // not known to be gone
}

// Ledger asks Blaise what it knows of environments. Runner token.
func (c *Client) Ledger(ctx context.Context, a AskLedger) (Ledger, error) {
	var out Ledger
	return out, c.post(ctx, "/api/runner/ledger", a, &out)
}

// TellInventory reports an inventory, in place of the last one of the instance.
// Runner token.
func (c *Client) TellInventory(ctx context.Context, v Inventory) error {
	return c.post(ctx, "/api/runner/inventory", v, nil)
}

// Leftovers lists what a person must see to. User token.
func (c *Client) Leftovers(ctx context.Context) (Leftovers, error) {
	var out Leftovers
	return out, c.get(ctx, "/api/leftovers", nil, &out)
}
