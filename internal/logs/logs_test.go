package logs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/logs"
)

// Whoever logs of a run logs of its session too, once (X12).
func TestX12_RunsNameTheirSession(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log, err := logs.Options{Format: "json"}.New(&out)
	if err != nil {
		t.Fatal(err)
	}
	run := blaise.RunID("k3v9xyz2.4")
	log.Info("run accepted", "run", run)
	log.With("run", run).Warn("spool is full")
	log.With("session", run.Session(), "run", run).Error("agent not stopped")
	log.Debug("not at this level", "run", run)
	log.Info("connected")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	for i, line := range lines {
		var got struct{ Session, Run string }
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		want := "k3v9xyz2"
		if i == 3 {
			want = ""
		}
		if got.Session != want || strings.Count(line, `"session"`) > 1 {
			t.Errorf("session %q, want %q: %s", got.Session, want, line)
		}
	}
}

func TestUnknownOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []logs.Options{{Format: "xml"}, {Level: "loud"}} {
		if _, err := o.New(nil); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := (logs.Options{Format: "text", Level: "debug"}).New(nil); err != nil {
		t.Error(err)
	}
}
