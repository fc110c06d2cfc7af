package control_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// blobs counts the files that are kept, of whatever session.
func (h *house) blobs() (n int) {
	h.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(h.dir, "blobs.db"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(h.t.Context(), "SELECT COUNT(*) FROM blobs").Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

// What the bytes are counts, not what the sender says of them: a browser and an
// agent act on it.
func TestAttachmentsAreToldByTheirBytes(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	png := "\x89PNG\r\n\x1a\n...."
	m, err := h.Start(t.Context(), "ann", control.Start{Agent: "demo", Text: "look", Files: []control.File{
		{Name: "C:\\dir\\a.png", Type: "text/html", Data: []byte(png)},
		{Name: "b.png", Type: "image/png", Data: []byte("<html><script>")},
		{Name: "c.go", Type: "text/x-go", Data: []byte("package c")},
		{Name: "d.mp3", Type: "audio/mpeg", Data: []byte{1, 2, 255}},
		{Name: "e.png", Type: "image/png", Data: []byte{1, 2, 254}},
		{URL: "https://example.org"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range m.Attachments {
		got = append(got, a.Name+" "+a.Type)
	}
	want := "a.png image/png, b.png text/html, c.go text/x-go, d.mp3 audio/mpeg, e.png application/octet-stream, example.org "
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q", strings.Join(got, ", "))
	}
	files, err := h.Files(t.Context(), m.ID.Session())
	if err != nil || len(files) != 5 {
		t.Errorf("%d files, %v, want 5: nothing is kept of a link", len(files), err)
	}
}

// X1: a start and a post that are sent again are one, with what came with them,
// and leave nothing of a second one.
func TestX1AttachmentsOnceByTheirKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	start := control.Start{Agent: "demo", Text: "look", Key: "k", Files: []control.File{{Name: "a", Data: []byte("a")}}}
	first, err := h.Start(t.Context(), "ann", start)
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.Start(t.Context(), "ann", start)
	if err != nil || again.ID != first.ID || len(again.Attachments) != 1 {
		t.Fatalf("got %+v, %v, want %s again", again, err, first.ID)
	}
	if n := h.blobs(); n != 1 {
		t.Errorf("%d files are kept, want 1", n)
	}
	start.Files[0].Data = []byte("b")
	if _, err := h.Start(t.Context(), "ann", start); blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("other bytes under the same key: %v", err)
	}
	start.Agent, start.Key = "nosuch", ""
	if _, err := h.Start(t.Context(), "ann", start); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("no agent: %v", err)
	}
	post := control.Post{Text: "more", Key: "p", Files: start.Files}
	if _, err := h.Post(t.Context(), "ann", "zzzzzzzz", post); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("no session: %v", err)
	}
	if n := h.blobs(); n != 1 {
		t.Errorf("%d files are kept after what was refused, want 1", n)
	}
	for range 2 {
		if _, err := h.Post(t.Context(), "ann", first.ID.Session(), post); err != nil {
			t.Fatal(err)
		}
	}
	v, err := h.View(t.Context(), first.ID.Session())
	if err != nil || len(v.Messages) != 2 || h.blobs() != 2 {
		t.Errorf("%d messages, %d files, %v", len(v.Messages), h.blobs(), err)
	}
}
