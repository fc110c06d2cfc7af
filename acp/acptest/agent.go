package acptest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// errExit ends the agent.
var errExit = errors.New("exit")

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// agent is one run of a script. It has a single goroutine.
type agent struct {
	Script
	out    *bufio.Writer
	eol    string
	glued  string
	prompt json.RawMessage // id of the open prompt
	sid    string
	asked  int
	open   int // requests of ours without an answer
	said   []string
	got    int
	authed bool
	deaf   bool
	shift  bool // the next prompt is answered with nothing
}

// Serve runs the script until in ends or the script exits.
func Serve(in io.Reader, out io.Writer, s Script) error {
	a := &agent{
		Script: s, out: bufio.NewWriterSize(out, 64<<10), eol: "\n", glued: s.Glued, sid: "s1",
	}
	if s.CRLF {
		a.eol = "\r\n"
	}
	if s.BOM {
		_, _ = a.out.WriteString("\xef\xbb\xbf")
	}
	for _, line := range s.Banner {
		_, _ = a.out.WriteString(line + a.eol)
	}
	for n := 0; n < s.Flood; n += len(floodText) {
		a.update("agent_message_chunk", floodText)
	}
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		if err := a.out.Flush(); err != nil {
			return err
		}
		if a.StopReadingAfter > 0 && a.got >= a.StopReadingAfter {
			return nil
		}
		raw, err := r.ReadBytes('\n')
		if err != nil {
			return nil //nolint:nilerr // the end of stdin is the end of the agent
		}
		a.got++
		if err := a.line(raw); err != nil {
			return a.out.Flush()
		}
	}
}

func (a *agent) line(raw []byte) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("client sent no JSON: %w", err)
	}
	a.log(m)
	if slices.Contains(a.ExitOn, m.Method) {
		return errExit
	}
	if slices.Contains(a.Silent, m.Method) {
		return nil
	}
	if a.refuses(m) {
		return nil
	}
	if fault, ok := a.Errors[m.Method]; ok {
		a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, a.id(m.ID), fault))
		return nil
	}
	if m.Method != "" && m.Method != "session/prompt" {
		a.send(a.Stray)
	}
	switch m.Method {
	case "":
		return a.answered(m)
	case "session/prompt":
		a.sid = sessionID(m.Params)
		a.send(a.Updates)
		if a.Memory != "" {
			return a.remember(m)
		}
		return a.begin(m)
	case "session/set_mode":
		a.mode(m)
		return nil
	case "session/cancel":
		return a.cancelled()
	case "session/load":
		a.load(m)
		return nil
	case "session/resume":
		if a.ReplayOnResume {
			a.load(m)
			return nil
		}
	}
	a.respond(m.ID, a.result(m.Method))
	return nil
}

func (a *agent) result(method string) string {
	if r, ok := a.Results[method]; ok {
		return string(r)
	}
	switch method {
	case "initialize":
		return `{"protocolVersion":1,"agentInfo":{"name":"acptest","version":"1"},` +
			`"agentCapabilities":{"loadSession":true}}`
	case "session/new":
		a.forget()
		return `{"sessionId":"` + a.sid + `"` + a.modes(",") + `}`
	}
	return `{}`
}

func (a *agent) load(m message) {
	a.sid = sessionID(m.Params)
	if a.Memory != "" && !a.has(a.sid) && !a.UnknownLoads {
		a.write(`{"jsonrpc":"2.0","id":` + a.id(m.ID) + `,"error":{"code":-32002,"message":"Resource not found"}}`)
		return
	}
	result := "null"
	if r, ok := a.Results["session/load"]; ok {
		result = string(r)
	} else if len(a.Modes) > 0 {
		result = "{" + a.modes("") + "}"
	}
	if a.ReplayLate {
		a.respond(m.ID, result)
	}
	for i := range a.Replay {
		a.update("user_message_chunk", strconv.Itoa(i+1)+" ")
	}
	a.playBack()
	a.send(a.Replayed)
	if !a.ReplayLate {
		a.respond(m.ID, result)
	}
}

func (a *agent) begin(m message) error {
	a.prompt, a.sid, a.said = m.ID, sessionID(m.Params), nil
	a.burst()
	if a.Huge > 0 {
		a.update("agent_message_chunk", strings.Repeat("h", a.Huge))
	}
	if a.ExitInPrompt {
		return errExit
	}
	for range a.Permissions {
		a.askPermission()
	}
	if a.Ask != "" {
		a.request(a.Ask, fmt.Sprintf(`{"sessionId":%q,"pad":%q}`, a.sid, strings.Repeat("x", a.AskSize)))
	}
	if a.open == 0 && !a.WaitForCancel {
		return a.end("end_turn")
	}
	return nil
}

const noAndYes = `[{"optionId":"no","name":"No","kind":"reject_once"},` +
	`{"optionId":"yes","name":"Yes","kind":"allow_once"}]`

func (a *agent) askPermission() {
	id := a.request("session/request_permission", fmt.Sprintf(`{"sessionId":%q,`+
		`"toolCall":{"toolCallId":"c%d","title":"t","kind":"edit"},"options":%s}`,
		cmp.Or(a.AskAs, a.sid), a.asked, cmp.Or(string(a.Options), noAndYes)))
	if a.TakeBack {
		a.write(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`)
	}
}

func (a *agent) request(method, params string) (id string) {
	id = strconv.Itoa(a.asked)
	if a.AskID != "" {
		id = a.AskID
	}
	a.asked++
	a.open++
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// answered takes an answer to a request of ours and says what it was.
func (a *agent) answered(m message) error {
	a.open--
	text := string(m.Result)
	if m.Error != nil {
		text = string(m.Error)
	}
	a.update("agent_message_chunk", text+"\n")
	if a.open == 0 && !a.WaitForCancel {
		return a.end("end_turn")
	}
	return nil
}

func (a *agent) cancelled() error {
	if a.deaf {
		return nil
	}
	a.shift = a.Shifted && a.prompt != nil
	if a.prompt == nil {
		a.update("agent_message_chunk", "cancel while idle")
		return nil
	}
	a.WaitForCancel = false
	if a.AskLate {
		a.askPermission()
		return nil
	}
	if a.CancelError != nil {
		a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, a.id(a.prompt), a.CancelError))
		a.prompt = nil
		return nil
	}
	if a.CancelStop == "" {
		return a.end("cancelled")
	}
	return a.end(a.CancelStop)
}

func (a *agent) end(stop string) error {
	id := a.prompt
	a.prompt = nil
	switch {
	case a.NullIDError:
		a.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)
	case a.NoIDError:
		a.write(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}`)
	case a.NoResult:
		a.write(`{"jsonrpc":"2.0","id":` + a.id(id) + `}`)
	case a.HugeAnswer > 0:
		a.respond(id, `{"stopReason":"`+strings.Repeat("h", a.HugeAnswer)+`"}`)
	default:
		a.respond(id, `{"stopReason":"`+stop+`"}`)
	}
	if a.AnswerTwice {
		a.respond(id, `{"stopReason":"refusal"}`)
	}
	for i := range a.Late {
		a.update("agent_message_chunk", "late "+strconv.Itoa(i+1))
	}
	if a.ExitAfterAnswer {
		return errExit
	}
	return nil
}

func sessionID(params json.RawMessage) string {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(params, &p) // no id is an empty id
	return p.SessionID
}
