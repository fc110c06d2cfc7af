package server

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// A Meter measures what a server does, and answers what it has measured. It is
// safe for concurrent use.
type Meter interface {
	Answered(route string, status int, took time.Duration)
	// Streaming counts a stream until the function that it returns is called.
	Streaming(route string) (ended func())
	http.Handler
}

// measured tells the meter of every request, under the pattern that it met: a
// path would make a series of each session.
func (s *Server) measured(next http.Handler) http.Handler {
	if s.o.Meter == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := &measuring{ResponseWriter: w, request: r, meter: s.o.Meter}
		began := time.Now()
		defer func() { m.end(time.Since(began)) }()
		next.ServeHTTP(m, r)
	})
}

// A measuring is the answer to one request.
type measuring struct {
	http.ResponseWriter
	request *http.Request
	meter   Meter
	status  int    // 0 before the answer has begun
	ended   func() // of a stream; nil if it is none
}

// Unwrap is how http.ResponseController and shells find the connection.
func (m *measuring) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *measuring) WriteHeader(status int) {
	m.begin(status)
	m.ResponseWriter.WriteHeader(status)
}

func (m *measuring) Write(b []byte) (int, error) {
	m.begin(http.StatusOK)
	return m.ResponseWriter.Write(b)
}

// ReadFrom leaves it to the connection how a file is sent.
func (m *measuring) ReadFrom(r io.Reader) (int64, error) {
	m.begin(http.StatusOK)
	return io.Copy(m.ResponseWriter, r)
}

func (m *measuring) begin(status int) {
	if m.status != 0 || status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	m.status = status
	if status == http.StatusSwitchingProtocols || m.Header().Get("Content-Type") == "text/event-stream" {
		m.ended = m.meter.Streaming(m.route())
	}
}

func (m *measuring) end(took time.Duration) {
	switch {
	case m.ended != nil:
		m.ended()
	case m.status == 0: // it panicked, or had nothing to say
		m.meter.Answered(m.route(), http.StatusOK, took)
	default:
		m.meter.Answered(m.route(), m.status, took)
	}
}

// route is the pattern without its method.
func (m *measuring) route() string {
	pattern := m.request.Pattern
	if _, path, ok := strings.Cut(pattern, " "); ok {
		pattern = path
	}
	switch pattern {
	case "":
		return "none"
	case "/":
		return "dashboard"
	}
	return pattern
}
