package trace

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	// sendEvery gathers spans, so that a batch is one request.
	sendEvery = 500 * time.Millisecond
	// sendWithin bounds a request, and how long the end of a program waits.
	sendWithin = 3 * time.Second
)

// Start has spans sent until the function that it returns is called, which sends
// the last of them. What cannot be sent is dropped, and said once.
func (t *Tracer) Start(log *slog.Logger) (stop func()) {
	if t == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.run(ctx, log)
	}()
	return func() {
		cancel()
		<-done
	}
}

func (t *Tracer) run(ctx context.Context, log *slog.Logger) {
	failed := false
	for ending := false; !ending; {
		select {
		case <-t.wake:
			select {
			case <-time.After(sendEvery):
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
		ending = ctx.Err() != nil
		err := t.send(context.WithoutCancel(ctx))
		if err != nil && !failed {
			log.Warn("spans are not taken, and dropped", "error", err)
		}
		failed = err != nil
	}
}

func (t *Tracer) send(ctx context.Context) error {
	t.mu.Lock()
	spans := t.spans
	t.spans = nil
	t.mu.Unlock()
	if len(spans) == 0 {
		return nil
	}
	body, err := json.Marshal(t.request(spans))
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	maps.Copy(req.Header, t.headers)
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.client.Do(req)
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // its status counts
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%w: %s", errRefused, resp.Status)
	}
	return nil
}

// What follows is OTLP as JSON: numbers of 64 bits are strings, ids are hex.
type (
	otlpRequest struct {
		ResourceSpans []otlpResource `json:"resourceSpans"`
	}
	otlpResource struct {
		Resource   otlpAttributes `json:"resource"`
		ScopeSpans []otlpScope    `json:"scopeSpans"`
	}
	otlpScope struct {
		Scope otlpName   `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpName struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	otlpAttributes struct {
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		String string `json:"stringValue"`
	}
	otlpSpan struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		Parent     string          `json:"parentSpanId,omitempty"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes"`
		Status     otlpStatus      `json:"status"`
	}
	otlpStatus struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
)

// Of the enumerations of OTLP.
const (
	kindInternal = 1
	statusError  = 2
)

func (t *Tracer) request(spans []Span) otlpRequest {
	all := make([]otlpSpan, 0, len(spans))
	for _, s := range spans {
		all = append(all, s.otlp())
	}
	about := attributes(map[string]string{"service.name": t.service, "service.version": t.version})
	return otlpRequest{ResourceSpans: []otlpResource{{
		Resource:   otlpAttributes{Attributes: about},
		ScopeSpans: []otlpScope{{Scope: otlpName{Name: "blaise", Version: t.version}, Spans: all}},
	}}}
}

func (s Span) otlp() otlpSpan {
	attrs := map[string]string{"blaise.session": string(s.Run.Session()), "blaise.run": string(s.Run)}
	for k, v := range s.Attrs {
		if v != "" {
			attrs["blaise."+k] = v
		}
	}
	out := otlpSpan{
		TraceID: Of(s.Run), SpanID: s.ID, Parent: s.Parent, Name: s.Name, Kind: kindInternal,
		Start: nanos(s.From), End: nanos(s.To), Attributes: attributes(attrs),
	}
	if out.SpanID == "" {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		out.SpanID = hex.EncodeToString(b[:])
	}
	if s.To.Before(s.From) { // clocks are set
		out.End = out.Start
	}
	if s.Error != "" {
		out.Status = otlpStatus{Code: statusError, Message: s.Error}
	}
	return out
}

func attributes(all map[string]string) []otlpAttribute {
	list := make([]otlpAttribute, 0, len(all))
	for _, k := range slices.Sorted(maps.Keys(all)) {
		list = append(list, otlpAttribute{Key: k, Value: otlpValue{String: all[k]}})
	}
	return list
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
