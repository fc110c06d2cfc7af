package plug

import "context"

// A Checker is a Plug that can say without a run whether it would work on host,
// and how. It changes nothing that stays.
type Checker interface {
	Check(ctx context.Context, host Env) (text string, err error)
}
