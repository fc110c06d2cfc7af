package control

import (
	"context"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// When a choice takes effect.
const (
	AppliesNow   = "now"
	AppliesAfter = "when the turn has ended"
	AppliesNext  = "when the next run begins"
)

// Choose chooses settings of a session's agent by their ids ("mode", "model",
// its own options), and says when that takes effect. An empty value takes a
// choice back. CodeInvalid, with what there is, for one that the agent does not
// offer; where it has not said yet what it offers, it is the run that finds out.
func (c *Control) Choose(
	ctx context.Context, by string, id blaise.SessionID, set map[string]string,
) (applies string, err error) {
	var plan blaise.Plan
	err = c.db.Tx(ctx, func(tx *store.Tx) error {
		told, err := tx.Status(id)
		if err != nil {
			return err
		}
		chosen := map[string]string{}
		for key, value := range set {
			if chosen[key] = value; value == "" || len(told.Settings) == 0 {
				continue
			}
			if chosen[key], err = told.Choose(key, value); err != nil {
				return err
			}
		}
		plan, err = c.decide(tx, id, blaise.Event{Kind: blaise.EventSettingsChosen, By: by, Set: chosen})
		return err
	})
	if err != nil {
		return "", err
	}
	c.wake(plan)
	return appliesOf(plan), nil
}

func appliesOf(p blaise.Plan) string {
	switch run := p.Next.Run; {
	case len(p.Issue) == 0:
		return AppliesNext
	case run.Turn != "":
		return AppliesAfter
	}
	return AppliesNow
}
