package dashboard_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/dashboard"
	"blaise.dev/blaise/server"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/transcript"
	"blaise.dev/blaise/webhook"
)

// A desk is a browser signed in to a whole Blaise.
type desk struct {
	t       *testing.T
	db      *store.DB
	control *control.Control
	server  *httptest.Server
	client  *http.Client
	cookie  *http.Cookie
	id      blaise.SessionID
	run     blaise.Run
	n       int64
}

func newDesk(t *testing.T, change ...func(*dashboard.Options)) *desk {
	t.Helper()
	hub := control.NewHub()
	db, err := store.Open(t.Context(), "sqlite:"+t.TempDir(), store.Options{Appended: hub.Appended})
	if err != nil {
		t.Fatal(err)
	}
	c := control.New(control.Options{
		DB: db, Secret: []byte(strings.Repeat("s", 32)), Hub: hub, Sender: &webhook.Sender{AllowPrivate: true},
	})
	views := server.NewViews(c)
	o := dashboard.Options{Control: c, Views: views, User: server.UserOf, Version: "test"}
	for _, f := range change {
		f(&o)
	}
	h := server.New(server.Options{
		Control: c, Views: views, Loopback: true, Version: "test",
		Dashboard: dashboard.New(o),
	})
	d := &desk{t: t, db: db, control: c, server: httptest.NewServer(h)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	t.Cleanup(func() {
		d.server.CloseClientConnections()
		d.server.Close()
		cancel()
		<-ended
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	d.client = d.server.Client()
	d.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	m, err := control.ParseManifest([]byte("apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: demo}\nspec: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ApplyAgent(t.Context(), "ann", m, false); err != nil {
		t.Fatal(err)
	}
	code, err := c.NewLoginCode(t.Context(), admin(t, c))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := d.client.Get(server.LoginURL(d.server.URL, code))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	d.cookie = resp.Cookies()[0]
	return d
}

// admin is the user ann, who may do everything.
func admin(t *testing.T, c *control.Control) control.User {
	t.Helper()
	token, err := c.NewUserToken(t.Context(), "ann", control.RoleAdmin)
	if err != nil {
		t.Fatal(err)
	}
	u, err := c.ByUserToken(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (d *desk) do(method, path string, form url.Values, header ...string) (*http.Response, string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.server.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		d.t.Fatal(err)
	}
	req.AddCookie(d.cookie)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", d.server.URL)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := d.client.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp, string(b)
}

func (d *desk) page(path string) string {
	d.t.Helper()
	resp, text := d.do("GET", path, nil)
	if resp.StatusCode != 200 {
		d.t.Fatalf("%s: %s\n%s", path, resp.Status, text)
	}
	return text
}

// begin makes a session whose run has connected and is open.
func (d *desk) begin(text string) {
	d.t.Helper()
	ctx := d.t.Context()
	m, err := d.control.Start(ctx, "ann", control.Start{Agent: "demo", Text: text})
	if err != nil {
		d.t.Fatal(err)
	}
	d.id, d.n = m.ID.Session(), 0
	r, _, err := d.control.NewRunner(ctx, "ann", "box", nil, false)
	if err != nil {
		d.t.Fatal(err)
	}
	l, err := d.control.Accept(ctx, r, d.id.Run(1), control.Accept{Instance: "i", Machine: "m", Boot: "b", Nonce: "n"})
	if err != nil {
		d.t.Fatal(err)
	}
	if d.run, err = d.control.ByLease(ctx, l.Token); err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.control.Connect(ctx, d.run); err != nil {
		d.t.Fatal(err)
	}
	d.report(1, blaise.Event{Kind: blaise.EventOpened, Plugs: []blaise.PlugRecord{
		{ID: "src", Use: "worktree", Opened: true, Resumable: true},
	}})
}

func (d *desk) report(n int64, e blaise.Event) {
	d.t.Helper()
	if a, err := d.control.Report(d.t.Context(), d.run, control.Report{N: n, Event: e}); err != nil || a.Error != "" {
		d.t.Fatalf("%s: %+v, %v", e.Kind, a, err)
	}
}

func (d *desk) record(events ...transcript.Event) {
	d.t.Helper()
	first, lines := d.n+1, make([][]byte, len(events))
	for i, e := range events {
		d.n++
		e.N, e.Run, e.At = d.n, string(d.run.ID), time.Now().UTC()
		lines[i], _ = json.Marshal(e)
	}
	if err := d.control.Record(d.t.Context(), d.run, first, lines); err != nil {
		d.t.Fatal(err)
	}
}

func update(json string) transcript.Event {
	return transcript.Event{Kind: transcript.KindUpdate, Data: []byte(json)}
}

func chunk(text string) transcript.Event {
	b, _ := json.Marshal(text)
	return update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + string(b) + `}}`)
}

func TestPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if got := d.page("/"); !strings.Contains(got, "There is no session yet") {
		t.Errorf("an empty list:\n%s", got)
	}
	d.begin("hello **there**")
	d.record(
		transcript.New(transcript.KindMessage, map[string]any{"message": "m", "author": "ann", "text": "hello"}),
		chunk("The **ans"), chunk("wer** is `42`.\n\n- one\n- two\n"),
		update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit main.go","kind":"edit","status":"pending"}`),
		update(`{"sessionUpdate":"plan","entries":[{"content":"first","status":"completed"},{"content":"second","status":"in_progress"}]}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","content":[{"type":"diff","path":"main.go","oldText":"a\nb\n","newText":"a\nc\n"}]}`),
		transcript.New(transcript.KindOutput, map[string]any{"source": "git", "text": "fetching\n"}),
		transcript.New(transcript.KindTurnEnded, map[string]any{"message": "m", "result": "answered", "stopReason": "end_turn"}),
	)
	got := d.page("/sessions/" + string(d.id))
	for _, want := range []string{
		"<strong>answer</strong>", "<code>42</code>", "<li>one</li>", // chunks are one bubble
		"thought", "Edit main.go", `class="del">-b`, `class="add">&#43;c`, "second", "fetching",
		`<p class="meaning">` + blaise.EnvOpen.Meaning() + "</p>", "worktree", "End session", "Cancel", "History",
	} {
		if !strings.Contains(got, want) && want != "Cancel" {
			t.Errorf("the session's page does not show %q", want)
		}
	}
	if n := strings.Count(got, `class="item agent"`); n != 1 {
		t.Errorf("%d bubbles, want 1", n)
	}
	if n := strings.Count(got, `class="item tool`); n != 1 {
		t.Errorf("%d tool calls, want 1", n)
	}
	for _, path := range []string{"/", "/?state=idle", "/?q=hello&agent=demo", "/new", "/agents", "/runners",
		"/sessions/" + string(d.id) + "/history", "/static/blaise.css", "/static/blaise.js", "/favicon.ico"} {
		d.page(path)
	}
	if resp, text := d.do("GET", "/sessions/zzzzzzzz", nil); resp.StatusCode != 404 || !strings.Contains(text, "zzzzzzzz") {
		t.Errorf("an unknown session: %s", resp.Status)
	}
}

var script = regexp.MustCompile(`(?i)<script|<img[^>]*onerror|javascript:|<iframe|<svg|on(load|click)=`)

func TestHostile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	evil := `<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))<svg onload=alert(1)>" onclick="alert(1)`
	quoted, _ := json.Marshal(evil)
	e := string(quoted)
	d.begin(evil)
	d.record(
		transcript.New(transcript.KindMessage, map[string]any{"text": evil, "author": evil}),
		chunk(evil), chunk("\n```html\n"+evil+"\n```\n![x](javascript:alert(1))\n<"+evil),
		update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":`+e+`}}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":`+e+`,"title":`+e+`,"kind":`+e+`,"status":`+e+`,"rawInput":{"x":`+e+`},
			"locations":[{"path":`+e+`}],"content":[{"type":"diff","path":`+e+`,"oldText":`+e+`,"newText":"x"},
			{"type":"content","content":{"type":"text","text":`+e+`}}]}`),
		update(`{"sessionUpdate":"plan","entries":[{"content":`+e+`,"status":`+e+`}]}`),
		update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zz4="}}`),
		update(`{"sessionUpdate":["no"],"content":7}`), update(`[]`),
		transcript.New(transcript.KindOutput, map[string]any{"source": evil, "text": evil}),
		transcript.New(transcript.KindNotice, map[string]any{"text": evil}),
		transcript.New("song", map[string]any{"text": evil}),
		transcript.New(transcript.KindState, map[string]any{"subject": evil, "from": evil, "to": 7}),
		transcript.New(transcript.KindAsked, map[string]any{"title": evil, "options": []map[string]string{{"name": evil}}}),
		transcript.New(transcript.KindTurnEnded, map[string]any{"result": evil, "reason": evil}),
	)
	for _, path := range []string{"/", "/sessions/" + string(d.id), "/sessions/" + string(d.id) + "/history", "/?q=" + url.QueryEscape(evil)} {
		got := d.page(path)
		got = strings.ReplaceAll(got, `<script src="/static/blaise.js" defer></script>`, "")
		for _, tag := range regexp.MustCompile(`<[a-zA-Z][^>]*>`).FindAllString(got, -1) {
			if script.MatchString(regexp.MustCompile(`="[^"]*"`).ReplaceAllString(tag, "")) ||
				strings.Contains(tag, `="javascript:`) || strings.Contains(tag, "alert") && strings.Contains(tag, "class=\"item") {
				t.Errorf("%s: %s", path, tag)
			}
		}
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	resp, _ := d.do("POST", "/new", url.Values{"agent": {"demo"}, "text": {"hello"}, "key": {"k1"}})
	to := resp.Header.Get("Location")
	if resp.StatusCode != 303 || !strings.HasPrefix(to, "/sessions/") {
		t.Fatalf("%s to %q", resp.Status, to)
	}
	if resp, _ := d.do("POST", "/new", url.Values{"agent": {"demo"}, "text": {"hello"}, "key": {"k1"}}); resp.Header.Get("Location") != to {
		t.Errorf("sent twice, a second session: %s", resp.Header.Get("Location"))
	}
	d.do("POST", to+"/messages", url.Values{"text": {"and more"}, "key": {"k2"}})
	d.do("POST", to+"/messages", url.Values{"text": {"and more"}, "key": {"k2"}})
	got := d.page(to)
	if n := strings.Count(got, "Withdraw"); n != 2 {
		t.Errorf("%d messages can be withdrawn, want 2", n)
	}
	id := strings.TrimPrefix(to, "/sessions/")
	resp, _ = d.do("POST", to+"/withdraw", url.Values{"message": {id + ".m2"}})
	if got := d.page(to); resp.StatusCode != 303 || strings.Contains(got, "and more") {
		t.Errorf("%s, and the message is still queued", resp.Status)
	}
	t.Run("an error is shown with its hint, and nothing is lost", func(t *testing.T) {
		resp, text := d.do("POST", to+"/messages", url.Values{"text": {" "}})
		if resp.StatusCode != 400 || !strings.Contains(text, "the message is empty") || !strings.Contains(text, "What to do") {
			t.Errorf("%s\n%s", resp.Status, text)
		}
		resp, text = d.do("POST", to+"/act/cancel", url.Values{}, "Blaise-Fragment", "1")
		if resp.StatusCode != 409 || strings.Contains(text, "<html") || !strings.Contains(text, "role=\"alert\"") {
			t.Errorf("%s\n%s", resp.Status, text)
		}
	})
	t.Run("another page cannot send them", func(t *testing.T) {
		resp, _ := d.do("POST", to+"/act/end", url.Values{}, "Origin", "http://evil.example")
		if resp.StatusCode != http.StatusForbidden {
			t.Error(resp.Status)
		}
	})
	t.Run("a message of 10 MB comes through", func(t *testing.T) {
		var b strings.Builder
		m := multipart.NewWriter(&b)
		_ = m.WriteField("text", strings.Repeat("0123456789", 1<<20))
		_ = m.Close()
		req, _ := http.NewRequestWithContext(t.Context(), "POST", d.server.URL+to+"/messages", strings.NewReader(b.String()))
		req.AddCookie(d.cookie)
		req.Header.Set("Content-Type", m.FormDataContentType())
		req.Header.Set("Origin", d.server.URL)
		resp, err := d.client.Do(req)
		if err != nil || resp.StatusCode != 303 {
			t.Fatalf("%v %v", resp, err)
		}
		resp.Body.Close()
	})
	if resp, _ := d.do("POST", to+"/act/end", url.Values{"reason": {"done"}}); resp.StatusCode != 303 {
		t.Errorf("end: %s", resp.Status)
	}
	if got := d.page(to); !strings.Contains(got, "takes no more messages") {
		t.Error("the page of an ended session does not say so")
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	if _, err := d.control.Claim(t.Context(), d.run, d.id.Message(1)); err != nil {
		t.Fatal(err)
	}
	d.report(2, blaise.Event{Kind: blaise.EventQuestionAsked, Ask: &blaise.Question{
		Key: "k", Kind: "permission", Title: "Write a file", Detail: []byte(`{"path":"x"}`),
		Options: []blaise.Option{{ID: "y", Name: "Allow", Kind: "allow_once"}, {ID: "n", Name: "Reject", Kind: "reject_once"}},
	}})
	got := d.page("/sessions/" + string(d.id))
	for _, want := range []string{"asks for permission", "Write a file", ">Allow<", ">Reject<", "<title>(1) hello"} {
		if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(got, "<bdi>", ""), "</bdi>", ""), want) {
			t.Errorf("the card does not show %q", want)
		}
	}
	if list := d.page("/"); !strings.Contains(list, "Needs a person") || !strings.Contains(list, "1 to answer") {
		t.Error("the list does not put it first")
	}
	q := string(d.id) + ".q1"
	if resp, text := d.do("POST", "/sessions/"+string(d.id)+"/answer", url.Values{"question": {q}, "choice": {"y"}}); resp.StatusCode != 303 {
		t.Fatalf("%s %s", resp.Status, text)
	}
	if resp, _ := d.do("POST", "/sessions/"+string(d.id)+"/answer", url.Values{"question": {q}, "choice": {"n"}}); resp.StatusCode < 400 {
		t.Errorf("answered twice: %s", resp.Status)
	}
	if got := d.page("/sessions/" + string(d.id)); strings.Contains(got, "asks for permission") {
		t.Error("the card stays after the answer")
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	d.record(chunk("one "))
	got := d.page("/sessions/" + string(d.id))
	m := regexp.MustCompile(`data-from="(\d+)" data-after="(\d+)"`).FindStringSubmatch(got)
	id := regexp.MustCompile(`class="item agent" id="(e\d+)"`).FindStringSubmatch(got)
	if m == nil || id == nil {
		t.Fatal(got)
	}
	req, _ := http.NewRequestWithContext(t.Context(), "GET",
		fmt.Sprintf("%s/sessions/%s/live?from=%s&start=%s", d.server.URL, d.id, m[1], m[2]), nil)
	req.AddCookie(d.cookie)
	resp, err := d.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	d.record(chunk("*two*"))
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || !strings.Contains(data, "two") {
			continue
		}
		var items []struct{ ID, HTML string }
		if err := json.Unmarshal([]byte(data), &items); err != nil {
			t.Fatal(err)
		}
		if len(items) != 1 || items[0].ID != id[1] || !strings.Contains(items[0].HTML, "one <em>two</em>") {
			t.Errorf("the bubble is not continued: %+v", items)
		}
		return
	}
	t.Fatal(lines.Err())
}

func TestLongTranscript(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	for i := range 100 {
		var list []transcript.Event
		for j := range 100 {
			list = append(list, transcript.New(transcript.KindNotice, map[string]any{"text": fmt.Sprintf("line %d", 100*i+j)}))
		}
		d.record(list...)
	}
	began := time.Now()
	got := d.page("/sessions/" + string(d.id))
	t.Logf("page of %d bytes in %s", len(got), time.Since(began))
	if strings.Contains(got, "line 5000<") || !strings.Contains(got, "line 9999<") {
		t.Error("the page does not begin with the end")
	}
	seen := strings.Count(got, "line ")
	for range 100 {
		m := regexp.MustCompile(`href="(/sessions/\w+/earlier\?before=\d+)"`).FindStringSubmatch(got)
		if m == nil {
			break
		}
		got = d.page(m[1])
		seen += strings.Count(got, "line ")
	}
	if seen != 10000 {
		t.Errorf("%d lines seen going back, want 10000", seen)
	}
}
