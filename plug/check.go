package plug

import "context"

// A Checker is a Plug that can say without a run whether it would work on host,
// and how: whether its engine answers, its program is there. It changes nothing
// that stays. Runs are not taken while there is an error.
type Checker interface {
	Check(ctx context.Context, host Env) (text string, err error)
}
