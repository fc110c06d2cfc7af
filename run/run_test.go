package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/run"
	"blaise.dev/blaise/transcript"
)

// A house is a machine with a repository, a blaise.yml and a state directory.
type house struct {
	t                   *testing.T
	repo, state, config string
	runs                int
	patience            time.Duration
}

func newHouse(t *testing.T) *house {
	t.Helper()
	dir := t.TempDir()
	h := &house{t: t, patience: 5 * time.Second, repo: filepath.Join(dir, "repo"), state: filepath.Join(dir, "state")}
	h.config = filepath.Join(dir, "blaise.yml")
	for _, d := range []string{h.repo, h.state} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.git("init", "-q", "-b", "main")
	h.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "first")
	h.write(fmt.Sprintf("command: [%q, demo-agent]", h.program()), "{use: worktree, id: src, repo: repo}")
	return h
}

func (h *house) program() string {
	p, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *house) write(agent, plugs string) {
	h.t.Helper()
	text := fmt.Sprintf("version: 1\nagent:\n  %s\n  env: {BLAISE_DEMO_HOME: %q, BLAISE_DEMO_WITNESS: %q, "+
		"SECRET: {from: TEST_SECRET, secret: true}}\nplugs: [%s]\n",
		agent, filepath.Join(h.state, "talk"), h.witness(), plugs)
	if err := os.WriteFile(h.config, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) witness() string { return filepath.Join(h.state, "witness") }

func (h *house) git(args ...string) string {
	h.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", h.repo}, args...)...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

const secret = "the-value-nobody-may-see"

// begin starts a run; done gives what Do returned.
func (h *house) begin(ctx context.Context, c *control, l api.Lease) (done func() error) {
	h.t.Helper()
	h.runs++
	dir := filepath.Join(h.state, "runs", fmt.Sprint(h.runs))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	spec := run.Spec{
		URL: c.URL, Lease: l, Config: h.config, State: h.state, Dir: dir,
		Program: h.program(), Instance: "i1", Machine: "m1", Version: "test",
	}
	deps := run.Deps{
		Patience: h.patience,
		Lookup: func(name string) (string, bool) {
			return secret, name == "TEST_SECRET"
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Do(ctx, spec, deps) }()
	return func() error {
		h.t.Helper()
		select {
		case err := <-ended:
			return err
		case <-time.After(40 * time.Second):
			h.t.Fatalf("the run does not end; reports: %s", apitest.Dump(c.Kinds()))
			return nil
		}
	}
}

func (h *house) worktrees() int { return strings.Count(h.git("worktree", "list"), "\n") - 1 }

// A1, A2, A7, A12, A13, A16, X1, X5, X6, B4: a session from its first message
// over a pause to its end.
func TestSession(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)

	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	opened := c.Report(blaise.EventOpened)
	if len(opened.Plugs) != 1 || !opened.Plugs[0].Resumable {
		t.Fatalf("opened with plugs %s", apitest.Dump(opened.Plugs))
	}
	c.Prompt("stestone.m1", "write hello.txt Hello")
	asked := c.Report(blaise.EventQuestionAsked)
	c.Allow(asked.Question)
	c.answered(1, blaise.MessageAnswered)
	c.Report(blaise.EventQuestionApplied)
	c.Prompt("stestone.m2", "echo "+secret)
	if got := c.answered(2, blaise.MessageAnswered).Text; strings.Contains(got, secret) || got == "" {
		t.Errorf("the answer is %q", got)
	}
	c.Stop(true)
	if err := done(); err != nil {
		t.Fatalf("first run: %v", err)
	}
	paused := c.Report(blaise.EventPauseReported)
	if !paused.Clean || paused.Count == 0 || paused.Digest == "" {
		t.Errorf("paused with %s", apitest.Dump(paused))
	}
	if saved := c.Report(blaise.EventWorkSaved).Saved; !strings.Contains(h.git("ls-tree", saved.Ref), "hello.txt") {
		t.Errorf("hello.txt is not in %s", saved.Ref)
	}

	resumed := newControl(t)
	resumed.Verdict = apitest.Verdicts(blaise.VerdictTeardown)
	done = h.begin(t.Context(), resumed, c.next(blaise.RunResume, 2))
	if got := resumed.Report(blaise.EventConversation).Context; got != blaise.ContextFull {
		t.Errorf("context is %q after the resume", got)
	}
	resumed.Report(blaise.EventOpened)
	if strings.Contains(resumed.Text(), "hello.txt") {
		t.Errorf("the replay is recorded again: %s", resumed.Text())
	}
	resumed.Prompt("stestone.m3", "recall")
	if got := resumed.answered(1, blaise.MessageAnswered).Text; !strings.Contains(got, "write hello.txt") {
		t.Errorf("the agent recalls %q", got)
	}
	resumed.Stop(false)
	if err := done(); err != nil {
		t.Fatalf("second run: %v", err)
	}
	resumed.Report(blaise.EventDestroyed)
	if n := h.worktrees(); n != 0 {
		t.Errorf("%d worktrees are left", n)
	}
	for _, text := range []string{c.Text(), resumed.Text()} {
		if strings.Contains(text, secret) {
			t.Errorf("the secret is in the record:\n%s", text)
		}
	}
}

// A17: an environment that was left is destroyed by a run of its own.
func TestTeardown(t *testing.T) {
	t.Parallel()
	for _, clean := range []bool{true, false} {
		t.Run(fmt.Sprintf("clean %v", clean), func(t *testing.T) {
			t.Parallel()
			h, c := newHouse(t), newControl(t)
			done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
			c.Report(blaise.EventOpened)
			c.Stop(true)
			if err := done(); err != nil {
				t.Fatal(err)
			}
			last := newControl(t)
			l := c.next(blaise.RunTeardown, 2)
			l.Clean = clean
			if err := os.Remove(h.config); err != nil { // A22: the kept one counts
				t.Fatal(err)
			}
			if err := h.begin(t.Context(), last, l)(); err != nil {
				t.Fatal(err)
			}
			last.Report(blaise.EventDestroyed)
			if n := h.worktrees(); n != 0 {
				t.Errorf("%d worktrees are left", n)
			}
		})
	}
}

// A20: a signal saves, pauses, tears down; an open question delays nothing.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	ctx, interrupt := context.WithCancelCause(t.Context())
	defer interrupt(nil)
	done := h.begin(ctx, c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Prompt("stestone.m1", "write a.txt A")
	c.Report(blaise.EventQuestionAsked)
	interrupt(run.Interrupted{Signal: syscall.SIGTERM})
	if err := done(); err != nil {
		t.Fatal(err)
	}
	kinds := slices.DeleteFunc(c.Kinds(), func(k blaise.EventKind) bool {
		return k == blaise.EventQuestionExpired // before or after the signal
	})
	want := []blaise.EventKind{blaise.EventConversation, blaise.EventOpened,
		blaise.EventQuestionAsked, blaise.EventSignalled, blaise.EventDestroyed}
	if !slices.Equal(kinds, want) {
		t.Errorf("reports %v, want %v", kinds, want)
	}
}

// A7: a stop is heard while the plugs open.
func TestStopDuringOpen(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	c.Verdict = func(r api.Report) api.Answer {
		if r.Event == blaise.EventPlugRecorded && !r.Plugs[0].Opened {
			c.Stop(true)
			c.Await("receipt of the stop", func() bool { return c.Received[1] })
		}
		return apitest.Verdicts(blaise.VerdictTeardown)(r)
	}
	if err := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))(); err != nil {
		t.Fatal(err)
	}
	want := []blaise.EventKind{blaise.EventPauseReported, blaise.EventDestroyed}
	if got := c.Kinds(); !slices.Equal(got, want) {
		t.Errorf("reports %v, want %v", got, want)
	}
}

