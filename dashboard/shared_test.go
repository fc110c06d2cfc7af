package dashboard_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/dashboard"
	"blaise.dev/blaise/transcript"
)

// A counter counts the readings of a session for live pages.
type counter struct {
	dashboard.Views
	fresh atomic.Int64
}

func (c *counter) Fresh(ctx context.Context, id blaise.SessionID, since time.Time) (api.Session, error) {
	c.fresh.Add(1)
	return c.Views.Fresh(ctx, id, since)
}

// Many who follow one session are shown what was read and rendered once; who
// comes again is given what came meanwhile.
func TestLivePagesShareWhatTheyShow(t *testing.T) {
	t.Parallel()
	c := &counter{}
	d := newDesk(t, func(o *dashboard.Options) { c.Views, o.Views = o.Views, c })
	d.begin("hello")
	d.record(chunk("one "))
	const many = 12
	var pages []*bufio.Scanner
	for range many {
		p := d.follow("from=1&start=1")
		awaitEvent(t, p, "parts")
		pages = append(pages, p)
	}
	if n := c.fresh.Load(); n > many/2 {
		t.Errorf("the session was read %d times for %d pages", n, many)
	}
	d.record(chunk("two "))
	for _, p := range pages {
		awaitText(t, p, "one two")
	}
	d.record(chunk("three "))
	awaitText(t, pages[0], "one two three")
	for after := range 3 {
		awaitText(t, d.follow(fmt.Sprintf("from=1&start=0&after=%d", after)), "one two three")
	}
}

// Pages that are opened at about the same time begin at the same event, and so
// are shown the same.
func TestPagesBeginAlike(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	from := func(more int) string {
		for range more {
			d.record(transcript.New(transcript.KindNotice, map[string]any{"text": "a line"}))
		}
		return regexp.MustCompile(`data-from="\d+"`).FindString(d.page("/sessions/" + string(d.id)))
	}
	if first, second := from(250), from(100); first == "" || first != second {
		t.Errorf("one begins with %s, the other with %s", first, second)
	}
}

// follow opens the live part of the session's page.
func (d *desk) follow(query string) *bufio.Scanner {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), "GET",
		fmt.Sprintf("%s/sessions/%s/live?%s", d.server.URL, d.id, query), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	req.AddCookie(d.cookie)
	resp, err := d.client.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return lines
}

// awaitEvent answers the data of the next event of a name.
func awaitEvent(t *testing.T, lines *bufio.Scanner, name string) string {
	t.Helper()
	for lines.Scan() {
		if lines.Text() == "event: "+name && lines.Scan() {
			return strings.TrimPrefix(lines.Text(), "data: ")
		}
	}
	t.Fatalf("no event %s: %v", name, lines.Err())
	return ""
}

// awaitText waits until items with a text are shown.
func awaitText(t *testing.T, lines *bufio.Scanner, text string) {
	t.Helper()
	for !strings.Contains(awaitEvent(t, lines, "items"), text) {
	}
}
