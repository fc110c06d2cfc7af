package daemon

import "time"

// A rest is how long a mirror is left alone that could not be emptied: twice as
// long each time, up to a day. What holds it up mostly lasts, and its source and
// Blaise are asked for nothing meanwhile.
type rest struct {
	until time.Time
	last  time.Duration
}

// longestRest is when something may have become of it.
const longestRest = 24 * time.Hour

// next is the rest after another failure.
func (r rest) next(now time.Time) rest {
	last := min(max(2*r.last, 2*reconcileEvery), longestRest)
	return rest{until: now.Add(last), last: last}
}
