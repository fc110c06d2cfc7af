// Package trace tells an OpenTelemetry collector how long the parts of a run
// took, whoever worked them: Blaise, the daemon, the run, its plugs and its
// agent. Nothing is carried between them: the trace is the run's, and all its
// ids follow from the run's id, which everyone has. It sends OTLP over HTTP in
// JSON. A nil Tracer is off, and all its methods do nothing.
package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"blaise.dev/blaise"
)

// A Span is a part of a run, from when to when. The zero parent is none.
type Span struct {
	Run      blaise.RunID
	Name     string
	ID       string // see the functions below; "" for one of its own
	Parent   string
	From, To time.Time
	Attrs    map[string]string
	Error    string // what went wrong, "" for nothing
}

// most is how many spans wait to be sent; more are dropped.
const most = 4096

// A Tracer collects spans and sends them. It is safe for concurrent use.
type Tracer struct {
	service, version string
	url              string
	headers          http.Header
	client           *http.Client

	mu    sync.Mutex // guards spans
	spans []Span
	wake  chan struct{}
}

// FromEnv returns a tracer as the variables of OpenTelemetry say:
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT, and
// OTEL_EXPORTER_OTLP_HEADERS; nil without an endpoint, or with
// OTEL_SDK_DISABLED=true. The service is shown as OTEL_SERVICE_NAME, if set.
func FromEnv(service, version string) *Tracer {
	at := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); at == "" && base != "" {
		at = strings.TrimRight(base, "/") + "/v1/traces"
	}
	if at == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil
	}
	if name := os.Getenv("OTEL_SERVICE_NAME"); name != "" {
		service = name
	}
	t := &Tracer{
		service: service, version: version, url: at, headers: http.Header{},
		client: &http.Client{Timeout: sendWithin}, wake: make(chan struct{}, 1),
	}
	for _, pair := range strings.Split(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
				value = plain
			}
			t.headers.Set(strings.TrimSpace(name), value)
		}
	}
	return t
}

// Add has a span sent, in its time; it never waits.
func (t *Tracer) Add(s Span) {
	if t == nil {
		return
	}
	t.mu.Lock()
	if len(t.spans) < most {
		t.spans = append(t.spans, s)
	}
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Begin begins a span now; the function that it returns ends it, with what went
// wrong in words.
func (t *Tracer) Begin(s Span) (end func(trouble string)) {
	if t == nil {
		return func(string) {}
	}
	s.From = time.Now()
	return func(trouble string) {
		s.To, s.Error = time.Now(), trouble
		t.Add(s)
	}
}

// idOf is an id of so many bytes that follows from words.
func idOf(bytes int, words ...string) string {
	sum := sha256.Sum256([]byte("blaise trace\x00" + strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:bytes])
}

// Of is the trace of a run.
func Of(run blaise.RunID) string { return idOf(16, string(run)) }

// RunSpan is the id of the span of a whole run, as Blaise sees it.
func RunSpan(run blaise.RunID) string { return idOf(8, string(run), "run") }

// ProcessSpan is the id of the span of the run's process.
func ProcessSpan(run blaise.RunID) string { return idOf(8, string(run), "process") }

// TurnSpan is the id of the span of a turn, as Blaise sees it; n is counted over
// the session.
func TurnSpan(run blaise.RunID, n int) string { return idOf(8, string(run), "turn", strconv.Itoa(n)) }

// AgentSpan is the id of the span of a prompt, under which the agent's own are.
func AgentSpan(run blaise.RunID, n int) string { return idOf(8, string(run), "agent", strconv.Itoa(n)) }

// Parent is a span of a run in the form of the W3C, as an agent gets it.
func Parent(run blaise.RunID, span string) string { return "00-" + Of(run) + "-" + span + "-01" }

// errRefused is an answer of the collector that is no success.
var errRefused = errors.New("the collector refused the spans")
