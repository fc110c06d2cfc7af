package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp/acptest"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/transcript"
)

// begun runs a first run that cannot begin its conversation, and gives why.
func (h *house) begun(change func(*api.Lease)) string {
	h.t.Helper()
	c, l := newControl(h.t), apitest.Lease(blaise.RunStart, 1)
	change(&l)
	err := h.begin(h.t.Context(), c, l)()
	if err == nil {
		h.t.Fatal("the run ended well")
	}
	return err.Error() + "\n" + c.Text()
}

func hasty(l *api.Lease) { l.Limits.AgentStart = 500 * time.Millisecond }

// C04: an agent that prints and never speaks is given up at the limit, with
// what it printed; C41: as is one that does not answer, with its stderr.
func TestC04_OnlyNoise(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{Banner: []string{"please log in first"}, Silent: []string{"initialize"}})
	if why := h.begun(hasty); !strings.Contains(why, "last output:\nplease log in first") {
		t.Errorf("got %s", why)
	}
}

func TestC41_InitializeIsNeverAnswered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{Stderr: "no such model", IgnoreTerm: true, Silent: []string{"initialize"}})
	if why := h.begun(hasty); !strings.Contains(why, "last output:\nno such model") {
		t.Errorf("got %s", why)
	}
}

// C43: an agent that dies of session/new is told as that, with its stderr.
func TestC43_NewConversationKillsTheAgent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{Stderr: "mcp: cannot start", ExitOn: []string{"session/new"}})
	why := h.begun(func(*api.Lease) {})
	if !strings.Contains(why, "mcp: cannot start") || !strings.Contains(why, "session/new") {
		t.Errorf("got %s", why)
	}
}

// C16: a load that is never answered ends at the limit, and is no reason for a
// new conversation.
func TestC16_LoadIsNeverAnswered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{Silent: []string{"session/load"}})
	first, second := newControl(t), newControl(t)
	h.session(first, apitest.Lease(blaise.RunStart, 1), "one")
	l := first.next(blaise.RunResume, 2)
	l.Limits.Load = 300 * time.Millisecond
	second.Verdict = apitest.Verdicts(blaise.VerdictExit)
	err := h.begin(t.Context(), second, l)()
	if err == nil || !strings.Contains(err.Error(), "session/load") || len(h.calls("session/new")) != 1 {
		t.Errorf("the run ended with %v, conversations begun: %d", err, len(h.calls("session/new")))
	}
}

// C18: what resume plays back, against the spec, is no news either.
func TestC18_ResumeThatReplays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{ReplayOnResume: true, Results: says("x", "1", `{"sessionCapabilities":{"resume":{}}}`)})
	c := h.resumed(nil, "two")
	if len(h.calls("session/resume")) != 1 || strings.Contains(c.Text(), "answered one") {
		t.Errorf("resumed %d times; the record:\n%s", len(h.calls("session/resume")), c.Text())
	}
}

// C26: nothing of a replay is in the record a second time. C27: a tool call in
// it, be it an old one that was never done, is not acted on.
func TestC26_ReplayIsNotRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{})
	if c := h.resumed(nil, "two"); strings.Contains(c.Text(), "answered one") {
		t.Errorf("the replay is in the record:\n%s", c.Text())
	}
}

func TestC27_ToolCallInAReplay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.scripted(acptest.Script{Replayed: []json.RawMessage{json.RawMessage(
		`{"sessionUpdate":"tool_call","toolCallId":"old-write","title":"Write","kind":"edit","status":"pending"}`)}})
	c := h.resumed(nil, "two")
	c.answered(1, blaise.MessageAnswered)
	for _, e := range c.Events {
		if e.Kind == transcript.KindAsked || strings.Contains(string(e.Data), "old-write") {
			t.Errorf("it was acted on: %s %s", e.Kind, e.Data)
		}
	}
}

// C37: what an agent has started outside of its group goes with the run. C38:
// an agent that obeys neither the end of stdin nor a signal is killed.
func TestC37_Orphans(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	pid := filepath.Join(h.state, "orphan")
	h.scripted(acptest.Script{Orphan: pid})
	h.session(newControl(t), apitest.Lease(blaise.RunStart, 1), "one")
	gone(t, pid)
}

func TestC38_AgentThatDoesNotExit(t *testing.T) {
	t.Parallel()
	h, l := newHouse(t), apitest.Lease(blaise.RunStart, 1)
	pid := filepath.Join(h.state, "orphan")
	h.scripted(acptest.Script{Orphan: pid, IgnoreEOF: true, IgnoreTerm: true})
	l.Limits.StopGrace = 200 * time.Millisecond
	h.session(newControl(t), l, "one")
	gone(t, pid)
}

// gone looks for the process whose pid is in a file.
func gone(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Errorf("process %d has outlived the run", pid)
	}
}
