package syntax

import (
	"slices"
	"time"

	"github.com/alecthomas/chroma/v2"
)

const (
	// pageMost and blockMost are how long the code of one page, and one piece of
	// it, may be read: there are languages that take minutes for a few kilobytes.
	pageMost  = 120 * time.Millisecond
	blockMost = 60 * time.Millisecond
	// wordMost is what one word is charged at most: it may have waited for a
	// processor, or for the language that it is in to be read the first time.
	wordMost = 30 * time.Millisecond
	// longest is the longest piece that is read, in bytes.
	longest = 16 << 10
)

// A Budget is the time that finding the words of one page may take. It is not
// safe for concurrent use.
type Budget struct {
	left time.Duration
	now  func() time.Time
}

// NewBudget is the time for a page, by a clock.
func NewBudget(now func() time.Time) *Budget { return &Budget{left: pageMost, now: now} }

// Words are code cut into its words, each with what it is: together they are the
// code, but for how its lines end. There are none for a language that is not
// known, and none where finding them takes too long; a language goes by its name,
// another name people have for it, or the ending of its files. The words are kept
// for whoever asks next: they are not to be changed.
func (b *Budget) Words(language, code string) []chroma.Token {
	lexer := find(language)
	if lexer == nil || len(code) > longest {
		return nil
	}
	if words, ok := kept.find(lexer, code); ok || b.left <= 0 {
		return words
	}
	most := min(b.left, blockMost)
	words, spent := b.read(lexer, code, most)
	b.left -= spent
	switch {
	case spent < most:
		kept.keep(lexer, code, words)
		return words
	case most == blockMost: // a page that had less time left says nothing of the code
		kept.giveUp(lexer, code)
	}
	return nil
}

// read gives the words that were found until so much was spent.
func (b *Budget) read(lexer chroma.Lexer, code string, most time.Duration) (words []chroma.Token, spent time.Duration) {
	all, err := chroma.Coalesce(metered{lexer, func(next chroma.Iterator) chroma.Iterator {
		at := b.now() // after the language itself has been read
		return func() chroma.Token {
			if spent >= most {
				return chroma.EOF
			}
			word := next()
			now := b.now()
			spent += min(now.Sub(at), wordMost)
			at = now
			return word
		}
	}}).Tokenise(nil, code)
	if err != nil {
		return nil, 0
	}
	return slices.Collect(all.Stdlib()), spent
}

// A metered lexer is watched at each of its words, before they are joined: a
// joined one may be thousands.
type metered struct {
	chroma.Lexer
	meter func(chroma.Iterator) chroma.Iterator
}

// Tokenise gives the words of the lexer as the meter lets them through.
func (m metered) Tokenise(o *chroma.TokeniseOptions, code string) (chroma.Iterator, error) {
	words, err := m.Lexer.Tokenise(o, code)
	if err != nil {
		return nil, err
	}
	return m.meter(words), nil
}
