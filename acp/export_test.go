package acp

import "encoding/json"

// Valid is what stands in for json.Valid.
var Valid = valid

// Scan gives what one walk through a line finds, nil for what is not there.
func Scan(raw []byte) (method string, parts map[string]json.RawMessage, ok bool) {
	e, ok := scanEnvelope(raw)
	return e.method, map[string]json.RawMessage{
		"id": e.id, "params": e.params, "result": e.result, "error": e.fault,
		"sessionId": e.session, "update": e.update, "sessionUpdate": e.kind, "content": e.content,
	}, ok
}
