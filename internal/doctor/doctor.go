// Package doctor looks at all that a runner needs of its machine, of the way to
// Blaise and of its agents, and says of each thing what is wrong and what to do.
// `runner doctor` calls it. It changes nothing, here or in Blaise.
package doctor

import (
	"context"
	"time"
)

// A Line is one thing that was looked at.
type Line struct {
	What   string `json:"what"`
	Result Result `json:"result"`
	Text   string `json:"text"`
	Do     string `json:"do,omitempty"` // what a person should do
}

// A Result says how it is with a thing.
type Result string

// The results. A warning is of what works, and will not always or not for all;
// no run works, or none as it should, with a failure.
const (
	OK   Result = "ok"
	Warn Result = "warn"
	Fail Result = "fail"
)

// Options say what is looked at.
type Options struct {
	URL       string                 // where Blaise is, "" if nobody said
	Token     func() (string, error) // of the runner
	TokenFile string                 // where Token has it from, "" if nobody said
	Config    string                 // the path of blaise.yml
	State     string                 // the state directory
	Version   string
}

// within is how long one thing may take to be looked at.
const within = 15 * time.Second

// Look looks at everything, in the order in which a run needs it. The result is
// never empty.
func Look(ctx context.Context, o Options) []Line {
	var all []Line
	for _, look := range []func(context.Context, Options) []Line{
		machine, state, gitVersion, wayOut, certificates, reach, daemonHere, configuration, docker, walls, agents,
	} {
		all = append(all, bounded(ctx, o, look)...)
	}
	return all
}

func bounded(ctx context.Context, o Options, look func(context.Context, Options) []Line) []Line {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return look(ctx, o)
}

// Count counts the lines with a result.
func Count(lines []Line, r Result) (n int) {
	for _, l := range lines {
		if l.Result == r {
			n++
		}
	}
	return n
}

func good(what, text string) Line         { return Line{What: what, Result: OK, Text: text} }
func doubtful(what, text, do string) Line { return Line{What: what, Result: Warn, Text: text, Do: do} }
func broken(what, text, do string) Line   { return Line{What: what, Result: Fail, Text: text, Do: do} }
func lines(l ...Line) []Line              { return l }
