package daemon

import (
	"context"

	"blaise.dev/blaise/api"
)

// Pause is pause, for the tests of how a fleet comes back.
var Pause = pause

// Weights is weights, with its method for tests.
type Weights struct{ weights }

// Fill is fill.
func (w *Weights) Fill(ctx context.Context, things []api.Thing) { w.fill(ctx, things) }
