package check

import (
	"context"

	"blaise.dev/blaise/plug"
)

// checkHere has a plug that can do so look for itself, on this machine: what it
// needs of the place where it would be. Behind a layer with a place of its own
// only a run can tell.
func checkHere(ctx context.Context, dir string, s plug.Spec) (f Finding, checked bool) {
	p, err := plug.New(s)
	checker, ok := p.(plug.Checker)
	if err != nil || !ok {
		return Finding{}, false
	}
	what := "plug " + s.ID
	text, err := checker.Check(ctx, &plug.Local{Dir: dir})
	if err != nil {
		return Finding{What: what, Text: err.Error()}, true
	}
	return Finding{What: what, OK: true, Text: text}, true
}
