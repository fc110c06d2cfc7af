package run_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/transcript"
)

// scripted makes the agent of blaise.yml a scripted one, behind sh -c.
func (h *house) scripted(s acptest.Script) {
	h.t.Helper()
	if s.Memory == "" {
		s.Memory = filepath.Join(h.state, "memory")
	}
	s.CallLog = filepath.Join(h.state, "calls")
	script, err := json.Marshal(s)
	if err != nil {
		h.t.Fatal(err)
	}
	command, err := json.Marshal([]string{"sh", "-c", `"$0" "$@"; exit $?`, h.program(), "acptest", string(script)})
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("command: "+string(command), "{use: worktree, id: src, repo: repo}")
}

// calls are the methods that the agent got, and their params.
func (h *house) calls(method string) (params []string) {
	b, _ := os.ReadFile(filepath.Join(h.state, "calls"))
	for line := range strings.Lines(string(b)) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), method+" "); ok {
			params = append(params, p)
		}
	}
	return params
}

func says(name, version, caps string) map[string]json.RawMessage {
	return map[string]json.RawMessage{"initialize": json.RawMessage(fmt.Sprintf(
		`{"protocolVersion":1,"agentInfo":{"name":%q,"version":%q},"agentCapabilities":%s}`,
		name, version, caps))}
}

// session runs one run: a message for each text, answered or as want says.
func (h *house) session(c *control, l api.Lease, texts ...string) {
	h.t.Helper()
	done := h.begin(h.t.Context(), c, l)
	c.Report(blaise.EventOpened)
	for i, text := range texts {
		c.Prompt(blaise.SessionID("stestone").Message(l.Turns+i+1), text)
		c.ReportN(blaise.EventTurnEnded, i+1)
	}
	c.Stop(true)
	if err := done(); err != nil {
		h.t.Fatal(err)
	}
}

// resumed is a second run of the session after a first one with one turn.
func (h *house) resumed(change func(*api.Lease), texts ...string) *control {
	h.t.Helper()
	first := newControl(h.t)
	h.session(first, apitest.Lease(blaise.RunStart, 1), "one")
	l := first.next(blaise.RunResume, 2)
	if change != nil {
		change(&l)
	}
	second := newControl(h.t)
	h.session(second, l, texts...)
	return second
}

// Each way a turn can end has a word of its own, in turn_ended and as the
// reason of the message (C29, C39, A23, B5).
func TestOutcomes(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	h.scripted(acptest.Script{})
	l := apitest.Lease(blaise.RunStart, 1)
	l.Limits.StopGrace = 300 * time.Millisecond
	done := h.begin(t.Context(), c, l)
	c.Report(blaise.EventOpened)
	turn := 0
	ends := func(text, cancel, outcome string, want blaise.MessageState) {
		t.Helper()
		turn++
		m := blaise.SessionID("stestone").Message(turn)
		c.Prompt(m, text)
		if cancel != "" {
			c.Event("words of "+text, func(e transcript.Event) bool {
				return e.Turn == string(m) && strings.Contains(string(e.Data), "hanging")
			})
			c.Tell(blaise.Directive{Kind: blaise.DirectiveCancel, Message: m, Reason: cancel})
		}
		rep, end := c.answered(turn, want), c.ended(turn)
		if end.Outcome != outcome || outcome != "answered" && rep.Reason == "" {
			t.Errorf("%s: got %+v, reason %q, want %s", text, end, rep.Reason, outcome)
		}
		if text == "hang" && !slices.Equal(end.Unfinished, []string{"t1"}) {
			t.Errorf("%s: unfinished %v", text, end.Unfinished)
		}
	}
	ends("one", "", "answered", blaise.MessageAnswered)
	ends("hang", "enough", "cancelled", blaise.MessageCancelled)
	ends("deaf", "enough", "cancel_forced", blaise.MessageCancelled)
	ends("hang", "stalled", "stalled", blaise.MessageInterrupted)
	ends("crash", "", "agent_died", blaise.MessageInterrupted)
	ends("refuse", "", "refused", blaise.MessageFailed) // Hermes does, for an id it does not have
	ends("two", "", "answered", blaise.MessageAnswered)
	ends("refuse", "", "refused", blaise.MessageAnswered)
	if got := c.ReportN(blaise.EventTurnEnded, turn-1).Text; !strings.Contains(got, "one | hang") {
		t.Errorf("the agent remembers %q", got)
	}
	c.Stop(true)
	if err := done(); err != nil {
		t.Fatal(err)
	}
}

