package redact

import (
	"bytes"
	"encoding/json"
)

// JSON returns raw with the secrets taken out of the decoded strings of any
// value, however they are escaped. Structure, order and all that is not
// redacted stay byte for byte. A number that is a secret becomes a string. A
// key is the program's, not the agent's, and stays unless what it holds of a
// secret is longer than keys are. What is not JSON is redacted as text and
// returned as a JSON string.
func (r *Redactor) JSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	if !json.Valid(raw) {
		return quote(r.String(string(raw)))
	}
	var out []byte
	kept := 0 // raw[:kept] is in out
	for i := 0; i < len(raw); {
		start := i
		end := tokenEnd(raw, i)
		if end == i {
			i++
			continue
		}
		i = end
		if clean, changed := r.token(raw[start:end], isKey(raw[end:])); changed {
			out = append(append(out, raw[kept:start]...), clean...)
			kept = end
		}
	}
	if kept == 0 {
		return raw
	}
	return append(out, raw[kept:]...)
}

// tokenEnd is where the string or number that begins at i ends, i for others.
func tokenEnd(raw []byte, i int) int {
	end := i
	switch c := raw[i]; {
	case c == '"':
		for end = i + 1; raw[end] != '"'; end++ {
			if raw[end] == '\\' {
				end++
			}
		}
		end++
	case c == '-' || c >= '0' && c <= '9':
		for end < len(raw) && bytes.IndexByte([]byte("+-.eE0123456789"), raw[end]) >= 0 {
			end++
		}
	}
	return end
}

func isKey(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// longKey is the length from which on a secret in a key is no chance: no
// protocol's keys are secret values of that length.
const longKey = 16

// token redacts one string or number.
func (r *Redactor) token(raw []byte, key bool) ([]byte, bool) {
	text := raw
	if raw[0] == '"' {
		text = raw[1 : len(raw)-1]
	}
	if bytes.IndexByte(raw, '\\') >= 0 {
		var decoded string
		_ = json.Unmarshal(raw, &decoded) // raw is valid
		text = []byte(decoded)
	}
	spans, _ := find(r.trie(), "", text)
	if key {
		spans = longSpans(spans)
	}
	if len(spans) == 0 {
		return nil, false
	}
	return quote(replace(string(text), spans)), true
}

func longSpans(spans []span) []span {
	var long []span
	for _, s := range spans {
		if s.end-s.start >= longKey {
			long = append(long, s)
		}
	}
	return long
}

func quote(s string) []byte {
	b, _ := json.Marshal(s) // a string always can
	return b
}
