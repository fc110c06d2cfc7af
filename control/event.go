package control

import (
	"context"
	"io"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// MaxWhole is how long an event may be that is read at once.
const MaxWhole = 32 << 20

// WholeEvent finds an event of a session by its seq. Where it was too long for
// the record its data are whole again. CodeNotFound: there is none, or Blaise
// does not have the whole of it; CodeRefused: it is longer than MaxWhole.
func (c *Control) WholeEvent(ctx context.Context, id blaise.SessionID, seq int64) (transcript.Event, error) {
	list, err := c.db.Events(ctx, id, seq-1, 1)
	if err == nil && (len(list) == 0 || list[0].Seq != seq) {
		err = blaise.Errorf(blaise.CodeNotFound, "session %s has no event %d", id, seq)
	}
	if err != nil {
		return transcript.Event{}, err
	}
	return c.Whole(ctx, id, list[0])
}

// Whole is the event with its data whole, as WholeEvent.
func (c *Control) Whole(ctx context.Context, id blaise.SessionID, e transcript.Event) (transcript.Event, error) {
	cut, ok := transcript.CutOf(e)
	if !ok {
		return e, nil
	}
	if cut.Size > MaxWhole {
		return e, blaise.Errorf(blaise.CodeRefused, "event %d of session %s is %d MB long", e.Seq, id, cut.Size>>20).
			WithHint("get it as a file: blaise files %s %.12s --out FILE", id, cut.SHA256)
	}
	_, from, err := c.db.OpenBlob(ctx, id, cut.SHA256)
	if blaise.CodeOf(err) == blaise.CodeNotFound {
		err = blaise.Errorf(blaise.CodeNotFound, "Blaise has only the ends of event %d of session %s, of %d bytes",
			e.Seq, id, cut.Size).WithHint("the rest comes within seconds from a runner that is connected, unless that had no room for it")
	}
	if err == nil {
		e.Data, err = io.ReadAll(io.LimitReader(from, MaxWhole))
	}
	return e, err
}