// C19, C24, C25: load wherever it is advertised, with the same cwd and servers,
// never resume beside it; the result may be null.
func TestLoadGoesBeforeResume(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{Results: says("x", "1", `{"loadSession":true,"sessionCapabilities":{"resume":{}}}`)})
	c := h.resumed(nil, "two")
	if got := c.context(); got != blaise.ContextFull {
		t.Errorf("context %q", got)
	}
	if len(h.calls("session/resume")) != 0 || len(h.calls("session/load")) != 1 {
		t.Error("it was resumed")
	}
	began, loaded := h.calls("session/new")[0], h.calls("session/load")[0]
	if strings.Replace(loaded, `,"sessionId":"s1"`, "", 1) != began {
		t.Errorf("loaded with %s, begun with %s", loaded, began)
	}
}

// C14, C26, C27: a replay after the answer does not enter the record.
func TestC14_ReplayAfterTheAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{ReplayLate: true})
	c := h.resumed(nil, "two")
	if got := c.context(); got != blaise.ContextFull {
		t.Errorf("context %q", got)
	}
	if strings.Contains(c.Text(), "answered one") {
		t.Errorf("the replay is in the record:\n%s", c.Text())
	}
}

// C15, C18, P22: an agent that plays nothing back may have lost it all; one that
// never does is unverified.
func TestC15_NothingPlayedBack(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]blaise.ContextState{
		"x": blaise.ContextNone, "Kimi CLI": blaise.ContextUnverified,
	} {
		h := newHouse(t)
		h.scripted(acptest.Script{NoReplay: true, Results: says(name, "1", `{"loadSession":true}`)})
		c := h.resumed(nil, "two")
		if got := c.context(); got != want {
			t.Errorf("%s: context %q, want %q", name, got, want)
		}
		if want == blaise.ContextNone && !strings.Contains(c.Text(), "played back 0 of 1") {
			t.Errorf("no notice:\n%s", c.Text())
		}
	}
}

// C16, C22, P21: what may pass is tried three times, and never leads to a new
// conversation; a load that is known bad gives way to resume.
func TestC22_LoadThatFailsIsNoNewConversation(t *testing.T) {
	t.Parallel()
	locked := json.RawMessage(`{"code":-32603,"message":"Session is active in another process (PID 7)"}`)
	h := newHouse(t)
	h.scripted(acptest.Script{LoadFails: 2, LoadFault: locked})
	if got := h.resumed(nil, "two").context(); got != blaise.ContextFull {
		t.Errorf("context %q", got)
	}
	if n := len(h.calls("session/load")); n != 3 {
		t.Errorf("loaded %d times", n)
	}
	h = newHouse(t)
	h.scripted(acptest.Script{LoadFails: 9, LoadFault: locked})
	first, second := newControl(t), newControl(t)
	h.session(first, apitest.Lease(blaise.RunStart, 1), "one")
	second.Verdict = apitest.Verdicts(blaise.VerdictExit)
	err := h.begin(t.Context(), second, first.next(blaise.RunResume, 2))()
	if err == nil || !strings.Contains(err.Error(), "another process") || len(h.calls("session/new")) != 1 {
		t.Errorf("the run ended with %v, conversations begun: %d", err, len(h.calls("session/new")))
	}
}

// A session that was never answered is not durable with most agents: a new one
// begins, nothing is lost, and nobody is asked.
func TestNeverDurable(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{Volatile: true})
	first, second := newControl(t), newControl(t)
	h.session(first, apitest.Lease(blaise.RunStart, 1))
	l := first.next(blaise.RunResume, 2)
	l.OnContextLoss = blaise.ReactFail
	h.session(second, l, "one")
	if rep := second.answered(1, blaise.MessageAnswered); !strings.Contains(rep.Text, "said: one") {
		t.Errorf("got %q", rep.Text)
	}
	if strings.Contains(second.Text(), "no longer has") {
		t.Errorf("a loss was told:\n%s", second.Text())
	}
}

