package control

import (
	"context"
	"encoding/json"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Ledger answers what is known of the environments that a runner found, and of
// all its own that may hold something. One that is not known is left out.
func (c *Control) Ledger(ctx context.Context, r store.Runner, asked []blaise.EnvironmentID) ([]store.Holder, error) {
	all, err := c.db.HoldersOf(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	known := map[blaise.EnvironmentID]bool{}
	for _, h := range all {
		known[h.Environment.ID] = true
	}
	for _, id := range asked {
		if known[id] {
			continue
		}
		known[id] = true
		h, err := c.db.Holder(ctx, id)
		if blaise.CodeOf(err) == blaise.CodeNotFound && err != nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// KeepInventory keeps what an instance of a runner found on its machine.
func (c *Control) KeepInventory(ctx context.Context, r store.Runner, id blaise.InstanceID, found []byte) error {
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		in, err := tx.Instance(id)
		if err != nil {
			return err
		}
		if in.Runner != r.ID {
			return blaise.Errorf(blaise.CodeDenied, "instance %s is not one of runner %s", id, r.Name)
		}
		return tx.PutInventory(id, r.ID, found)
	})
	if err == nil {
		c.hub.Wake(TopicSessions)
	}
	return err
}

// Paused answers the environments that are paused, the longest first, and what
// the instances found last.
func (c *Control) Paused(ctx context.Context, limit int) ([]store.Paused, []json.RawMessage, error) {
	list, err := c.db.Paused(ctx, limit)
	if err != nil {
		return nil, nil, err
	}
	found, err := c.db.Inventories(ctx)
	return list, found, err
}

// LeftBehind answers the environments that a person must see to, and what the
// instances found last.
func (c *Control) LeftBehind(ctx context.Context) ([]store.Holder, []json.RawMessage, error) {
	left, err := c.db.LeftBehind(ctx)
	if err != nil {
		return nil, nil, err
	}
	found, err := c.db.Inventories(ctx)
	return left, found, err
}
