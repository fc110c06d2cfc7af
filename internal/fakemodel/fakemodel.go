// Package fakemodel is a language model for tests: an HTTP server on loopback
// that speaks the four APIs that agents use, answers by rules, and keeps every
// request, so that a test can prove what a real agent sent to its model. It is
// used by tests alone and never by the product.
package fakemodel

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Content is what every file has that the model asks an agent to write.
const Content = "written by the fake model"

// A Model serves the Responses and Chat Completions APIs of OpenAI, the Messages
// API of Anthropic, and the API of Gemini. What it answers depends on the last
// line that the user said:
//
//	please write PATH    a call of the tool that writes files, once
//	hang ...             a few words, and no end until the request is given up;
//	                     the same words again are answered
//	Which word ...       the last one it was told to remember, if the request
//	                     has it
//	anything else        the same words back
//
// It is safe for concurrent use.
type Model struct {
	server *httptest.Server

	mu      sync.Mutex // guards what follows
	seen    []string
	unknown []string
	hung    map[string]bool
}

// Start serves on a free port of loopback until Close.
func Start() *Model {
	m := newModel()
	m.server.Start()
	return m
}

// StartOn serves on l, which Close closes.
func StartOn(l net.Listener) *Model {
	m := newModel()
	m.server.Listener.Close()
	m.server.Listener = l
	m.server.Start()
	return m
}

func newModel() *Model {
	m := &Model{hung: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", m.answer(readResponses, speakResponses))
	mux.HandleFunc("POST /v1/chat/completions", m.answer(readChat, speakChat))
	mux.HandleFunc("POST /v1/messages", m.answer(readMessages, speakMessages))
	mux.HandleFunc("POST /v1beta/models/{call}", m.answer(readGemini, speakGemini))
	mux.HandleFunc("POST /v1/messages/count_tokens", say(`{"input_tokens":10}`))
	mux.HandleFunc("GET /v1/models", say(`{"object":"list","data":[{"id":"fake-model","object":"model"}]}`))
	mux.HandleFunc("HEAD /{$}", say("")) // claude sees whether anybody is there
	mux.HandleFunc("/", m.refuse)
	m.server = httptest.NewUnstartedServer(mux)
	return m
}

// URL is the base to configure in an agent, ending in /v1.
func (m *Model) URL() string { return m.server.URL + "/v1" }

// Root is the base without /v1, which agents of Anthropic and Google want.
func (m *Model) Root() string { return m.server.URL }

// Close gives up what hangs and stops the server.
func (m *Model) Close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// Seen answers the bodies of all requests so far.
func (m *Model) Seen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.seen)
}

// Last answers the body of the latest request, "" if there was none.
func (m *Model) Last() string {
	all := m.Seen()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// Unknown answers the methods and paths that nothing is served at.
func (m *Model) Unknown() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.unknown)
}

// Hung says whether the words were left without an answer.
func (m *Model) Hung(ask string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hung[ask]
}

// A voice writes one answer in the words of one API: some text or a call, and
// the end.
type voice interface {
	text(string)
	call(tool, map[string]any)
	end()
}

func (m *Model) answer(
	read func(*http.Request, []byte) request, speak func(http.ResponseWriter, request) voice,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		m.mu.Lock()
		m.seen = append(m.seen, string(body))
		n := len(m.seen)
		m.mu.Unlock()
		req := read(r, body)
		req.n = n
		v := speak(w, req)
		path, write := strings.CutPrefix(req.ask, "please write ")
		t, able := req.writer()
		switch {
		case len(req.form.Properties) > 0:
			v.text(req.filled())
		case write && able && !req.afterTool:
			v.call(t, t.arguments(strings.Fields(path)[0]))
		case len(req.tools) > 0 && m.hangs(req.ask):
			v.text("I will think about that")
			<-r.Context().Done()
			return
		case strings.HasPrefix(req.ask, "Which word"):
			v.text("The word is " + remembered(body))
		default:
			v.text("fake model says: " + req.ask)
		}
		v.end()
	}
}

var told = regexp.MustCompile(`Remember the word ([[:alnum:]]+)`)

// remembered is all the memory that a model has: what the request holds.
func remembered(body []byte) string {
	all := told.FindAllSubmatch(body, -1)
	if len(all) == 0 {
		return "not known to me"
	}
	return string(all[len(all)-1][1])
}

// hangs says whether the words are to be left without an answer: once.
func (m *Model) hangs(ask string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !strings.HasPrefix(ask, "hang") || m.hung[ask] {
		return false
	}
	m.hung[ask] = true
	return true
}

func (m *Model) refuse(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.unknown = append(m.unknown, r.Method+" "+r.URL.Path)
	m.mu.Unlock()
	http.NotFound(w, r)
}

func say(json string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, json) // who asked is gone: nobody to tell
	}
}