// X2: a run whose lease is stale kills what it started and touches no layer.
func TestStale(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Prompt("stestone.m1", "sleep 600")
	c.Await("claim", func() bool { return len(c.Claims) == 1 })
	before := len(c.Kinds())
	c.Set(func() { c.Stale = true })
	if err := done(); !errors.Is(err, run.ErrFenced) {
		t.Fatalf("the run ended with %v, want %v", err, run.ErrFenced)
	}
	if after := len(c.Kinds()); after != before {
		t.Errorf("it said something: %v", c.Kinds())
	}
	if n := h.worktrees(); n != 1 {
		t.Errorf("%d worktrees, want the one there was", n)
	}
}

// A23: an agent that dies in a turn is started again and loads; three deaths
// with no answer between fail the run.
func TestAgentDies(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Prompt("stestone.m1", "hello")
	c.answered(1, blaise.MessageAnswered)
	c.Prompt("stestone.m2", "crash")
	if rep := c.answered(2, blaise.MessageInterrupted); !strings.Contains(rep.Reason, "exit code 3") {
		t.Errorf("the reason is %q", rep.Reason)
	}
	c.Prompt("stestone.m3", "recall")
	if got := c.answered(3, blaise.MessageAnswered).Text; !strings.Contains(got, "hello") {
		t.Errorf("after its death the agent recalls %q", got)
	}
	c.Prompt("stestone.m4", "crash")
	c.answered(4, blaise.MessageInterrupted)
	c.Tell(blaise.Directive{Kind: blaise.DirectivePrompt, Message: "stestone.m4", Text: "crash",
		Repeat: 1, GoOn: true}) // the replay holds it: the agent is asked to go on
	c.answered(5, blaise.MessageAnswered)
	for i := range 3 {
		c.Prompt(blaise.SessionID("stestone").Message(5+i), "crash")
		c.answered(6+i, blaise.MessageInterrupted)
	}
	if err := done(); err == nil || !strings.Contains(err.Error(), "died 3 times") {
		t.Errorf("the run ended with %v", err)
	}
	c.Report(blaise.EventRunFailed)
	c.Report(blaise.EventDestroyed)
}

