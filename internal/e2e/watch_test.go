package e2e_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/daemon"
)

// Both programs say how they are: metrics, health, a status for people and one
// for programs (X12). Nothing that people or agents name is in a label.
func TestX12_MetricsAndHealth(t *testing.T) {
	b := newLab(t, "{}")
	addr := freeAddr(t)
	b.runner("second", "--metrics-listen", addr)
	id := b.start("hello")
	b.answered(id, 1)
	token, err := os.ReadFile(filepath.Join(b.dir, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := get(t, b.url()+"/metrics", ""); status != http.StatusUnauthorized {
		t.Errorf("metrics of Blaise without a token: %d", status)
	}
	status, page := get(t, b.url()+"/metrics", strings.TrimSpace(string(token)))
	if status != http.StatusOK {
		t.Fatalf("metrics of Blaise: %d %s", status, page)
	}
	wants(t, page, `blaise_sessions{state="idle"} 1`, `blaise_turns_total{result="answered"} 1`, "blaise_turn_duration_seconds_count 1",
		`blaise_runs_accepted_total{kind="start"} 1`, `blaise_run_queue_duration_seconds_count{kind="start"} 1`,
		"blaise_runs_running 1", `blaise_instances{state="online"} 2`, `blaise_environments{state="open"} 1`,
		`blaise_store_duration_seconds_count{lane="decisions"}`, "blaise_transcript_events_total",
		`blaise_streams{route="/api/run/directives/stream"} 1`, `route="/api/run/outbox"`, "blaise_store_up 1")
	if strings.Contains(page, string(id)) {
		t.Error("a session is in a label")
	}
	_, page = get(t, "http://"+addr+"/metrics", "")
	wants(t, page, "blaise_runner_ready 1", "blaise_runner_slots ", "blaise_runner_polls_total ", "blaise_runner_spool_bytes ")
	if status, page = get(t, "http://"+addr+"/readyz", ""); status != http.StatusOK {
		t.Errorf("readyz of the runner: %d %s", status, page)
	}
	first, err := daemon.StatusOf(t.Context(), filepath.Join(b.dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	second := daemon.Status{}
	if _, page = get(t, "http://"+addr+"/statusz?format=json", ""); json.Unmarshal([]byte(page), &second) != nil {
		t.Fatalf("statusz of the runner: %s", page)
	}
	if n := len(first.Runs) + len(second.Runs); n != 1 || first.NotReady+second.NotReady != "" {
		t.Errorf("runs by statusz: %+v, %+v", first, second)
	}
}

// A listener of its own needs no token, and says why Blaise or a runner is not
// ready.
func TestX12_ListenerForWatchers(t *testing.T) {
	b := newLab(t, "{}")
	b.killServe()
	addr := freeAddr(t)
	b.background("blaise", "serve", "--metrics-listen", addr)
	b.await("serve.json", b.serveJSON)
	if status, page := get(t, "http://"+addr+"/readyz", ""); status != http.StatusOK {
		t.Errorf("readyz: %d %s", status, page)
	}
	_, page := get(t, "http://"+addr+"/metrics", "")
	wants(t, page, "blaise_build_info", "blaise_sessions", "go_goroutines")
	_, page = get(t, "http://"+addr+"/statusz", "")
	wants(t, page, "ready", "yes", "none waits")
	var st api.Status
	if _, page = get(t, "http://"+addr+"/statusz?format=json", ""); json.Unmarshal([]byte(page), &st) != nil || st.Figures == nil {
		t.Errorf("statusz as JSON: %s", page)
	}
	if status, _ := get(t, "http://"+addr+"/api/sessions", ""); status != http.StatusNotFound {
		t.Errorf("the API without a token: %d", status)
	}
	b.killServe()
	watch := freeAddr(t)
	b.runnerAt("http://"+addr, "away", "--metrics-listen", watch) // nobody is there
	status, page := get(t, "http://"+watch+"/readyz", "")
	if status != http.StatusServiceUnavailable || !strings.Contains(page, "Blaise has not answered yet") {
		t.Errorf("readyz of a runner without Blaise: %d %s", status, page)
	}
}

// Every line that is of a run names it and its session, whoever logs: Blaise,
// the daemon and the run itself (X12).
func TestX12_LogsNameSessionAndRun(t *testing.T) {
	t.Parallel()
	b := lab{startSplit(t, demoConfig, "--log-format", "json", "--log-level", "debug")}
	id := b.start("hello")
	b.answered(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.say(id, "recall")
	b.answered(id, 2)
	log, err := os.ReadFile(filepath.Join(b.dir, "blaise.log"))
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]bool{}
	for line := range strings.Lines(string(log)) {
		var said struct{ Session, Run string }
		if json.Unmarshal([]byte(line), &said) != nil {
			continue // what it says when it is ready
		}
		runs[said.Run] = true
		if said.Run != "" && said.Session != string(id) {
			t.Errorf("Blaise: session %q: %s", said.Session, line)
		}
	}
	if !runs[string(id)+".1"] || !runs[string(id)+".2"] {
		t.Errorf("Blaise says nothing of the runs:\n%s", log)
	}
	both := "session=" + string(id)
	daemons, _ := os.ReadFile(filepath.Join(b.dir, "runner.log"))
	own, _ := os.ReadFile(filepath.Join(b.dir, "state", "runs", string(id)+".2", "stderr"))
	wants(t, string(daemons), `msg="run accepted" run=`+string(id)+".1", `msg="run ended" run=`+string(id)+".1")
	wants(t, string(own), `msg="conversation loaded" `+both+" run="+string(id)+".2")
	for line := range strings.Lines(string(daemons) + string(own)) {
		if strings.Contains(line, " run=") && !strings.Contains(line, both) {
			t.Errorf("no session: %s", line)
		}
	}
	b.exits(2, "runner", "start", "--log-format", "xml", "--url", b.url())
	b.exits(2, "blaise", "serve", "--log-level", "loud")
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func get(t *testing.T, url, token string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func wants(t *testing.T, page string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("%q is missing in\n%s", w, page)
		}
	}
}
