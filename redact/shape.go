package redact

import "strings"

// A shape is what the tokens of a service look like: a prefix that nothing else
// has, and a body.
type shape struct {
	prefixes []string // at least four bytes each
	letters  *letters // of the body
	least    int      // letters of the body
	most     int
	// check is how much of a body is the token's, 0 for none, and whether that
	// is so whatever comes after it. Nil: all of it.
	check func(body string) (n int, done bool)
}

// letters are a set of bytes.
type letters [256]bool

func lettersOf(ranges ...string) *letters {
	var set letters
	for _, r := range ranges {
		if len(r) == 3 && r[1] == '-' {
			for c := int(r[0]); c <= int(r[2]); c++ {
				set[c] = true
			}
			continue
		}
		for i := range len(r) {
			set[r[i]] = true
		}
	}
	return &set
}

var (
	digits  = lettersOf("0-9")
	hexes   = lettersOf("0-9", "a-f")
	uppers  = lettersOf("A-Z", "0-9")
	alnums  = lettersOf("A-Z", "a-z", "0-9")
	words   = lettersOf("A-Z", "a-z", "0-9", "_")
	urlSafe = lettersOf("A-Z", "a-z", "0-9", "_-")
	dotted  = lettersOf("A-Z", "a-z", "0-9", "_.-")
	base64s = lettersOf("A-Z", "a-z", "0-9", "+/=")
	armour  = lettersOf("A-Z", "a-z", "0-9", "+/=", " \t\r\n\\", ":,-")
)

// measure is how much of text, which stands after a prefix, is the body of a
// token, 0 for none, and whether that may change with what comes after text.
func (sh *shape) measure(text string) (n int, more bool) {
	for n < len(text) && n < sh.most && sh.letters[text[n]] {
		n++
	}
	more = n == len(text) && n < sh.most
	if n == sh.most && n < len(text) && sh.letters[text[n]] && sh.least == sh.most {
		return 0, false // longer than all tokens of the shape
	}
	if sh.least == sh.most && n == len(text) {
		more = true // a letter more and it is none
	}
	body := text[:n]
	if n < sh.least || !random(body) {
		return 0, more
	}
	if sh.check == nil {
		return n, more
	}
	n, done := sh.check(body)
	return n, more && !done
}

// random says that a body is not filled up with one letter, as in examples.
func random(body string) bool {
	var seen letters
	kinds := 0
	for i := range len(body) {
		if !seen[body[i]] {
			seen[body[i]] = true
			kinds++
		}
	}
	return kinds >= 6
}

// endsWord says that what comes after text begins something new: text ends in
// no letter, or in one that belongs to an escape (\n, %3D, a terminal's colour).
func endsWord(text string) bool {
	n := len(text)
	if n == 0 || !words[text[n-1]] {
		return true
	}
	switch {
	case n >= 2 && text[n-2] == '\\' && strings.IndexByte("nrtbf", text[n-1]) >= 0:
		return true
	case n >= 3 && text[n-3] == '%' && isHex(text[n-2]) && isHex(text[n-1]):
		return true
	case text[n-1] == 'm':
		rest := strings.TrimRight(text[:n-1], "0123456789;")
		return strings.HasSuffix(rest, "\x1b[") || strings.HasSuffix(rest, "u001b[")
	}
	return false
}

func isHex(c byte) bool { return hexes[c|0x20] || digits[c] }

// jwt wants three parts, of which the first two are JSON objects.
func jwt(body string) (n int, done bool) {
	body = strings.TrimRight(body, ".-_")
	head, rest, _ := strings.Cut(body, ".")
	claims, signature, _ := strings.Cut(rest, ".")
	signature, _, _ = strings.Cut(signature, ".")
	if len(head) < 10 || !strings.HasPrefix(claims, "eyJ") || len(signature) < 10 {
		return 0, false
	}
	return len(head) + len(claims) + len(signature) + 2, false
}

// pem wants the rest of the line that begins a private key, and lines of
// base64; the end of the block belongs to it where there is one.
func pem(body string) (n int, done bool) {
	kind, block, found := strings.Cut(body, "-----")
	if !found || !strings.HasSuffix(strings.TrimSuffix(kind, " BLOCK"), "PRIVATE KEY") {
		return 0, found
	}
	begin := len(kind) + len("-----")
	if key, after, found := strings.Cut(block, "-----END "); found {
		if last, _, found := strings.Cut(after, "-----"); found {
			return keyIn(key, begin+len(key)+len("-----END ")+len(last)+len("-----")), true
		}
	}
	return keyIn(block, len(strings.TrimRight(body, " \t\r\n\\"))), false
}

// keyIn is n if there is a line of a key in the text.
func keyIn(text string, n int) int {
	run := 0
	for i := range len(text) {
		if run++; !base64s[text[i]] {
			run = 0
		}
		if run == 32 {
			return n
		}
	}
	return 0
}

// holds wants a text within the body.
func holds(text string) func(string) (int, bool) {
	return func(body string) (int, bool) {
		if !strings.Contains(body, text) {
			return 0, false
		}
		return len(body), false
	}
}
