package control

import "blaise.dev/blaise"

// An Observer is told what has happened, after it was committed. Its methods
// return at once and are safe for concurrent use.
type Observer interface {
	Decided(p blaise.Plan)
	Beat()               // of a run
	Recorded(events int) // of a transcript
}

// nobody observes.
type nobody struct{}

func (nobody) Decided(blaise.Plan) {}
func (nobody) Beat()               {}
func (nobody) Recorded(int)        {}
