package shim

import "strings"

// Word is a line that a sandbox says in the output of its command. The nonce,
// which the command does not know, tells it from what the command says.
func Word(nonce string, words ...string) string {
	return "\x1e" + nonce + " " + strings.Join(words, " ")
}