// C13: a session that a load in its first minute would destroy is not loaded in
// it; a stop does not wait for that.
func TestC13_LoadInTheSameMinute(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	if got := acp.NextMinute(at); !got.Equal(time.Date(2026, 1, 2, 3, 5, 1, 0, time.UTC)) {
		t.Errorf("next minute is %v", got)
	}
	h := newHouse(t)
	h.scripted(acptest.Script{Results: says("gemini-cli", "0.61.0", `{"loadSession":true}`)})
	first, second := newControl(t), newControl(t)
	h.session(first, apitest.Lease(blaise.RunStart, 1), "one")
	l := first.next(blaise.RunResume, 2)
	if l.Conversation.OpenedAt.IsZero() {
		t.Error("when it was opened is not kept")
	}
	l.Conversation.OpenedAt = time.Now().Add(20 * time.Second) // its minute is not over yet
	second.Verdict = apitest.Verdicts(blaise.VerdictExit)
	done := h.begin(t.Context(), second, l)
	second.Event("notice", func(e transcript.Event) bool {
		return strings.Contains(string(e.Data), "in the minute it was opened in")
	})
	if len(h.calls("session/load")) != 0 {
		t.Error("it was loaded")
	}
	if !strings.Contains(first.Text(), "sessionRetention") {
		t.Errorf("no warning:\n%s", first.Text())
	}
	second.Stop(true)
	if err := done(); err != nil {
		t.Fatal(err)
	}
}

// C23: a mode that was chosen is set again after a load, and verified.
func TestC23_ModeIsSetAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{Modes: []string{"ask", "auto"}})
	c := h.resumed(func(l *api.Lease) {
		l.Conversation.Settings = map[string]string{"mode": "auto", "model": "gone"}
	}, "two")
	if got := h.calls("session/set_mode"); len(got) != 1 || !strings.Contains(got[0], `"auto"`) {
		t.Errorf("set_mode calls %q", got)
	}
	for _, want := range []string{"it is auto again", "model was gone and is not"} {
		if !strings.Contains(c.Text(), want) {
			t.Errorf("no notice %q:\n%s", want, c.Text())
		}
	}
	if got := c.Report(blaise.EventConversation).Conversation.Settings["mode"]; got != "auto" {
		t.Errorf("kept %q", got)
	}
}

// R15: a login that needs no person is tried once; any other is told.
func TestAuthRequired(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	h.scripted(acptest.Script{NeedAuth: "browser-login"})
	err := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))()
	if err == nil || !strings.Contains(err.Error(), "auth_required") || !strings.Contains(err.Error(), "browser-login") {
		t.Errorf("the run ended with %v", err)
	}
	c.Report(blaise.EventRefused)
	if len(h.calls("authenticate")) != 0 {
		t.Error("authenticate was called")
	}
	h, c = newHouse(t), newControl(t)
	h.scripted(acptest.Script{NeedAuth: "browser-login", AuthInPrompt: true})
	h.session(c, apitest.Lease(blaise.RunStart, 1), "one")
	c.answered(1, blaise.MessageFailed)
	if end := c.ended(1); end.Outcome != "auth_required" || !strings.Contains(end.Reason, "To do: ") {
		t.Errorf("got %+v", end)
	}
}

// Claude 0.23 is off by one after a cancel: another process goes on.
func TestShiftedByCancel(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	h.scripted(acptest.Script{Shifted: true,
		Results: says("@zed-industries/claude-agent-acp", "0.23.1", `{"loadSession":true}`)})
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Prompt("stestone.m1", "hang")
	c.Event("words", func(e transcript.Event) bool { return strings.Contains(string(e.Data), "hanging") })
	c.Tell(blaise.Directive{Kind: blaise.DirectiveCancel, Message: "stestone.m1", Reason: "enough"})
	c.answered(1, blaise.MessageCancelled)
	c.Prompt("stestone.m2", "two")
	if rep := c.answered(2, blaise.MessageAnswered); !strings.Contains(rep.Text, "two") {
		t.Errorf("got %q", rep.Text)
	}
	c.Stop(true)
	if err := done(); err != nil {
		t.Fatal(err)
	}
}