// A23: an agent that exits at once says why, in the error and in the record.
func TestAgentExitsAtOnce(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	h.write("command: [sh, -c, 'echo no key $SECRET >&2; exit 7']", "{use: worktree, id: src, repo: repo}")
	err := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))()
	if err == nil || !strings.Contains(err.Error(), "exit code 7") || !strings.Contains(err.Error(), "no key") {
		t.Errorf("the run ended with %v", err)
	}
	if rep := c.Report(blaise.EventRunFailed); !strings.Contains(rep.Reason, "no key [redacted]") {
		t.Errorf("failed for %q", rep.Reason)
	}
	c.Event("stderr", func(e transcript.Event) bool {
		return e.Kind == transcript.KindOutput && strings.Contains(string(e.Data), "no key [redacted]")
	})
	c.Report(blaise.EventDestroyed)
}

// A14, X6: an agent that does not have the conversation begins a new one, and
// says so; the environment is the old one.
func TestContextLost(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Prompt("stestone.m1", "hello")
	c.answered(1, blaise.MessageAnswered)
	c.Stop(true)
	if err := done(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(h.state, "talk")); err != nil {
		t.Fatal(err)
	}
	for _, reaction := range []blaise.Reaction{blaise.ReactContinue, blaise.ReactFail} {
		again := newControl(t)
		again.Verdict = apitest.Verdicts(blaise.VerdictExit)
		l := c.next(blaise.RunResume, 2)
		l.OnContextLoss = reaction
		done = h.begin(t.Context(), again, l)
		again.Event("notice", func(e transcript.Event) bool {
			return e.Kind == transcript.KindNotice && strings.Contains(string(e.Data), "no longer has")
		})
		if reaction == blaise.ReactFail {
			if err := done(); err == nil || !strings.Contains(err.Error(), "onContextLoss") {
				t.Errorf("the run ended with %v", err)
			}
			continue
		}
		if got := again.Report(blaise.EventConversation); got.Context != blaise.ContextNone {
			t.Errorf("context is %q", got.Context)
		}
		again.Report(blaise.EventOpened)
		again.Stop(true)
		if err := done(); err != nil {
			t.Fatal(err)
		}
	}
}

// A22: what a run lacks is said, and the environment is as it was.
func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, agent, plugs, want string }{
		{"agent not found", "command: [no-such-agent]", "{use: worktree, id: src, repo: repo}", "no-such-agent"},
		{"blaise.yml", "comand: [x]", "{use: worktree}", "comand"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, c := newHouse(t), newControl(t)
			h.write(tt.agent, tt.plugs)
			err := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the run ended with %v", err)
			}
			if rep := c.Report(blaise.EventRefused); !strings.Contains(rep.Reason, tt.want) {
				t.Errorf("refused for %q", rep.Reason)
			}
			if n := h.worktrees(); n != 0 {
				t.Errorf("%d worktrees are left", n)
			}
		})
	}
}

// A7, A21: an answer that is lost is asked for again, under the same number.
func TestPauseAnswerLost(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	c.Verdict = apitest.Verdicts(blaise.VerdictTeardown)
	c.Lose[blaise.EventPauseReported] = 2
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Stop(false)
	if err := done(); err != nil {
		t.Fatal(err)
	}
	want := []blaise.EventKind{blaise.EventConversation, blaise.EventOpened,
		blaise.EventPauseReported, blaise.EventDestroyed}
	if got := c.Kinds(); !slices.Equal(got, want) {
		t.Errorf("reports %v, want %v", got, want)
	}
}

// A cancel ends the turn and nothing else; an agent that does not obey is
// killed, and the next message is answered all the same.
func TestCancel(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	c.Prompt("stestone.m1", "sleep 600")
	c.Event("turn_began", func(e transcript.Event) bool { return e.Kind == transcript.KindTurnBegan })
	c.Tell(blaise.Directive{Kind: blaise.DirectiveCancel, Message: "stestone.m1", Reason: "enough"})
	c.answered(1, blaise.MessageCancelled)
	c.Prompt("stestone.m2", "hello")
	c.answered(2, blaise.MessageAnswered)
	c.Stop(true)
	if err := done(); err != nil {
		t.Fatal(err)
	}
}

// A26: out of reach for too long, the run saves and pauses, and what it had to
// say waits in the spool.
func TestLostContact(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	l := apitest.Lease(blaise.RunStart, 1)
	l.Beat, l.Misses = 100*time.Millisecond, 80 // 0.8 s between lost contact and the fence
	h.patience = 100 * time.Millisecond         // it would have time to destroy
	done := h.begin(t.Context(), c, l)
	c.Report(blaise.EventOpened)
	c.Set(func() { c.Down = true })
	if err := done(); !errors.Is(err, run.ErrLostContact) {
		t.Fatalf("the run ended with %v", err)
	}
	if n := h.worktrees(); n != 1 {
		t.Errorf("%d worktrees, want the one there was", n)
	}
}
