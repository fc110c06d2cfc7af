package directive

import (
	"cmp"

	"blaise.dev/blaise"
)

// ranks orders the kinds. One that this version does not know ranks with the
// answers: the run says "unsupported" soon, and after nothing that matters.
var ranks = map[blaise.DirectiveKind]int{
	blaise.DirectiveStop:   0,
	blaise.DirectiveCancel: 1,
	blaise.DirectiveAnswer: 2,
	blaise.DirectiveShell:  2,
	blaise.DirectiveDiff:   2,
	blaise.DirectiveSet:    3,
	blaise.DirectivePrompt: 4,
}

func rank(k blaise.DirectiveKind) int {
	if r, ok := ranks[k]; ok {
		return r
	}
	return ranks[blaise.DirectiveAnswer]
}

// compare orders by rank, stops by strength, and else by number.
func compare(a, b blaise.Directive) int {
	return cmp.Or(
		cmp.Compare(rank(a.Kind), rank(b.Kind)),
		cmp.Compare(strength(b), strength(a)),
		cmp.Compare(a.N, b.N),
	)
}

// strength of a stop: one that ends outranks one that may resume.
func strength(d blaise.Directive) int {
	if d.Kind != blaise.DirectiveStop {
		return 0
	}
	if d.Stop != nil && d.Stop.MayResume {
		return 1
	}
	return 2
}
