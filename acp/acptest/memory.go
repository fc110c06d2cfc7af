package acptest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A saying is one line of Script.Memory: what the user said, in a session.
type saying struct {
	Session  string `json:"session"`
	Text     string `json:"text"`
	Answered bool   `json:"answered"`
}

func (a *agent) sayings() (all []saying) {
	b, _ := os.ReadFile(a.Memory) // nothing yet is no memory
	for line := range strings.Lines(string(b)) {
		var s saying
		if json.Unmarshal([]byte(line), &s) == nil {
			all = append(all, s)
		}
	}
	return all
}

func (a *agent) keep(all []saying) {
	var b strings.Builder
	for _, s := range all {
		line, _ := json.Marshal(s) // strings always can
		b.Write(append(line, '\n'))
	}
	_ = os.WriteFile(a.Memory, []byte(b.String()), 0o600) // the test sees that it is not there
}

// forget begins a session: a number more than the last.
func (a *agent) forget() {
	if a.Memory == "" {
		return
	}
	n := 1
	for a.has(fmt.Sprintf("s%d", n)) {
		n++
	}
	a.sid = fmt.Sprintf("s%d", n)
}

func (a *agent) has(session string) bool {
	for _, s := range a.sayings() {
		if s.Session == session && (s.Answered || !a.Volatile) {
			return true
		}
	}
	return false
}

// playBack is the replay of what is remembered.
func (a *agent) playBack() {
	if a.Memory == "" || a.NoReplay {
		return
	}
	for _, s := range a.sayings() {
		if s.Session != a.sid {
			continue
		}
		a.update("user_message_chunk", s.Text)
		if s.Answered {
			a.update("agent_message_chunk", "answered "+s.Text)
		}
	}
}

// remember is a turn of a conversation that is kept.
func (a *agent) remember(m message) error {
	text := promptText(m.Params)
	a.prompt, a.sid = m.ID, sessionID(m.Params)
	if a.shift {
		a.shift = false
		return a.end("end_turn")
	}
	all := append(a.sayings(), saying{Session: a.sid, Text: text})
	a.keep(all)
	switch text {
	case "crash":
		a.update("agent_message_chunk", "about to crash")
		_ = a.out.Flush() // who reads is to see it
		return errExit
	case "hang", "deaf":
		a.deaf = text == "deaf"
		a.write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + a.sid +
			`","update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"x","status":"in_progress"}}}`)
		a.update("agent_message_chunk", "hanging")
		return nil
	case "refuse":
		return a.end("refusal")
	}
	var said []string
	for _, s := range all {
		if s.Session == a.sid {
			said = append(said, s.Text)
		}
	}
	a.update("agent_message_chunk", "said: "+strings.Join(said, " | "))
	all[len(all)-1].Answered = true
	a.keep(all)
	return a.end("end_turn")
}

func promptText(params json.RawMessage) string {
	var p struct {
		Prompt []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	}
	_ = json.Unmarshal(params, &p) // no prompt is an empty one
	var b strings.Builder
	for _, block := range p.Prompt {
		b.WriteString(block.Text)
	}
	return b.String()
}

// refuses answers what the script does not let through, and says so.
func (a *agent) refuses(m message) bool {
	if m.Method == "authenticate" {
		a.authed = true
		return false
	}
	wanted := m.Method == "session/prompt" || !a.AuthInPrompt && strings.HasPrefix(m.Method, "session/")
	if a.NeedAuth != "" && !a.authed && wanted && m.ID != nil {
		a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Authentication required",`+
			`"data":{"authMethods":[{"id":%q,"name":"Key"}]}}}`, a.id(m.ID), a.NeedAuth))
		return true
	}
	if m.Method == "session/load" && a.LoadFails > 0 {
		tries, _ := os.ReadFile(a.Memory + ".tries")
		if len(tries) < a.LoadFails {
			_ = os.WriteFile(a.Memory+".tries", append(tries, '.'), 0o600)
			a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, a.id(m.ID), a.LoadFault))
			return true
		}
	}
	return false
}

// modes is the member modes of a result, with the first as the current one.
func (a *agent) modes(before string) string {
	if len(a.Modes) == 0 {
		return ""
	}
	var list []map[string]string
	for _, id := range a.Modes {
		list = append(list, map[string]string{"id": id, "name": id})
	}
	all, _ := json.Marshal(list)
	return fmt.Sprintf(`%s"modes":{"currentModeId":%q,"availableModes":%s}`, before, a.Modes[0], all)
}

func (a *agent) mode(m message) {
	var p struct{ ModeID string }
	_ = json.Unmarshal(m.Params, &p)
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":`+
		`{"sessionUpdate":"current_mode_update","currentModeId":%q}}}`, a.sid, p.ModeID))
	a.respond(m.ID, "{}")
}

func (a *agent) log(m message) {
	if a.CallLog == "" || m.Method == "" {
		return
	}
	f, err := os.OpenFile(a.CallLog, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintln(f, m.Method, string(m.Params))
	_ = f.Close()
}
