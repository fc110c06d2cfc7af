package meter_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/internal/meter"
	"blaise.dev/blaise/store"

	"gopkg.in/yaml.v3"
)

// Every metric and label that the Grafana board and the alert rules name is told
// by Blaise or a runner (X12).
func TestX12_BoardAndAlertsNameWhatThereIs(t *testing.T) {
	t.Parallel()
	told := series(t, measured(t))
	for name, labels := range series(t, daemon.New(daemon.Config{}).Watch()) {
		told[name] = append(told[name], labels...)
	}
	exprs := append(alerts(t), panels(t)...)
	if len(exprs) < 40 {
		t.Fatalf("only %d expressions were found", len(exprs))
	}
	for _, e := range exprs {
		for _, wrong := range check(e, told) {
			t.Errorf("%s in %s", wrong, e)
		}
	}
}

// The check itself finds what is wrong.
func TestCheckOfExpressions(t *testing.T) {
	t.Parallel()
	told := map[string][]string{"a_total": {"kind"}, "b_bucket": {"le"}}
	for expr, want := range map[string]int{
		`sum by (kind) (rate(a_total{kind="x"}[5m])) > 0`:           0,
		`histogram_quantile(0.9, sum by (le) (rate(b_bucket[5m])))`: 0,
		`rate(c_total[5m])`:                    1,
		`a_total{sort="x"}`:                    1,
		`sum by (nothing) (a_total)`:           1,
		`frobnicate(a_total)`:                  1,
		`sum(rate(a_total[$__rate_interval]))`: 0,
	} {
		if got := check(expr, told); len(got) != want {
			t.Errorf("%s: %q, want %d", expr, got, want)
		}
	}
}

// measured is a meter that has seen one of everything.
func measured(t *testing.T) http.Handler {
	t.Helper()
	m, now := meter.New("test"), time.Now()
	m.Read(func(context.Context) (control.Figures, error) {
		return control.Figures{
			Figures:   store.Figures{Agents: map[blaise.AgentName]store.Crowd{"coder": {Waiting: 1, AtWork: 2, Limit: 2}}},
			Instances: map[control.InstanceState]int{control.InstanceOnline: 1},
		}, nil
	})
	run := blaise.Run{ID: "a.1", Kind: blaise.RunStart, Outcome: blaise.RunFailed, AcceptedAt: now, EndedAt: now}
	m.Decided(blaise.Plan{
		Ended: blaise.Ended{
			Runs:      []blaise.Run{run},
			Messages:  []blaise.Message{{ID: "a.m1", Usage: blaise.Usage{Input: 1}}},
			Questions: []blaise.Question{{ID: "a.q1", AskedAt: now}},
		},
		History: []blaise.Change{
			{Subject: "run:a.1", To: string(blaise.RunAccepted)},
			{Subject: "message:a.m1", From: string(blaise.MessageDelivered), To: string(blaise.MessageAnswered), At: now},
			{Subject: "environment", Event: string(blaise.EventTeardownFailed)},
		},
	})
	m.Answered("/", 200, time.Second)
	m.Streaming("/")
	m.Stored("decisions", time.Second)
	return m
}

var sample = regexp.MustCompile(`(?m)^([a-z_][a-z0-9_]*)(?:\{(.*)\})? \S+$`)

// series are the names that a handler tells, with the labels of each. Prometheus
// adds two of its own.
func series(t *testing.T, h http.Handler) map[string][]string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	all := map[string][]string{}
	for _, m := range sample.FindAllStringSubmatch(w.Body.String(), -1) {
		labels := []string{"instance", "job"}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			labels = append(labels, l[1])
		}
		all[m[1]] = labels
	}
	if len(all) < 10 {
		t.Fatalf("only %d series:\n%s", len(all), w.Body.String())
	}
	return all
}

var (
	label   = regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
	matcher = regexp.MustCompile(`([a-z_]+)\{([^}]*)\}`)
	grouped = regexp.MustCompile(`\bby \(([^)]*)\)`)
	ranged  = regexp.MustCompile(`\[[^\]]*\]`)
	word    = regexp.MustCompile(`\b[a-z_][a-z_0-9]*\b`)
)

// known are the words of the query language that are used.
var known = strings.Fields("sum max min rate increase histogram_quantile topk abs min_over_time by and or on unless")

// check says what an expression names that is not told.
func check(expr string, told map[string][]string) (wrong []string) {
	var names, used []string
	for _, m := range matcher.FindAllStringSubmatch(expr, -1) {
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(told[m[1]], l[1]) {
				wrong = append(wrong, m[1]+" has no label "+l[1])
			}
		}
	}
	for _, g := range grouped.FindAllStringSubmatch(expr, -1) {
		used = append(used, word.FindAllString(g[1], -1)...)
	}
	bare := grouped.ReplaceAllString(ranged.ReplaceAllString(matcher.ReplaceAllString(expr, "$1"), ""), "")
	for _, w := range word.FindAllString(bare, -1) {
		switch {
		case told[w] != nil:
			names = append(names, w)
		case !slices.Contains(known, w):
			wrong = append(wrong, w+" is told by nobody")
		}
	}
	for _, l := range used {
		if !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(told[n], l) }) {
			wrong = append(wrong, "nothing has the label "+l)
		}
	}
	return wrong
}

func alerts(t *testing.T) (exprs []string) {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	read(t, "../../deploy/prometheus/alerts.yml", func(b []byte) error { return yaml.Unmarshal(b, &rules) })
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["do"] == "" {
				t.Errorf("alert %q does not say how bad it is, what it is, and what to do", r.Alert)
			}
			exprs = append(exprs, r.Expr)
		}
	}
	return exprs
}

func panels(t *testing.T) (exprs []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			ID          int
			Type, Title string
			Targets     []struct{ Expr string }
		}
	}
	read(t, "../../deploy/grafana/blaise.json", func(b []byte) error { return json.Unmarshal(b, &board) })
	seen := map[int]bool{}
	for _, p := range board.Panels {
		if seen[p.ID] || p.Title == "" || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %d (%s) has an id twice, no title, or shows nothing", p.ID, p.Title)
		}
		seen[p.ID] = true
		for _, x := range p.Targets {
			exprs = append(exprs, x.Expr)
		}
	}
	return exprs
}

func read(t *testing.T, path string, into func([]byte) error) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = into(b)
	}
	if err != nil {
		t.Fatal(err)
	}
}
