package redact

import (
	"maps"
	"slices"
)

// An automaton finds all of many words in one pass (Aho and Corasick). Node 0
// is the root; a node is the longest end of the text that begins a word.
type automaton struct {
	root  [256]int32 // the root's children, 0 for none
	nodes []node
}

// A node's children are found by its list, or by its table when there are
// many: the first levels, where most of a text is spent.
type node struct {
	table   *[256]int32
	child   int32 // the first one
	next    int32 // the next sibling
	fail    int32 // the node of the longest proper end of this one
	depth   int32
	live    int32 // the depth of the longest end of this node that may go on
	longest int32 // the longest word that ends here, 0 for none
	letter  byte
}

const manyChildren = 4

func newAutomaton(words map[string]bool) *automaton {
	a := &automaton{nodes: make([]node, 1)}
	for _, w := range slices.Sorted(maps.Keys(words)) {
		a.add(w)
	}
	a.makeTables()
	a.link()
	return a
}

func (a *automaton) add(word string) {
	at := int32(0)
	for i := range len(word) {
		next := a.child(at, word[i])
		if next == 0 {
			next = int32(len(a.nodes))
			a.nodes = append(a.nodes, node{
				letter: word[i], depth: int32(i + 1), next: a.nodes[at].child,
			})
			a.nodes[at].child = next
			if at == 0 {
				a.root[word[i]] = next
			}
		}
		at = next
	}
	a.nodes[at].longest = int32(len(word))
}

func (a *automaton) child(at int32, letter byte) int32 {
	if at == 0 {
		return a.root[letter]
	}
	n := &a.nodes[at]
	if n.table != nil {
		return n.table[letter]
	}
	for c := n.child; c != 0; c = a.nodes[c].next {
		if a.nodes[c].letter == letter {
			return c
		}
	}
	return 0
}

func (a *automaton) makeTables() {
	for i := range a.nodes {
		n, count := &a.nodes[i], 0
		for c := n.child; c != 0; c = a.nodes[c].next {
			count++
		}
		if count < manyChildren {
			continue
		}
		var table [256]int32
		for c := n.child; c != 0; c = a.nodes[c].next {
			table[a.nodes[c].letter] = c
		}
		n.table = &table
	}
}

// link finds each node's fail, level by level.
func (a *automaton) link() {
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for c := a.nodes[at].child; c != 0; c = a.nodes[c].next {
			n := &a.nodes[c]
			if at != 0 {
				n.fail = a.step(a.nodes[at].fail, n.letter)
			}
			// A word that is an end of this one counts only if none is longer.
			n.longest = max(n.longest, a.nodes[n.fail].longest)
			if n.live = n.depth; n.child == 0 {
				n.live = a.nodes[n.fail].live
			}
			queue = append(queue, c)
		}
	}
}

// step goes on by one byte.
func (a *automaton) step(at int32, letter byte) int32 {
	for {
		if next := a.child(at, letter); next != 0 || at == 0 {
			return next
		}
		at = a.nodes[at].fail
	}
}

// find returns the words in s, those that overlap as one, and the place from
// which on s may go on as a word, or as one that overlaps the last found.
func find[T string | []byte](a *automaton, s T) (spans []span, open int) {
	if len(a.nodes) == 1 {
		return nil, len(s)
	}
	at := int32(0)
	for i := 0; i < len(s); i++ {
		if at == 0 {
			at = a.root[s[i]]
			continue
		}
		at = a.step(at, s[i])
		if n := int(a.nodes[at].longest); n > 0 {
			spans = merge(spans, span{i + 1 - n, i + 1})
		}
	}
	open = len(s) - int(a.nodes[at].live)
	for k := len(spans); k > 0 && spans[k-1].end > open; k-- {
		open = min(open, spans[k-1].start)
	}
	return spans, open
}

// merge adds a span that ends after all others.
func merge(spans []span, s span) []span {
	for k := len(spans); k > 0 && spans[k-1].end > s.start; k = len(spans) {
		s.start = min(s.start, spans[k-1].start)
		spans = spans[:k-1]
	}
	return append(spans, s)
}
