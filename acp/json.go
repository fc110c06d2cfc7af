package acp

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// members walks the members of the JSON object raw without copying. A value
// that is cut off is yielded as nil and ends the walk; anything but an object
// yields nothing. It never panics, whatever the bytes.
func members(raw []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '{' {
			return
		}
		for i++; ; i++ {
			key, start := memberKey(raw, i)
			if start < 0 {
				return
			}
			end := skipValue(raw, start)
			if end < 0 {
				yield(key, nil)
				return
			}
			if !yield(key, json.RawMessage(raw[start:end:end])) {
				return
			}
			if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ',' {
				return
			}
		}
	}
}

// elements walks the elements of the JSON array raw; a single object counts as
// an array of itself, because some agents leave the brackets out.
func elements(raw []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '[' {
			if i < len(raw) && raw[i] == '{' {
				yield(raw[i:])
			}
			return
		}
		for i++; ; i++ {
			start := skipSpace(raw, i)
			end := skipValue(raw, start)
			if end < 0 || !yield(json.RawMessage(raw[start:end:end])) {
				return
			}
			if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ',' {
				return
			}
		}
	}
}

// field is the raw value of key in the object raw; nil when absent or null. The
// last of several equal keys counts, as for all who read the record later.
func field(raw []byte, key string) (value json.RawMessage) {
	for k, v := range members(raw) {
		if k == key {
			value = v
		}
	}
	return nonNull(value)
}

func nonNull(raw json.RawMessage) json.RawMessage {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

func memberKey(b []byte, i int) (key string, value int) {
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != '"' {
		return "", -1
	}
	end := skipString(b, i)
	if end < 0 {
		return "", -1
	}
	colon := skipSpace(b, end)
	if colon >= len(b) || b[colon] != ':' {
		return "", -1
	}
	return keyName(b[i:end]), skipSpace(b, colon+1)
}

// keyName is the key in quotes, without memory of its own for those that come
// with every message.
func keyName(quoted []byte) string {
	if len(quoted) >= 2 {
		if known, ok := knownKeys[string(quoted[1:len(quoted)-1])]; ok {
			return known
		}
	}
	return str(quoted)
}

var knownKeys = func() map[string]string {
	keys := map[string]string{}
	for _, k := range []string{
		"jsonrpc", "id", "method", "params", "result", "error", "sessionId", "update", "_meta",
		"sessionUpdate", "content", "type", "text", "messageId", "toolCallId", "title", "kind",
		"status", "locations", "rawInput", "rawOutput", "path", "line", "data", "uri", "name",
		"used", "size", "cost", "entries", "priority", "currentModeId", "configOptions",
	} {
		keys[k] = k
	}
	return keys
}()

// word is str without memory of its own for the methods and kinds there are.
func word(raw []byte) string {
	if len(raw) >= 2 && raw[0] == '"' {
		if known, ok := knownWords[string(raw[1:len(raw)-1])]; ok {
			return known
		}
	}
	return str(raw)
}

var knownWords = func() map[string]string {
	words := map[string]string{}
	for _, w := range []string{
		methodUpdate, methodPermission, KindUserChunk, KindAgentChunk, KindThoughtChunk,
		KindToolCall, KindToolUpdate, KindPlan, KindCommands, KindMode, KindConfig, KindInfo,
		KindUsage, BlockText,
	} {
		words[w] = w
	}
	return words
}()

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at b[i], or -1.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// skipValue returns the index after the value that begins at b[i], or -1 when
// the value is not ended inside b.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for ; i < len(b); i++ {
		if strings.IndexByte(",]} \t\r\n", b[i]) >= 0 {
			break
		}
	}
	if i == start || i == len(b) {
		return -1
	}
	return i
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// str is raw as text: a string unquoted, a number or bool as written, else "".
func str(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	if raw[0] != '"' {
		if raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
			return ""
		}
		return string(raw)
	}
	if len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// isString tells whether s, which str once gave, is what str would give now.
func isString(raw []byte, s string) bool {
	return len(raw) == len(s)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == s &&
		strings.IndexByte(s, '\\') < 0
}

// num is raw as a number: 12, 12.0, "12" and "0.1" all count.
func num(raw []byte) (float64, bool) {
	s := strings.TrimSpace(str(raw))
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// integer is raw as a whole number, or 0 when it is none or out of range.
func integer(raw []byte) int64 {
	f, ok := num(raw)
	if !ok || math.Abs(f) > 1<<53 {
		return 0
	}
	return int64(f)
}

// capable tells whether raw advertises an ability: true, or any object. The
// schema went from bools to objects and agents send either.
func capable(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '{' || string(raw) == "true" || string(raw) == `"true"`)
}

// array is raw when it is a JSON array, else nil.
func array(raw json.RawMessage) json.RawMessage {
	if len(raw) > 0 && raw[0] == '[' {
		return raw
	}
	return nil
}

// encode marshals v on one line, without the HTML escapes nobody asked for. A
// json.RawMessage inside is compacted, so no newline can get into a frame.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
