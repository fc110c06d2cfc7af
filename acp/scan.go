package acp

import "encoding/json"

// maxDepth is how deep JSON may nest, as in encoding/json.
const maxDepth = 10_000

func span(b []byte, start, end int) json.RawMessage {
	if end < 0 {
		return nil
	}
	return json.RawMessage(b[start:end:end])
}

// scanInner is scanValue, with the members of an object given to take.
func scanInner(b []byte, i, depth int, take taker) int {
	if i < len(b) && b[i] == '{' {
		return scanObject(b, i, depth+1, take)
	}
	return scanValue(b, i, depth)
}

// A taker takes the value of key that begins at b[i], and gives where it ends,
// or -1.
type taker func(b, key []byte, i, depth int) int

// scanObject checks the object that begins at b[i], the depth-th around it, and
// gives where it ends, or -1. Keys are given to take without their quotes.
func scanObject(b []byte, i, depth int, take taker) int {
	if i = skipSpace(b, i+1); depth > maxDepth || i >= len(b) {
		return -1
	}
	if b[i] == '}' {
		return i + 1
	}
	for {
		end := scanString(b, i)
		if end < 0 {
			return -1
		}
		key := b[i+1 : end-1]
		if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
			return -1
		}
		i = skipSpace(b, i+1)
		if take == nil {
			i = scanValue(b, i, depth)
		} else {
			i = take(b, plainKey(key), i, depth)
		}
		var more bool
		if i, more = scanComma(b, i, '}'); !more {
			return i
		}
	}
}

// plainKey is key without its escapes.
func plainKey(key []byte) []byte {
	for _, c := range key {
		if c == '\\' {
			return []byte(str(append(append([]byte{'"'}, key...), '"')))
		}
	}
	return key
}

func scanArray(b []byte, i, depth int) int {
	if i = skipSpace(b, i+1); depth > maxDepth || i >= len(b) {
		return -1
	}
	if b[i] == ']' {
		return i + 1
	}
	for {
		i = scanValue(b, i, depth)
		var more bool
		if i, more = scanComma(b, i, ']'); !more {
			return i
		}
	}
}

// scanComma stands after a value at b[i], or after none at -1. It gives where
// the next one begins, or where the container ends.
func scanComma(b []byte, i int, closing byte) (next int, more bool) {
	if i < 0 {
		return -1, false
	}
	if i = skipSpace(b, i); i >= len(b) {
		return -1, false
	}
	switch b[i] {
	case ',':
		return skipSpace(b, i+1), true
	case closing:
		return i + 1, false
	}
	return -1, false
}

// scanValue checks the value that begins at b[i], inside depth containers, and
// gives where it ends, or -1.
func scanValue(b []byte, i, depth int) int {
	if i < 0 || i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return scanString(b, i)
	case '{':
		return scanObject(b, i, depth+1, nil)
	case '[':
		return scanArray(b, i, depth+1)
	case 't':
		return scanWord(b, i, "true")
	case 'f':
		return scanWord(b, i, "false")
	case 'n':
		return scanWord(b, i, "null")
	}
	return scanNumber(b, i)
}

func scanWord(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return -1
}

// special are the bytes inside a string that mean something or are forbidden.
var special = func() (t [256]bool) {
	for c := range byte(' ') {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

func scanString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		c := b[i]
		if !special[c] {
			continue
		}
		if c == '"' {
			return i + 1
		}
		if c != '\\' {
			return -1 // a control character
		}
		if i = scanEscape(b, i+1); i < 0 {
			return -1
		}
	}
	return -1
}

// scanEscape checks what follows a backslash and gives its last byte.
func scanEscape(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i
	case 'u':
		if i+4 >= len(b) {
			return -1
		}
		for _, c := range b[i+1 : i+5] {
			if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return -1
			}
		}
		return i + 4
	}
	return -1
}

func scanNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = scanDigits(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = scanDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return scanDigits(b, i)
	}
	return i
}

// scanDigits wants one digit at least.
func scanDigits(b []byte, i int) int {
	start := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// valid is json.Valid, faster.
func valid(raw []byte) bool {
	end := scanValue(raw, skipSpace(raw, 0), 0)
	return end >= 0 && skipSpace(raw, end) == len(raw)
}
