package e2e_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// newBusyLab is a lab whose plug db cannot be torn down before mend.
func newBusyLab(t *testing.T, spec string) lab {
	t.Helper()
	b := newLab(t, spec)
	b.write("repo/blaise.yml", "version: 1\nagent: {use: demo}\nplugs:\n"+
		"  - {use: worktree, id: src, repo: ., saveLimit: 1}\n"+
		"  - use: exec\n    id: db\n    onStart: 'echo made >>"+b.dir+"/made'\n"+
		"    onTeardown: 'test -e "+b.dir+"/mended || { echo the database is in use >&2; exit 3; }'\n")
	return b
}

func (b lab) mend() {
	b.t.Helper()
	b.write("mended", "")
}

// browser signs a browser in once, and sends a form of the session's page: what
// the person clicks; without a form it reads a page.
func (b lab) browser() func(path string, form url.Values) (int, string) {
	b.t.Helper()
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	token, err := os.ReadFile(filepath.Join(b.dir, "data", "admin.token"))
	if err != nil {
		b.t.Fatal(err)
	}
	link, err := api.NewClient(b.url(), strings.TrimSpace(string(token)), api.ClientOptions{}).LoginLink(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	send := func(req *http.Request) (int, string) {
		resp, err := browser.Do(req)
		if err != nil {
			b.t.Fatal(err)
		}
		defer resp.Body.Close()
		var text strings.Builder
		if _, err := io.Copy(&text, resp.Body); err != nil {
			b.t.Fatal(err)
		}
		return resp.StatusCode, text.String()
	}
	in, _ := http.NewRequest("GET", link.URL, nil)
	send(in)
	return func(path string, form url.Values) (int, string) {
		if form == nil {
			req, _ := http.NewRequest("GET", b.url()+path, nil)
			return send(req)
		}
		req, _ := http.NewRequest("POST", b.url()+path, strings.NewReader(form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.url())
		return send(req)
	}
}

// A teardown that fails is tried again as teardown runs, after growing waits,
// then orphaned with the last error; each retry, by hand or on the page, begins
// a full new series. The session's outcome stays what it was (A19).
func TestA19_FailingTeardownRetriedThenOrphaned(t *testing.T) {
	b := newBusyLab(t, "{policy: {teardownRetry: [200ms, 400ms]}}")
	id := b.start("hello")
	b.answered(id, 1)
	b.run("end", string(id), "--no-wait")
	s := b.environment(id, blaise.EnvOrphaned)
	if s.Outcome != blaise.OutcomeSucceeded || !strings.Contains(s.Environment.LastError, "exit code 3") ||
		!strings.Contains(s.Environment.LastError, "the database is in use") {
		t.Errorf("outcome %s, last error %q", s.Outcome, s.Environment.LastError)
	}
	series := []string{"teardown failed", "teardown failed", "teardown failed"}
	want := append([]string{"start failed"}, series[1:]...)
	b.wantRuns(id, want...)
	b.history(id, "clock:teardown", "policy.teardownRetry: try 2 of 3, after 200ms")
	b.history(id, "clock:teardown", "policy.teardownRetry: try 3 of 3, after 400ms")

	b.run("retry-teardown", string(id))
	want = append(want, series...)
	b.runState(id, len(want), blaise.RunEnded)
	b.environment(id, blaise.EnvOrphaned)
	b.wantRuns(id, want...)

	click := b.browser()
	if status, page := click("/sessions/"+string(id)+"/act/retry-teardown", url.Values{}); status != http.StatusSeeOther {
		t.Fatalf("retry on the page: %d\n%s", status, page)
	}
	want = append(want, series...)
	b.runState(id, len(want), blaise.RunEnded)
	b.environment(id, blaise.EnvOrphaned)

	b.mend()
	if status, page := click("/sessions/"+string(id)+"/act/retry-teardown", url.Values{}); status != http.StatusSeeOther {
		t.Fatalf("retry on the page: %d\n%s", status, page)
	}
	s = b.environment(id, blaise.EnvDestroyed)
	b.wantRuns(id, append(want, "teardown completed")...)
	if s.Outcome != blaise.OutcomeSucceeded {
		t.Errorf("outcome %s", s.Outcome)
	}
	if said := b.fails(4, "retry-teardown", string(id)); !strings.Contains(said, "destroyed") {
		t.Error(said)
	}
}

// A teardown that cannot save the work destroys nothing (A19, X5).
func TestA19_UnsavedWorkIsNotDestroyed(t *testing.T) {
	b := newBusyLab(t, "{policy: {teardownRetry: [100ms]}}")
	b.mend()
	id := b.start("hello")
	b.answered(id, 1)
	big := filepath.Join(b.worktree(id), "big.bin")
	if err := os.WriteFile(big, make([]byte, 3<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	b.run("end", string(id), "--no-wait")
	s := b.environment(id, blaise.EnvOrphaned)
	if !strings.Contains(s.Environment.LastError, "not saved") {
		t.Errorf("last error %q", s.Environment.LastError)
	}
	if _, err := os.Stat(big); err != nil {
		t.Errorf("unsaved work was destroyed: %v", err)
	}
	b.run("retry-teardown", string(id), "--force", "--reason", "nobody needs it")
	b.environment(id, blaise.EnvDestroyed)
}

// A pause whose work cannot be saved says so, and so does the session, until a
// save comes (X5).
func TestX5_PauseSaysThatTheWorkIsNotSaved(t *testing.T) {
	b := newBusyLab(t, "{}")
	b.mend()
	id := b.start("hello")
	b.answered(id, 1)
	big := filepath.Join(b.worktree(id), "big.bin")
	if err := os.WriteFile(big, make([]byte, 3<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := b.fails(6, "pause", string(id)); !strings.Contains(said, "its work is not saved") || !strings.Contains(said, "big.bin") {
		t.Error(said)
	}
	if s := b.environment(id, blaise.EnvPaused); !strings.Contains(s.Environment.LastError, "not saved") {
		t.Errorf("last error %q", s.Environment.LastError)
	}
	if err := os.Remove(big); err != nil {
		t.Fatal(err)
	}
	b.say(id, "recall")
	b.answered(id, 2)
	b.run("pause", string(id))
	if s := b.environment(id, blaise.EnvPaused); s.Environment.LastError != "" {
		t.Errorf("last error %q", s.Environment.LastError)
	}
}

func TestA19_OrphanMarkedDestroyedWithAReason(t *testing.T) {
	b := newBusyLab(t, "{policy: {teardownRetry: []}}")
	id := b.start("hello")
	b.answered(id, 1)
	b.run("end", string(id), "--no-wait")
	b.environment(id, blaise.EnvOrphaned)
	b.fails(2, "mark-destroyed", string(id))
	b.run("mark-destroyed", string(id), "--reason", "looked, and removed it")
	if s := b.environment(id, blaise.EnvDestroyed); s.Outcome != blaise.OutcomeSucceeded {
		t.Errorf("outcome %s", s.Outcome)
	}
}

// breakPaused pauses the session and takes its checkout away: the next resume
// tears the environment down (A22).
func (b lab) breakPaused(id blaise.SessionID) {
	b.t.Helper()
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	if err := os.RemoveAll(b.worktree(id)); err != nil {
		b.t.Fatal(err)
	}
}

// A message to an orphaned environment is not accepted, in the terminal and on
// the page; what waited before is answered when a retry has worked (A28, A22).
func TestA28_MessageToAnOrphanIsRefused(t *testing.T) {
	b := newBusyLab(t, "{policy: {teardownRetry: [100ms]}}")
	id := b.start("hello")
	b.answered(id, 1)
	b.breakPaused(id)
	b.say(id, "recall")
	if s := b.environment(id, blaise.EnvOrphaned); s.State == blaise.SessionEnded || s.Messages[1].State != blaise.MessageQueued {
		t.Fatalf("session %s, message %+v", s.State, s.Messages[1])
	}
	if said := b.fails(4, "say", string(id), "are you there?"); !strings.Contains(said, "orphaned") ||
		!strings.Contains(said, "retry-teardown") {
		t.Error(said)
	}
	click := b.browser()
	if status, page := click("/sessions/"+string(id)+"/messages", url.Values{"text": {"are you there?"}, "key": {"k"}}); status != http.StatusConflict ||
		!strings.Contains(page, "orphaned") {
		t.Errorf("on the page: %d\n%s", status, page)
	}
	if n := len(b.show(id).Messages); n != 2 {
		t.Errorf("%d messages", n)
	}
	b.mend()
	b.run("retry-teardown", string(id))
	b.answered(id, 2)
	if s := b.show(id); s.Environment.Generation != 2 {
		t.Errorf("generation %d", s.Environment.Generation)
	}
}

// A message during a teardown waits, its retries included, and a fresh run
// answers it when the teardown is done (A29).
func TestA29_MessageDuringATeardownWaits(t *testing.T) {
	b := newBusyLab(t, "{policy: {teardownRetry: [300ms, 1h]}}")
	id := b.start("hello")
	b.answered(id, 1)
	b.breakPaused(id)
	b.say(id, "echo two")
	b.runState(id, 3, blaise.RunEnded) // start, resume that failed and tore down, the first retry
	b.environment(id, blaise.EnvTeardownWaiting)
	b.say(id, "echo three")
	for _, m := range b.show(id).Messages[1:] {
		if m.State != blaise.MessageQueued {
			t.Errorf("message %+v", m)
		}
	}
	b.why(string(id), "policy.teardownRetry")
	b.mend()
	b.run("retry-teardown", string(id))
	b.answered(id, 2)
	b.answered(id, 3)
	if kinds := b.kinds(id); !slices.Equal(kinds, []string{"start paused", "resume failed", "teardown failed", "teardown completed", "start "}) {
		t.Errorf("runs: %q", kinds)
	}
	b.says(id, "was recreated")
	if made := strings.Count(b.exec("cat", filepath.Join(b.dir, "made")), "made"); made != 2 {
		t.Errorf("onStart ran %d times, want once for each environment", made)
	}
}
