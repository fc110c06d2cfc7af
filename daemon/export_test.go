package daemon

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// Pause is pause, for the tests of how a fleet comes back.
var Pause = pause

// Weights is weights, with its method for tests.
type Weights struct{ weights }

// Fill is fill.
func (w *Weights) Fill(
	ctx context.Context, v *api.Inventory,
	ask func(context.Context, []blaise.Resource) (map[blaise.Resource]int64, []string),
) {
	w.fill(ctx, v, weigh, ask)
}

// Walk is fill of directories, each looked through by through.
func (w *Weights) Walk(ctx context.Context, v *api.Inventory, through func(context.Context, string) (int64, bool)) {
	w.fill(ctx, v, through, func(context.Context, []blaise.Resource) (map[blaise.Resource]int64, []string) { return nil, nil })
}

// Rest is rest, with its method for tests.
type Rest struct{ rest }

// Next is next.
func (r Rest) Next(now time.Time) Rest { return Rest{r.next(now)} }

// Until is when it is over.
func (r Rest) Until() time.Time { return r.until }
