package syntax

import (
	"crypto/sha256"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	piecesMost = 4096    // pieces of code that are kept
	wordsMost  = 200_000 // words of them all: some ten megabytes
	// beginning is how much of a piece that took too long is remembered: one that
	// is being written goes on from there, and is not tried anew at each letter.
	beginning = 512
)

// kept are the words that were found last.
var kept = newShelf()

// A shelf keeps the words of pieces of code for whoever shows them next, and
// which took too long. It is safe for concurrent use.
type shelf struct {
	mu     sync.Mutex // over all below
	pieces *simplelru.LRU[piece, []chroma.Token]
	words  int
}

// A piece is code in a language.
type piece struct {
	language string
	code     [sha256.Size]byte
}

func newShelf() *shelf {
	s := &shelf{}
	s.pieces, _ = simplelru.NewLRU(piecesMost, func(_ piece, words []chroma.Token) { s.words -= len(words) }) // fails at size 0 alone
	return s
}

// find gives the words of a piece, none if it took too long; ok says that it is
// known.
func (s *shelf) find(lexer chroma.Lexer, code string) (words []chroma.Token, ok bool) {
	whole, start := pieceOf(lexer, code), startOf(lexer, code)
	s.mu.Lock()
	defer s.mu.Unlock()
	if words, ok = s.pieces.Get(whole); ok {
		return words, true
	}
	words, ok = s.pieces.Get(start)
	return nil, ok && words == nil
}

// keep takes the words of a piece.
func (s *shelf) keep(lexer chroma.Lexer, code string, words []chroma.Token) {
	s.put(pieceOf(lexer, code), words)
}

// giveUp takes a piece that took too long, and all that begin as it does.
func (s *shelf) giveUp(lexer chroma.Lexer, code string) { s.put(startOf(lexer, code), nil) }

func (s *shelf) put(p piece, words []chroma.Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pieces.Remove(p)
	s.pieces.Add(p, words)
	s.words += len(words)
	for s.words > wordsMost {
		s.pieces.RemoveOldest()
	}
}

func pieceOf(lexer chroma.Lexer, code string) piece {
	return piece{language: lexer.Config().Name, code: sha256.Sum256([]byte(code))}
}

func startOf(lexer chroma.Lexer, code string) piece {
	return pieceOf(lexer, code[:min(len(code), beginning)])
}
