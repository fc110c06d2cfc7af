package dashboard_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/transcript"
)

// cutEvent is an event as a recorder shortens one, and its data.
func cutEvent(kind transcript.Kind, data string) transcript.Event {
	sum := sha256.Sum256([]byte(data))
	return transcript.New(kind, transcript.Shortened{Cut: transcript.Cut{
		Size: len(data), SHA256: hex.EncodeToString(sum[:]), File: "whole-1.json", Head: data[:200], Tail: data[len(data)-200:],
	}})
}

func toolCall(kind, status, text string) string {
	b, _ := json.Marshal(text)
	return fmt.Sprintf(`{"content":[{"type":"content","content":{"type":"text","text":%s}}],`+
		`"sessionUpdate":%q,"toolCallId":"t1","title":"make","status":%q}`, b, kind, status)
}

var wholeLink = regexp.MustCompile(`href="(/sessions/\w+/whole/\d+)"`)

// What the page leaves out of an item is behind a link of it, as text that no
// browser renders: what the page cuts, and what the record has only the ends of.
func TestWholeOfWhatIsCut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	long := strings.Repeat("a line of output\n", 10_000) + "<script>alert(1)</script>\u202e"
	cut := toolCall("tool_call_update", "completed", "from the record: "+strings.Repeat("x", 2000)+" the end")
	d.record(
		update(toolCall("tool_call", "pending", "short")), // 2
		cutEvent(transcript.KindUpdate, cut),
		transcript.New(transcript.KindTurnEnded, map[string]string{"result": "answered"}),
		update(toolCall("tool_call", "completed", long)), // another turn has another call of that name
		cutEvent(transcript.KindOutput, `{"text":"`+strings.Repeat("y", 3000)+`","source":"setup"}`),
		chunk("short enough"),
	)
	page := d.page("/sessions/" + string(d.id))
	links := wholeLink.FindAllStringSubmatch(page, -1)
	if len(links) != 2 {
		t.Fatalf("%d links", len(links))
	}
	if strings.Contains(page, "short enough</p></div><p class") {
		t.Error("a short answer leads to its whole")
	}
	if !strings.Contains(page, "an output of 3 kB, kept in part") {
		t.Error("the ends of an output are not told")
	}
	resp, text := d.do("GET", links[0][1], nil)
	if resp.StatusCode != 404 || !strings.Contains(text, "only the ends") {
		t.Errorf("not with Blaise yet: %s", resp.Status)
	}
	if _, err := d.control.KeepFile(t.Context(), d.run, store.Blob{Name: "whole-1.json"}, strings.NewReader(cut)); err != nil {
		t.Fatal(err)
	}
	resp, text = d.do("GET", links[0][1], nil)
	for _, want := range []string{"make (completed)", "=== output", "from the record: xxx", " the end"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	for name, want := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if resp, _ := d.do("GET", "/sessions/"+string(d.id)+"/whole/999", nil); resp.StatusCode != 404 {
		t.Error(resp.Status)
	}
}

// What Blaise has only the ends of, or what is too long, keeps from nobody the
// whole of another item of the same turn.
func TestWholeBesideWhatIsKeptInPart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	long := strings.Repeat("a line of output\n", 10_000)
	other := strings.ReplaceAll(toolCall("tool_call", "pending", strings.Repeat("x", 2000)), `"t1"`, `"t2"`)
	d.record(
		update(toolCall("tool_call", "pending", "short")),
		cutEvent(transcript.KindUpdate, other), // Blaise lacks the rest
		transcript.New(transcript.KindUpdate, transcript.Shortened{Cut: transcript.Cut{
			Size: control.MaxWhole + 1, SHA256: strings.Repeat("0", 64), Head: other[:200], Tail: other[len(other)-200:],
		}}),
		update(toolCall("tool_call_update", "completed", long+"the end")),
		transcript.New(transcript.KindTurnEnded, map[string]string{"result": "answered"}),
		chunk(long+long+"of the answer"),
		cutEvent(transcript.KindUpdate, `{"sessionUpdate":"agent_message_chunk","content":{"text":"`+strings.Repeat("y", 3000)+`"}}`),
	)
	links := wholeLink.FindAllStringSubmatch(d.page("/sessions/"+string(d.id)), -1)
	if len(links) != 4 { // the two calls, the answer, and its second part
		t.Fatalf("%d links", len(links))
	}
	for i, want := range map[int]string{0: "the end\n", 2: "of the answer"} {
		if resp, text := d.do("GET", links[i][1], nil); resp.StatusCode != 200 || !strings.HasSuffix(text, want) {
			t.Errorf("%s: %s, %d bytes", links[i][1], resp.Status, len(text))
		}
	}
	if resp, text := d.do("GET", links[1][1], nil); resp.StatusCode != 404 || !strings.Contains(text, "only the ends") {
		t.Errorf("the call that is kept in part: %s", resp.Status)
	}
}
