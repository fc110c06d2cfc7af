// Package near finds the word that somebody meant who wrote another. The
// readers of configurations and manifests call it for their did you mean. It
// knows no words of its own.
package near

import (
	"fmt"
	"strings"
)

// Word is the name that differs from word in the fewest letters, "" if all
// differ too much to be meant. Of two that are as near, it is the one with a
// letter more, less or swapped: a slip, rather than another word.
func Word(word string, names []string) string {
	best, least := "", min(3, (len(word)+1)/2+1)*edit
	for _, name := range names {
		if c := cost(strings.ToLower(word), strings.ToLower(name)); c < least {
			best, least = name, c
		}
	}
	return best
}

// DidYouMean asks for the word that was meant, or is "".
func DidYouMean(word string, names []string) string {
	if n := Word(word, names); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

// What a difference costs. A changed letter costs an edit and a little more.
const (
	edit   = 100
	change = edit + 1
)

// cost is of the letters to put in, leave out, change or swap with the next one
// to make b of a.
func cost(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i * edit
	}
	for j := range rows[0] {
		rows[0][j] = j * edit
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			straight := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				straight += change
			}
			rows[i][j] = min(straight, rows[i-1][j]+edit, rows[i][j-1]+edit)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+edit)
			}
		}
	}
	return rows[len(a)][len(b)]
}
