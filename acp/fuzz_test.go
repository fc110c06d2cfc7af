package acp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

// FuzzStdout gives a client any bytes as the agent's output. It must come to
// the end of them, hand on only valid JSON, and not panic outside a recover.
func FuzzStdout(f *testing.F) {
	for _, s := range []string{
		"", "\n", "{}\n", "[]\n", "{\"", "\xef\xbb\xbf{\"jsonrpc\":\"2.0\"}\r\n",
		`{"jsonrpc":"2.0","id":1,"result":null}` + "\n",
		`{"id":null,"error":{"code":-32700}}`, `{"error":"x"}` + "\n" + `{"id":"1.0","result":{}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`,
		`x {"method":"session/request_permission","id":"a","params":{"options":[{"optionId":1}]}}`,
		`{"method":"$/cancel_request","params":{"requestId":"a"}}` + "\n[[{}],{\"method\":7}]",
		`{"params":{"x":"` + string(bytes.Repeat([]byte("y"), 5000)) + `"},"id":1}` + "\nrest",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = w.Write(data)
			_ = w.Close()
		}()
		o := acp.Options{MaxLine: 4096, WriteTimeout: time.Minute}
		o.Frames = func(_ acp.Direction, raw []byte) {
			if !json.Valid(raw) {
				t.Errorf("got a frame that is no JSON: %q", raw)
			}
		}
		rec := &recorder{onUpdate: func(u acp.Update) { view(u) }}
		p := connect(t, &acptest.Agent{Stdin: devNull(t), Stdout: r}, rec, o)
		if err := <-p.ran; err != nil {
			t.Errorf("run: %v", err)
		}
	})
}

// FuzzUpdate looks at any bytes as an update.
func FuzzUpdate(f *testing.F) {
	for _, s := range []string{
		`{"sessionUpdate":"tool_call","toolCallId":"c","content":[{"type":"diff"}]}`,
		`{"content":[{"type":"text","text":"\ud800"}]}`, `{"used":1e999,"cost":{"amount":"x"}}`,
		`{"entries":{"content":1}}`, `{"a`, `[`, `{"a":"\`, `{"locations":[{"line":-1.5}]}`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		for _, kind := range []string{
			acp.KindAgentChunk, acp.KindToolCall, acp.KindPlan, acp.KindUsage, acp.KindMode,
			acp.KindConfig, acp.KindInfo,
		} {
			view(acp.Update{Kind: kind, Raw: data})
		}
	})
}

// view calls every view of u.
func view(u acp.Update) {
	u.Text()
	u.Content()
	u.ToolCall()
	u.Plan()
	u.Usage()
	u.Mode()
	u.ConfigOptions()
	u.Title()
	u.MessageID()
}
