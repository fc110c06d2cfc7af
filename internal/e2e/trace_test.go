package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"blaise.dev/blaise"
)

// A run is one trace, whoever works it: Blaise, the daemon, the run, its plugs;
// the agent is told its place in it (X12).
func TestX12_OneTrace(t *testing.T) {
	t.Parallel()
	var got collector
	server := httptest.NewServer(&got)
	defer server.Close()
	b := lab{startSplit(t, "version: 1\nagent: {command: [sh, -c, 'tee -a \"$HOME/said\" | blaise demo-agent']}\n"+
		"plugs: [{use: worktree, id: src, repo: .}]\n")}
	b.await("daemon", func() bool { _, err := os.Stat(filepath.Join(b.dir, "state", "daemon.json")); return err == nil })
	b.kill(b.daemon("state"), syscall.SIGTERM)
	b.goneDaemon("state")
	b.killServe()
	b.env = append(b.env, "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_EXPORTER_OTLP_HEADERS=x-key=a%20b")
	b.serve()
	b.runner("state")

	id := b.start("hello")
	b.answered(id, 1)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	parents := map[string]string{ // each with that in which it lies
		"run": "", "wait for a runner": "run", "start process": "run", "process": "run", "turn": "run",
		"open plug src": "process", "start agent": "process", "save plug src": "process", "destroy plug src": "process",
		"prompt": "turn",
	}
	b.await("spans", func() bool {
		spans := got.spans()
		for name := range parents {
			if _, ok := spans[name]; !ok {
				return false
			}
		}
		return true
	})
	spans := got.spans()
	for name, parent := range parents {
		s := spans[name]
		if s.TraceID != spans["run"].TraceID || len(s.TraceID) != 32 || len(s.SpanID) != 16 {
			t.Errorf("%s is in another trace: %+v", name, s)
		}
		if s.ParentSpanID != spans[parent].SpanID {
			t.Errorf("%s does not lie in %q: %+v", name, parent, s)
		}
		if s.StartTimeUnixNano > s.EndTimeUnixNano || len(s.StartTimeUnixNano) != 19 {
			t.Errorf("%s ends before it begins: %+v", name, s)
		}
	}
	said, err := os.ReadFile(filepath.Join(b.dir, "home", "said"))
	if want := `"traceparent":"00-` + spans["run"].TraceID + "-" + spans["prompt"].SpanID + `-01"`; err != nil || !strings.Contains(string(said), want) {
		t.Errorf("the agent was not told %s: %s, %v", want, said, err)
	}
	if got.keys["a b"] == 0 || len(got.keys) != 1 {
		t.Errorf("headers: %v", got.keys)
	}
	for _, service := range []string{"blaise", "blaise-runner", "blaise-run"} {
		if !got.services[service] {
			t.Errorf("no spans of %s: %v", service, got.services)
		}
	}
}

type span struct{ TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string }

// A collector takes OTLP over HTTP in JSON.
type collector struct {
	mu       sync.Mutex // guards what follows
	all      []span
	services map[string]bool
	keys     map[string]int
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		ResourceSpans []struct {
			Resource struct {
				Attributes []struct {
					Key   string
					Value struct{ StringValue string }
				}
			}
			ScopeSpans []struct{ Spans []span }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "no spans", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.services == nil {
		c.services, c.keys = map[string]bool{}, map[string]int{}
	}
	c.keys[r.Header.Get("X-Key")]++
	for _, rs := range body.ResourceSpans {
		for _, a := range rs.Resource.Attributes {
			if a.Key == "service.name" {
				c.services[a.Value.StringValue] = true
			}
		}
		for _, ss := range rs.ScopeSpans {
			c.all = append(c.all, ss.Spans...)
		}
	}
	_, _ = w.Write([]byte("{}")) // who asked is gone
}

// spans are the last of each name.
func (c *collector) spans() map[string]span {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]span{}
	for _, s := range c.all {
		all[s.Name] = s
	}
	return all
}
