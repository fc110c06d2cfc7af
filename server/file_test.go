package server_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// A run puts files where Blaise is; they are read under its lease and by users,
// and by the runs of no other session.
func TestFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	posted, lease, _ := h.connected()
	run := api.NewClient(h.server.URL, lease.Token, api.ClientOptions{Version: "test"})
	long := bytes.Repeat([]byte("0123456789abcdef"), 200<<10)
	sum := sha256.Sum256(long)
	want := hex.EncodeToString(sum[:])
	for range 2 { // sent again it is kept once
		f, err := run.PutFile(t.Context(), api.File{Name: "../a b.json", Type: "application/json", SHA256: want, Size: int64(len(long))}, bytes.NewReader(long))
		if err != nil || f.SHA256 != want || f.Size != int64(len(long)) || f.Name != "a b.json" {
			t.Fatalf("put: %+v, %v", f, err)
		}
	}
	tooLong := &countingReader{}
	_, err := run.PutFile(t.Context(), api.File{Name: "long.bundle", Size: 1 << 40}, tooLong)
	code(t, err, blaise.CodeInvalid)
	if tooLong.n > 0 {
		t.Errorf("%d bytes of a file that is too long were sent", tooLong.n)
	}
	all, err := h.user.Files(t.Context(), posted.Session)
	if err != nil || len(all) != 1 {
		t.Fatalf("files: %+v, %v", all, err)
	}
	var byUser, byRun bytes.Buffer
	if err := h.user.File(t.Context(), posted.Session, want, &byUser); err != nil || !bytes.Equal(byUser.Bytes(), long) {
		t.Errorf("file of a user: %d bytes, %v", byUser.Len(), err)
	}
	if err := run.RunFile(t.Context(), want, &byRun); err != nil || !bytes.Equal(byRun.Bytes(), long) {
		t.Errorf("file of the run: %d bytes, %v", byRun.Len(), err)
	}
	resp := h.request(http.MethodGet, "/api/sessions/"+string(posted.Session)+"/files/"+want, h.token, "")
	if got := resp.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment") {
		t.Errorf("disposition %q: an agent's file is shown by a browser", got)
	}
	_, _, other := h.connected()
	if err := other.RunFile(t.Context(), want, io.Discard); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("a file of another session: %v", err)
	}
	_, err = other.PutFile(t.Context(), api.File{Name: "x", SHA256: want}, strings.NewReader("y"))
	if blaise.CodeOf(err) != blaise.CodeInvalid {
		t.Errorf("a file that is not what it says: %v", err)
	}
}

// An event that is too long for the record comes whole as a file, under the hash
// that the record names, and leaves the spool.
func TestLongEventComesWhole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	posted, lease, run := h.connected()
	spool, err := transcript.OpenSpool(t.TempDir(), transcript.SpoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	text := strings.Repeat("long ", 400<<10)
	err = transcript.NewRecorder(spool, string(lease.Run), nil).
		Append(transcript.New(transcript.KindOutput, map[string]string{"text": text}))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second time there is nothing left
		if err := run.PutWholes(t.Context(), spool); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := spool.Wholes(); err != nil || len(left) > 0 {
		t.Errorf("left in the spool: %v, %v", left, err)
	}
	entries, err := spool.Read(1, 1, 1<<20)
	var event struct{ Data transcript.Shortened }
	if err != nil || json.Unmarshal(entries[0].Data, &event) != nil {
		t.Fatalf("entries: %v, %v", entries, err)
	}
	var whole bytes.Buffer
	err = h.user.File(t.Context(), posted.Session, event.Data.Cut.SHA256, &whole)
	if err != nil || whole.String() != `{"text":"`+text+`"}` {
		t.Errorf("the whole event: %d bytes, %v", whole.Len(), err)
	}
}

// A countingReader has zeros without end, and counts those that were read.
type countingReader struct{ n int64 }

func (r *countingReader) Read(p []byte) (int, error) {
	r.n += int64(len(p))
	clear(p)
	return len(p), nil
}
