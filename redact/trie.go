package redact

import (
	"maps"
	"slices"
)

// A trie finds all of many words in one pass, and the places where the shape of
// a token may begin. Node 0 is the root. Nearly all places of a text are ruled
// out by a look at the four bytes there: no word, and no prefix of a shape, is
// shorter.
type trie struct {
	first [1 << 16 / 64]uint64 // a bit for the hash of the first four bytes of each word
	root  [256]int32           // the root's children, 0 for none
	nodes []node
}

// A node's children are found by its list, or by its table when there are
// many: the first levels.
type node struct {
	table  *[256]int32
	child  int32 // the first one
	next   int32 // the next sibling
	letter byte
	value  bool // on the way to a word
	word   bool
	shape  int16 // the shape whose prefix ends here, from 1
}

const manyChildren = 4

func newTrie(words map[string]bool) *trie {
	t := &trie{nodes: make([]node, 1)}
	for _, w := range slices.Sorted(maps.Keys(words)) {
		t.nodes[t.add(w, true)].word = true
	}
	for i := range shapes {
		for _, prefix := range shapes[i].prefixes {
			t.nodes[t.add(prefix, false)].shape = int16(i + 1)
		}
	}
	t.makeTables()
	return t
}

func (t *trie) add(word string, value bool) int32 {
	h := hash(uint32(word[0]) | uint32(word[1])<<8 | uint32(word[2])<<16 | uint32(word[3])<<24)
	t.first[h>>6] |= 1 << (h & 63)
	at := int32(0)
	for i := range len(word) {
		next := t.child(at, word[i])
		if next == 0 {
			next = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{letter: word[i], next: t.nodes[at].child})
			t.nodes[at].child = next
			if at == 0 {
				t.root[word[i]] = next
			}
		}
		at = next
		t.nodes[at].value = t.nodes[at].value || value
	}
	return at
}

// hash spreads four bytes over 16 bits.
func hash(four uint32) uint32 { return four * 0x9E3779B1 >> 16 }

func (t *trie) child(at int32, letter byte) int32 {
	if at == 0 {
		return t.root[letter]
	}
	n := &t.nodes[at]
	if n.table != nil {
		return n.table[letter]
	}
	for c := n.child; c != 0; c = t.nodes[c].next {
		if t.nodes[c].letter == letter {
			return c
		}
	}
	return 0
}

func (t *trie) makeTables() {
	for i := range t.nodes {
		n, count := &t.nodes[i], 0
		for c := n.child; c != 0; c = t.nodes[c].next {
			count++
		}
		if count < manyChildren {
			continue
		}
		var table [256]int32
		for c := n.child; c != 0; c = t.nodes[c].next {
			table[t.nodes[c].letter] = c
		}
		n.table = &table
	}
}

// A search is one pass over a text, of which before is the end of what came
// just before it.
type search[T string | []byte] struct {
	trie   *trie
	text   T
	before string
	spans  []span
	open   int // what begins from here on may go on after the text
	token  int // the end of the last token: no other begins in it
}

// find returns the secrets in text, those that overlap as one, and the place
// from which on nothing is decided: what begins there may go on after text.
func find[T string | []byte](t *trie, before string, text T) (spans []span, open int) {
	s := search[T]{trie: t, text: text, before: before, open: len(text)}
	four, last := uint32(0), len(text)-4
	for i := range min(3, len(text)) {
		four |= uint32(text[i]) << (8 * (i + 1))
	}
	for i := 0; i <= last; i++ {
		four = four>>8 | uint32(text[i+3])<<24
		if h := hash(four); t.first[h>>6]>>(h&63)&1 != 0 {
			s.look(i)
		}
	}
	for i := max(last+1, 0); i < len(text); i++ {
		s.look(i)
	}
	open = s.open
	for k := len(s.spans); k > 0 && s.spans[k-1].end > open; k-- {
		open = min(open, s.spans[k-1].start)
	}
	return s.spans, open
}

// look takes what begins at i.
func (s *search[T]) look(i int) {
	end, at := 0, int32(0)
	for j := i; ; j++ {
		if j == len(s.text) { // the walk has come to the end of the text
			if n := &s.trie.nodes[at]; n.child != 0 && (n.value || s.boundary(i)) {
				s.open = min(s.open, i)
			}
			break
		}
		if at = s.trie.child(at, s.text[j]); at == 0 {
			break
		}
		n := &s.trie.nodes[at]
		if n.word {
			end = j + 1
		}
		if n.shape != 0 && i >= s.token {
			end = max(end, s.shaped(&shapes[n.shape-1], i, j+1))
		}
	}
	if end > 0 {
		s.add(span{i, end})
	}
}

// shaped is the end of the token of a shape whose prefix stands from i up to
// body, 0 for none.
func (s *search[T]) shaped(sh *shape, i, body int) int {
	if !s.boundary(i) {
		return 0
	}
	n, more := sh.measure(string(s.text[body:min(len(s.text), body+sh.most+1)]))
	if more {
		s.open = min(s.open, i)
	}
	if n == 0 {
		return 0
	}
	s.token = body + n
	return body + n
}

// add takes in a span that begins after all others.
func (s *search[T]) add(sp span) {
	if k := len(s.spans) - 1; k >= 0 && sp.start < s.spans[k].end {
		s.spans[k].end = max(s.spans[k].end, sp.end)
		return
	}
	s.spans = append(s.spans, sp)
}

// contextLength is how much of what came before a text decides whether a token
// begins in it.
const contextLength = 8

// boundary says that no word goes on at i.
func (s *search[T]) boundary(i int) bool {
	if i >= contextLength {
		return endsWord(string(s.text[i-contextLength : i]))
	}
	return endsWord(s.before + string(s.text[:i]))
}
