package acptest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// burst costs next to nothing, so that a measure of a client is not one of the
// agent.
func (a *agent) burst() {
	head, tail, _ := strings.Cut(updateLine(a.sid, "agent_message_chunk", "TEXT"), "TEXT")
	pad := strings.Repeat("x", a.Size)
	for i := range a.Burst {
		number := strconv.Itoa(i+1) + " "
		for _, s := range []string{a.glued, head, number, pad[min(len(number), a.Size):], tail, a.eol} {
			_, _ = a.out.WriteString(s) // errors show at the next flush
		}
		a.glued = ""
	}
}

// floodText is long enough for a flood to be one of bytes.
var floodText = strings.Repeat("f", 10_000)

// send sends updates as they are.
func (a *agent) send(updates []json.RawMessage) {
	for _, u := range updates {
		a.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, a.sid, u))
	}
}

func (a *agent) respond(id json.RawMessage, result string) {
	line := fmt.Sprintf(`{"jsonrpc":"2.0","result":%s,"id":%s}`, result, a.id(id))
	if a.Batch {
		line = "[" + updateLine(a.sid, "agent_message_chunk", "batched") + "," + line + "]"
	}
	a.write(line)
}

func (a *agent) id(id json.RawMessage) string {
	switch {
	case a.StringIDs:
		return `"` + string(id) + `"`
	case a.FloatIDs:
		return string(id) + ".0"
	}
	return string(id)
}

func (a *agent) update(kind, text string) { a.write(updateLine(a.sid, kind, text)) }

func updateLine(sid, kind, text string) string {
	quoted, _ := json.Marshal(text) // a string always can
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + sid +
		`","update":{"sessionUpdate":"` + kind + `","content":{"type":"text","text":` +
		string(quoted) + `}}}}`
}

// write errors show at the next flush.
func (a *agent) write(line string) {
	_, _ = a.out.WriteString(a.glued + line + a.eol)
	a.glued = ""
}
