package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

// answering starts an agent that answers method with result.
func answering(t *testing.T, method, result string) *peer {
	t.Helper()
	s := acptest.Script{Results: map[string]json.RawMessage{method: json.RawMessage(result)}}
	return start(t, s, acp.Options{})
}

func TestW9_InitializeIsLenient(t *testing.T) {
	t.Parallel()
	caps := func(s string) string { return `{"protocolVersion":1,"agentCapabilities":{` + s + `}}` }
	for name, c := range map[string]struct {
		result string
		ok     func(acp.Agent) bool
	}{
		"null":             {`null`, func(a acp.Agent) bool { return a.Raw == nil }},
		"an array":         {`[1]`, func(a acp.Agent) bool { return a.Name == "" }},
		"version 1.0":      {`{"protocolVersion":1.0}`, func(a acp.Agent) bool { return a.ProtocolVersion == 1 }},
		"version \"1\"":    {`{"protocolVersion":"1"}`, func(a acp.Agent) bool { return a.ProtocolVersion == 1 }},
		"version a date":   {`{"protocolVersion":"2025-01"}`, func(a acp.Agent) bool { return a.ProtocolVersion == 0 }},
		"load object":      {caps(`"loadSession":{}`), func(a acp.Agent) bool { return a.LoadSession }},
		"load null":        {caps(`"loadSession":null`), func(a acp.Agent) bool { return !a.LoadSession }},
		"load false":       {caps(`"loadSession":false`), func(a acp.Agent) bool { return !a.LoadSession }},
		"load a number":    {caps(`"loadSession":1`), func(a acp.Agent) bool { return !a.LoadSession }},
		"resume true":      {caps(`"sessionCapabilities":{"resume":true}`), func(a acp.Agent) bool { return a.Resume }},
		"resume object":    {caps(`"sessionCapabilities":{"resume":{}}`), func(a acp.Agent) bool { return a.Resume }},
		"session true":     {caps(`"sessionCapabilities":true`), func(a acp.Agent) bool { return !a.Resume }},
		"image object":     {caps(`"promptCapabilities":{"image":{}}`), func(a acp.Agent) bool { return a.Image }},
		"mcp":              {caps(`"mcpCapabilities":{"http":true,"sse":"no"}`), func(a acp.Agent) bool { return a.MCPHTTP && !a.MCPSSE }},
		"info a string":    {`{"agentInfo":"x"}`, func(a acp.Agent) bool { return a.Name == "" }},
		"version a number": {`{"agentInfo":{"name":"n","version":2}}`, func(a acp.Agent) bool { return a.Version == "2" }},
		"auth methods": {
			`{"authMethods":[{"id":"a"},{"id":"b","type":"terminal","env":["X=1"]},{"id":"c","type":"odd"},7]}`,
			func(a acp.Agent) bool {
				return len(a.AuthMethods) == 3 && a.AuthMethods[0].Type == "agent" &&
					a.AuthMethods[1].Type == "terminal" && a.AuthMethods[2].Type == "odd"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := answering(t, "initialize", c.result)
			a, err := p.Initialize(t.Context(), acp.ClientInfo{Name: "t"}, acp.ClientCapabilities{})
			if err != nil || !c.ok(a) {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
}

func TestInitializeRefusesVersion2(t *testing.T) {
	t.Parallel()
	p := answering(t, "initialize", `{"protocolVersion":2,"agentInfo":{"name":"new"}}`)
	a, err := p.Initialize(t.Context(), acp.ClientInfo{Name: "t"}, acp.ClientCapabilities{})
	if !errors.Is(err, acp.ErrProtocol) || a.Name != "new" {
		t.Errorf("got %+v, %v; want ErrProtocol", a, err)
	}
}

func TestSessionIsLenient(t *testing.T) {
	t.Parallel()
	result := `{"sessionId":"s","modes":{"currentModeId":"a"},"models":{},` +
		`"configOptions":[{"id":"x","type":"slider"},{"id":"y","type":"boolean"}]}`
	s, err := answering(t, "session/new", result).NewSession(t.Context(), acp.SessionParams{CWD: "/"})
	if err != nil || s.ID != "s" || s.Modes == nil || s.Models == nil || s.ConfigOptions == nil {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, result := range []string{`null`, `{}`, `{"sessionId":null}`} {
		p := answering(t, "session/new", result)
		if _, err := p.NewSession(t.Context(), acp.SessionParams{CWD: "/"}); err == nil {
			t.Errorf("new with result %s: got no error", result)
		}
		p = answering(t, "session/resume", result)
		s, err := p.ResumeSession(t.Context(), "old", acp.SessionParams{CWD: "/"})
		if err != nil || s.ID != "old" {
			t.Errorf("resume with result %s: got %+v, %v", result, s, err)
		}
	}
	p := answering(t, "session/set_config_option", `{"configOptions":[{"id":"x"}]}`)
	list, err := p.SetConfigOption(t.Context(), "s", "x", true)
	if err != nil || string(list) != `[{"id":"x"}]` {
		t.Errorf("got %s, %v", list, err)
	}
}

// updates are the hazards of section 4.5 of the notes on ACP.
var updates = map[string]struct {
	raw string
	ok  func(acp.Update) bool
}{
	"unknown chunk": {
		`{"sessionUpdate":"compaction_summary_chunk","content":{"type":"text","text":"x"}}`,
		func(u acp.Update) bool { _, ok := u.Text(); return !ok },
	},
	"notice": {
		`{"sessionUpdate":"notice","title":"x"}`,
		func(u acp.Update) bool { _, ok := u.Title(); return !ok },
	},
	"unknown block": {
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"video","data":"x"}}`,
		func(u acp.Update) bool {
			b, ok := u.Content()
			_, text := u.Text()
			return ok && b.Type == "video" && b.Raw != nil && !text
		},
	},
	"content an array": {
		`{"sessionUpdate":"agent_message_chunk","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
		func(u acp.Update) bool { text, ok := u.Text(); return ok && text == "ab" },
	},
	"usage in floats": {
		`{"sessionUpdate":"usage_update","used":12.0,"size":"200000","cost":{"amount":"0.1","currency":"USD"}}`,
		func(u acp.Update) bool {
			v, ok := u.Usage()
			return ok && v == acp.Usage{Used: 12, Size: 200000, HasCost: true, Cost: 0.1, Currency: "USD"}
		},
	},
	"usage without cost": {
		`{"sessionUpdate":"usage_update","used":null,"size":1e999,"cost":7}`,
		func(u acp.Update) bool { v, ok := u.Usage(); return ok && v == acp.Usage{} },
	},
	"line a float": {
		`{"sessionUpdate":"tool_call","toolCallId":"c","locations":[{"path":"/f","line":3.0},{"path":"/g"}]}`,
		func(u acp.Update) bool {
			c, ok := u.ToolCall()
			return ok && len(c.Locations) == 2 && c.Locations[0].Line == 3
		},
	},
	"odd tool content": {
		`{"sessionUpdate":"tool_call_update","toolCallId":7,"content":[9,{"type":"diff","path":"/f","newText":"n"},{"type":"odd"}]}`,
		func(u acp.Update) bool {
			c, ok := u.ToolCall()
			return ok && c.ID == "7" && len(c.Content) == 3 && c.Content[1].NewText == "n"
		},
	},
	"mode": {
		`{"sessionUpdate":"current_mode_update","modeId":"plan"}`,
		func(u acp.Update) bool { m, ok := u.Mode(); return ok && m == "plan" },
	},
	"title cleared": {
		`{"sessionUpdate":"session_info_update","title":null}`,
		func(u acp.Update) bool { s, ok := u.Title(); return ok && s == "" },
	},
	"title unchanged": {
		`{"sessionUpdate":"session_info_update","updatedAt":"x"}`,
		func(u acp.Update) bool { _, ok := u.Title(); return !ok },
	},
	"plan": {
		`{"sessionUpdate":"plan","entries":[{"content":"a","status":"pending"},{"content":2}]}`,
		func(u acp.Update) bool { p, ok := u.Plan(); return ok && len(p) == 2 && p[1].Content == "2" },
	},
	"escaped key": {
		`{"session\u0055pdate":"plan","entries":null}`,
		func(u acp.Update) bool { p, ok := u.Plan(); return ok && len(p) == 0 },
	},
	"no kind":     {`{"x":1}`, func(u acp.Update) bool { return u.Kind == "" }},
	"no object":   {`"text"`, func(u acp.Update) bool { return string(u.Raw) == `"text"` }},
	"bad unicode": {"{\"sessionUpdate\":\"a\xffb\"}", func(u acp.Update) bool { return u.Kind == "a\ufffdb" }},
}

func TestW8_UpdatesAreNeverMistaken(t *testing.T) {
	t.Parallel()
	for name, c := range updates {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := receive(t, c.raw)
			if !c.ok(u) || u.SessionID != "s" {
				t.Errorf("got %+v (%s)", u, u.Raw)
			}
			if string(u.Raw) != c.raw {
				t.Errorf("got raw %s, want %s", u.Raw, c.raw)
			}
		})
	}
}

// receive sends one update through a client.
func receive(t testing.TB, raw string) acp.Update {
	t.Helper()
	p := start(t, acptest.Script{Banner: []string{fmt.Sprintf(
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}`, raw)}},
		acp.Options{})
	p.mustPrompt("end_turn")
	return p.updates[0]
}

func TestToolCallMerge(t *testing.T) {
	t.Parallel()
	a := acp.ToolCall{ID: "1", Title: "t", Kind: "edit", Locations: []acp.Location{{Path: "/a"}}}
	got := a.Merge(acp.ToolCall{Status: "completed", Locations: []acp.Location{}})
	if got.Title != "t" || !got.Final() || len(got.Locations) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	options := func(kinds ...string) acp.PermissionRequest {
		var r acp.PermissionRequest
		for _, k := range kinds {
			r.Options = append(r.Options, acp.PermissionOption{ID: "id-" + k, Kind: k})
		}
		return r
	}
	for _, c := range []struct {
		r               acp.PermissionRequest
		allow, standing bool
		want            string
	}{
		{options("reject_once", "allow_always", "allow_once"), true, true, "id-allow_once"},
		{options("reject_once", "allow_always"), true, true, "id-allow_always"},
		{options("reject_once", "allow_always"), true, false, ""},
		{options("allow_forever", "yes"), true, true, ""},
		{options("allow_once", "reject_always", "reject_once"), false, false, "id-reject_once"},
		{options("allow_once", "reject_always"), false, true, "id-reject_always"},
		{options("allow_once"), false, false, ""},
		{options(), true, true, ""},
	} {
		got := c.r.Choose(c.allow, c.standing)
		if got.OptionID != c.want || got.Cancelled != (c.want == "") {
			t.Errorf("choose(%v, %v) of %+v: got %+v, want %q", c.allow, c.standing, c.r.Options, got, c.want)
		}
	}
}

func TestErrorClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code             int
		message, data    string
		gone, busy, auth bool
	}{
		{code: -32002, message: "Resource not found", gone: true},
		{code: -32001, message: "x", gone: true},
		{code: -32602, message: "Invalid params", data: `"Session not found"`, gone: true},
		{code: -32602, message: "Invalid params", data: `"Unknown sessionId: 0"`, gone: true},
		{code: -32603, message: "Internal error", data: `{"details":"No previous sessions found for this project."}`, gone: true},
		{code: -32603, message: "Internal error", data: `{"details":"no rollout found for thread id 0"}`, gone: true},
		{code: -32603, message: "Internal error: OpenCode service failure", data: `{"service":"session"}`, gone: true},
		{code: -32603, message: "Query closed before response received", gone: true},
		{code: -32603, message: "Session is active in another process (PID 7)", busy: true},
		{code: -32603, message: "Internal error", data: `{"details":"disk full"}`},
		{code: -32602, message: "cwd must be absolute"},
		{code: -32601, message: "method not found"},
		{code: -32000, message: "x", auth: true},
		{code: -32603, message: "Authentication required", auth: true},
	} {
		err := fmt.Errorf("load: %w", &acp.Error{
			Code: c.code, Message: c.message, Data: json.RawMessage(c.data),
		})
		if acp.IsSessionNotFound(err) != c.gone || acp.IsBusy(err) != c.busy ||
			acp.IsAuthRequired(err) != c.auth {
			t.Errorf("%v: got gone %v busy %v auth %v", err, acp.IsSessionNotFound(err),
				acp.IsBusy(err), acp.IsAuthRequired(err))
		}
	}
	for _, err := range []error{nil, context.DeadlineExceeded, acp.ErrClosed, &acp.DiedError{}} {
		if acp.IsSessionNotFound(err) || acp.IsBusy(err) || acp.IsAuthRequired(err) {
			t.Errorf("%v: got a class of agent errors", err)
		}
	}
}

func TestContentBlocks(t *testing.T) {
	t.Parallel()
	blocks := []acp.ContentBlock{
		acp.Text(""), acp.Link("f", "file:///f"), acp.Image("image/png", "aGk="),
		acp.Audio("audio/wav", "aGk="), acp.Embedded("file:///g", "text/plain", "g"),
		acp.EmbeddedBytes("file:///h", "application/zip", "aGk="),
	}
	got, err := json.Marshal(blocks)
	want := `[{"text":"","type":"text"},{"name":"f","type":"resource_link","uri":"file:///f"},` +
		`{"data":"aGk=","mimeType":"image/png","type":"image"},` +
		`{"data":"aGk=","mimeType":"audio/wav","type":"audio"},` +
		`{"resource":{"mimeType":"text/plain","text":"g","uri":"file:///g"},"type":"resource"},` +
		`{"resource":{"blob":"aGk=","mimeType":"application/zip","uri":"file:///h"},"type":"resource"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	for i, b := range (acp.Agent{}).Fit(blocks) {
		if (b.Type == acp.BlockText) != (i != 1) {
			t.Errorf("block %d became %+v", i, b)
		}
	}
}

func TestPresets(t *testing.T) {
	t.Parallel()
	for _, name := range acp.Names() {
		p, ok := acp.Lookup(name)
		if !ok || p.Name != name || p.Install == "" || (len(p.Command) == 0) != (name == "demo") {
			t.Errorf("got %+v, %v", p, ok)
		}
	}
	if _, ok := acp.Lookup("none"); ok {
		t.Error("found a preset named none")
	}
}
