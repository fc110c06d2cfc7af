package acp_test

import (
	"slices"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

func TestW2_Tolerated(t *testing.T) {
	s := acptest.Script{CRLF: true, Burst: 1, Banner: []string{
		`{"id":99,"result":{}}`,
		`{"method":"_auth/status_update","params":{"a":1}}`,
		`{"jsonrpc":"2.0","method":"no/such/notification"}`,
		"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":" +
			"\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"a\xffb \"}}}}",
	}}
	both(t, s, acp.Options{}, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		if got := p.Stats(); got.Noise != 0 || got.Unmatched != 1 || p.text() != "a\ufffdb 1 " {
			t.Errorf("got %+v and %q", got, p.text())
		}
	})
}

// Every odd update, by either kind of agent, comes whole and as it was sent.
func TestW10_OddUpdatesAreKeptAsTheyCame(t *testing.T) {
	var sent []string
	for name, u := range updates {
		if name != "bad unicode" { // JSON would mend it on its way to the agent
			sent = append(sent, u.raw)
		}
	}
	both(t, acptest.Script{Updates: list(sent...)}, acp.Options{}, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		var got []string
		for _, u := range p.updates {
			view(u)
			got = append(got, string(u.Raw))
		}
		if !slices.Equal(got, sent) {
			t.Errorf("got %q\nwant %q", got, sent)
		}
	})
}
