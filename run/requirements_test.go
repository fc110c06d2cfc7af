package run_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp/acptest"
	"blaise.dev/blaise/api/apitest"
)

// A pause that Blaise does not answer, however often it is told, destroys
// nothing and says nothing else: Blaise owes the teardown then (A7).
func TestA7_NoAnswerToAPauseDestroysNothing(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	c.Verdict = apitest.Verdicts(blaise.VerdictTeardown)
	c.Lose[blaise.EventPauseReported] = 1000
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Stop(false)
	if err := done(); err != nil {
		t.Fatal(err)
	}
	if n := h.worktrees(); n != 1 {
		t.Errorf("%d worktrees, want the one there was", n)
	}
	if slices.Contains(c.Kinds(), blaise.EventDestroyed) {
		t.Errorf("reports %v", c.Kinds())
	}
}

// A record that Blaise refuses fails the run: an agent whose words are kept
// nowhere does not work on (A21).
func TestA21_RefusedRecordFailsTheRun(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Set(func() { c.Refuse = true })
	c.Prompt("stestone.m1", "hello")
	if err := done(); err == nil || blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("the run ended with %v", err)
	}
}

// A message that Blaise does not give away, because it was withdrawn, is not
// written to the agent; the next one is (X1).
func TestX1_WhatIsNotClaimedIsNotWritten(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	c.Withdrawn = "stestone.m1"
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Prompt("stestone.m1", "echo withdrawn")
	c.Prompt("stestone.m2", "echo kept")
	if rep := c.answered(1, blaise.MessageAnswered); rep.Message != "stestone.m2" {
		t.Errorf("answered %s", rep.Message)
	}
	c.Stop(true)
	if err := done(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(h.witness())
	if n := strings.Count(string(b), "\n"); err != nil || n != 1 {
		t.Errorf("the agent got %d prompts, %v:\n%s", n, err, b)
	}
}

// An interrupted message whose prompt the agent does not have any more is
// written again, as a repeat (X1).
func TestX1_PromptThatTheReplayLacksIsWrittenAgain(t *testing.T) {
	t.Parallel()
	h, first, second := newHouse(t), newControl(t), newControl(t)
	h.session(first, apitest.Lease(blaise.RunStart, 1), "hello")
	second.Verdict = apitest.Verdicts(blaise.VerdictExit)
	done := h.begin(t.Context(), second, first.next(blaise.RunResume, 2))
	second.Report(blaise.EventOpened)
	second.Tell(blaise.Directive{Kind: blaise.DirectivePrompt, Message: "stestone.m2", Text: "echo again",
		Repeat: 1, GoOn: true})
	if got := second.answered(1, blaise.MessageAnswered).Text; got != "again" {
		t.Errorf("the agent answered %q", got)
	}
	if !strings.Contains(second.Text(), `"repeat":1`) {
		t.Errorf("the record does not tell of the repeat:\n%s", second.Text())
	}
	second.Stop(true)
	if err := done(); err != nil {
		t.Fatal(err)
	}
}

// A secret that the agent says in two pieces is in neither (X8).
func TestX8_SecretSplitAcrossChunks(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	var pieces []json.RawMessage
	for _, text := range []string{"it is " + secret[:9], secret[9:] + ", I think"} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, json.RawMessage(
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":`+string(quoted)+`}}`))
	}
	h.scripted(acptest.Script{Updates: pieces})
	h.session(c, apitest.Lease(blaise.RunStart, 1), "tell me")
	if got := c.Text(); strings.Contains(got, secret[:9]) || strings.Contains(got, secret[9:]) || !strings.Contains(got, "I think") {
		t.Errorf("the record has a piece of the secret, or not what is around it:\n%s", got)
	}
}

// A question loses the secrets in what the gate is asked about, too; where a path
// with one leads is then left open (X8).
func TestX8_SecretInWhatTheGateIsAsked(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	for i, w := range []struct {
		ask  string
		want blaise.Action
	}{
		{"run login " + secret, blaise.Action{
			Tool: blaise.ToolExecute, Name: "Run login [redacted]", Command: "login [redacted]",
		}},
		{"write " + secret + " text", blaise.Action{
			Tool: blaise.ToolEdit, Name: "Write [redacted]", Paths: []blaise.ActionPath{{Said: "[redacted]"}},
		}},
	} {
		c.Prompt(blaise.SessionID("stestone").Message(i+1), w.ask)
		q := c.ReportN(blaise.EventQuestionAsked, i+1).Question
		if !reflect.DeepEqual(q.Asks, &w.want) {
			t.Errorf("the gate is asked about %s, want %s", apitest.Dump(q.Asks), apitest.Dump(w.want))
		}
		if strings.Contains(apitest.Dump(q), secret) {
			t.Errorf("the secret is in the question: %s", apitest.Dump(q))
		}
		c.Allow(q)
		c.answered(i+1, blaise.MessageAnswered)
	}
	c.Stop(true)
	if err := done(); err != nil {
		t.Fatal(err)
	}
}
