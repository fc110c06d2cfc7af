package control

import (
	"bytes"
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Overlap is how long a replaced token is good beside the new one when nobody
// says; MaxOverlap is the longest that may be asked for.
const (
	Overlap    = 24 * time.Hour
	MaxOverlap = 30 * 24 * time.Hour
)

// RotateToken gives a runner a new token, which is shown this once; the one it
// had is good for overlap beside it, and one from before that no more. The
// runner is the same: it keeps its sessions. CodeRefused: it was revoked, or
// has a single-use token.
func (c *Control) RotateToken(
	ctx context.Context, by string, id blaise.RunnerID, overlap time.Duration,
) (store.Runner, string, error) {
	if overlap < 0 || overlap > MaxOverlap {
		return store.Runner{}, "", blaise.Errorf(blaise.CodeInvalid, "rotate token: the overlap %s is none of 0 to %s",
			overlap, MaxOverlap)
	}
	secret := newSecret(RunnerPrefix)
	var r store.Runner
	line := blaise.Audit{By: by, Kind: blaise.AuditTokenRotated, Thing: string(id)}
	err := c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		var err error
		if r, err = tx.Runner(id); err != nil {
			return err
		}
		line.Thing, line.Detail = r.Name, "runner "+string(id)+", the old one is good for "+overlap.String()
		switch {
		case r.Revoked:
			return alreadyRevoked(r)
		case r.SingleUse:
			return blaise.Errorf(blaise.CodeRefused, "runner %s has a single-use token: there is nothing to rotate", r.Name)
		}
		now := c.now()
		r.Old = &store.OldToken{Hash: r.TokenHash, Until: now.Add(overlap), By: by, At: now}
		r.TokenHash = HashToken(secret)
		return tx.PutRunner(r)
	})
	return r, secret, err
}

// replaced refuses a runner's old token after its overlap.
func (c *Control) replaced(r store.Runner, hash []byte) error {
	if r.Old == nil || !bytes.Equal(r.Old.Hash, hash) || c.now().Before(r.Old.Until) {
		return nil
	}
	return blaise.Errorf(blaise.CodeDenied, "the token of runner %s was replaced by %s and was good until %s",
		r.Name, r.Old.By, r.Old.Until.Format(time.RFC3339)).WithHint("put the new one into its token file")
}
