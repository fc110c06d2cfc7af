package acp

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

var utf8BOM = []byte("\xef\xbb\xbf")

// envelope is one JSON-RPC 2.0 object, cut into raw members. A missing
// "jsonrpc" is tolerated.
type envelope struct {
	raw                       json.RawMessage
	method                    string
	id, params, result, fault json.RawMessage // id as written, null included
	answered                  bool            // there is a result, be it null
	rpc                       bool            // there is a "jsonrpc"

	// Of the params, for a session/update.
	session, update, kind, content json.RawMessage
}

// scanEnvelope checks that raw is one JSON object as json.Valid would, and cuts
// it in the same walk into what the dispatcher needs: nearly all lines are
// updates, and walking each of them once is half of what there is to do. Of
// equal keys the last counts, as in encoding/json. False is no verdict on parts
// of raw.
func scanEnvelope(raw []byte) (envelope, bool) {
	e := envelope{raw: raw}
	if len(raw) == 0 || raw[0] != '{' {
		return e, false
	}
	end := scanObject(raw, 0, 1, e.member)
	return e, end >= 0 && skipSpace(raw, end) == len(raw)
}

// member takes the value of key that begins at b[i], and gives where it ends.
func (e *envelope) member(b, key []byte, i, depth int) int {
	switch string(key) {
	case "params":
		e.session, e.update, e.kind, e.content = nil, nil, nil, nil
		end := scanInner(b, i, depth, e.paramsMember)
		e.params = nonNull(span(b, i, end))
		return end
	case "method":
		end := scanValue(b, i, depth)
		e.method = word(span(b, i, end))
		return end
	}
	end := scanValue(b, i, depth)
	value := span(b, i, end)
	switch string(key) {
	case "jsonrpc":
		e.rpc = true
	case "id":
		e.id = value
	case "result":
		e.result, e.answered = nonNull(value), true
	case "error":
		e.fault = nonNull(value)
	}
	return end
}

func (e *envelope) paramsMember(b, key []byte, i, depth int) int {
	switch string(key) {
	case "sessionId":
		end := scanValue(b, i, depth)
		e.session = span(b, i, end)
		return end
	case "update":
		e.kind, e.content = nil, nil
		end := scanInner(b, i, depth, e.updateMember)
		e.update = span(b, i, end)
		return end
	}
	return scanValue(b, i, depth)
}

func (e *envelope) updateMember(b, key []byte, i, depth int) int {
	end := scanValue(b, i, depth)
	switch string(key) {
	case "sessionUpdate":
		e.kind = span(b, i, end)
	case "content":
		e.content = span(b, i, end)
	}
	return end
}

// isFrame tells a message from a JSON object that is, say, a log line. A
// response may have lost its result: JavaScript leaves out what is undefined.
func (e envelope) isFrame() bool {
	return e.method != "" || e.answered || e.fault != nil || (e.rpc && e.id != nil)
}

// isRequest tells whether the agent waits for an answer. An id of null is a
// request only where the method is one: some libraries write null ids on
// notifications.
func (e envelope) isRequest() bool {
	if e.method == "" || e.id == nil {
		return false
	}
	if string(e.id) != "null" {
		return true
	}
	return e.method != methodUpdate && !strings.HasPrefix(e.method, "_") &&
		!strings.HasPrefix(e.method, "$/")
}

// callID is the number of the call that a response id means. Agents send it
// back as 1, 1.0, "1" or "1.0".
func callID(raw json.RawMessage) (int64, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, false
	}
	s := strings.TrimSpace(str(raw))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, ok := num(raw)
	if !ok || f != math.Trunc(f) {
		return 0, false
	}
	return integer(raw), true
}

// askKey makes two spellings of one request id equal: 7, 7.0 and "7".
func askKey(raw json.RawMessage) string {
	if n, ok := callID(raw); ok {
		return strconv.FormatInt(n, 10)
	}
	return str(raw)
}

// split cuts a line that is not one frame into the JSON values in it and the
// noise around them: a batch, a banner glued to the first frame, two frames on
// one line. noise is nil when there is none.
func split(raw []byte) (values []json.RawMessage, noise []byte) {
	if len(raw) == 0 {
		return nil, nil
	}
	if isContainer(raw) && valid(raw) {
		return unbatch(raw), nil
	}
	return salvage(raw)
}

// salvage looks for frames inside a line that is not JSON as a whole. It tries
// a few opening braces, not all: a line of braces would cost the square of its
// length.
func salvage(raw []byte) (values []json.RawMessage, noise []byte) {
	rest := raw
	for range 8 {
		i := bytes.Index(rest, []byte(`{"`))
		if i < 0 {
			break
		}
		value, ok := firstValue(rest[i:])
		if ok {
			noise = appendNoise(noise, rest[:i])
			values = append(values, value)
			i += len(value) - 1
		} else {
			noise = appendNoise(noise, rest[:i+1])
		}
		rest = rest[i+1:]
	}
	return values, appendNoise(noise, rest)
}

func firstValue(raw []byte) (json.RawMessage, bool) {
	end := scanValue(raw, 0, 0)
	if end < 0 {
		return nil, false
	}
	return json.RawMessage(raw[:end:end]), true
}

// appendNoise keeps at most maxNoise bytes: it is for a person to look at.
func appendNoise(noise, more []byte) []byte {
	more = more[:min(len(more), maxNoise-len(noise))]
	if len(bytes.TrimSpace(more)) == 0 {
		return noise
	}
	return append(noise, more...)
}

func isContainer(raw []byte) bool { return raw[0] == '{' || raw[0] == '[' }

// unbatch gives the elements of a JSON-RPC batch. Version 1 is silent on
// batches; version 2 allows them on stdio.
func unbatch(raw []byte) []json.RawMessage {
	if raw[0] == '{' {
		return []json.RawMessage{raw}
	}
	var values []json.RawMessage
	for v := range elements(raw) {
		values = append(values, v)
	}
	return values
}
