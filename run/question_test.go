package run_test

import (
	"encoding/json"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/run"
)

// A request that only names its call is shown with what was told of the call
// before; what it tells itself stands.
func TestAQuestionHasWhatWasToldOfItsCall(t *testing.T) {
	t.Parallel()
	told := acp.ToolCall{ID: "c1", RawInput: json.RawMessage(`{"command":"ls"}`),
		Content: []acp.ToolContent{{Raw: json.RawMessage(`{"type":"diff"}`)}}}
	for _, x := range []struct{ raw, own, want string }{
		{`{"toolCall":{"toolCallId":"c1"}}`, "",
			`{"toolCall":{"content":[{"type":"diff"}],"rawInput":{"command":"ls"},"toolCallId":"c1"}}`},
		{`{"toolCall":{"rawInput":{"command":"rm"}}}`, `{"command":"rm"}`,
			`{"toolCall":{"content":[{"type":"diff"}],"rawInput":{"command":"rm"}}}`},
		{`{"toolCall":null}`, "", `{"toolCall":null}`},
		{`[]`, "", `[]`},
	} {
		ask := acp.PermissionRequest{Raw: json.RawMessage(x.raw)}
		if x.own != "" {
			ask.ToolCall.RawInput = json.RawMessage(x.own)
		}
		if got := string(run.Detail(ask, told.Merge(ask.ToolCall))); got != x.want {
			t.Errorf("of %s: %s, want %s", x.raw, got, x.want)
		}
	}
}
