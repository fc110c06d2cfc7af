package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A File is one that Blaise keeps for a session, under the SHA-256 of its bytes:
// a bundle of saved work, an event too long for the record. A run puts it there
// with PUT /api/run/files?name=&type=&sha256=, the bytes as the body.
type File struct {
	SHA256 string    `json:"sha256"`
	Name   string    `json:"name"`
	Type   string    `json:"type,omitempty"` // the media type
	Size   int64     `json:"size"`
	At     time.Time `json:"at"`
}

// Files answers GET /api/sessions/{id}/files, oldest first; the bytes of one are
// the answer to GET /api/sessions/{id}/files/{sha256}.
type Files struct {
	Files []File `json:"files"`
}

// fileDeadline is how long a file may take.
const fileDeadline = 30 * time.Minute

// PutFile keeps a file for the session of the run whose lease token the client
// has. Sent again it is kept once, and where f has hash and size nothing is sent
// in vain. CodeInvalid: it is too long; CodeRefused: the session has too much.
func (c *Client) PutFile(ctx context.Context, f File, body io.Reader) (File, error) {
	q := url.Values{"name": {f.Name}, "type": {f.Type}}
	if f.SHA256 != "" {
		q.Set("sha256", f.SHA256)
	}
	var out File
	return out, c.do(ctx, call{
		method: http.MethodPut, path: "/api/run/files", query: q, in: body, out: &out,
		client: c.uploads, within: fileDeadline, size: f.Size,
	})
}

// PutPath is PutFile of a file on this machine; it answers the SHA-256. What is
// sent is written to sent too, so that somebody may count it.
func (c *Client) PutPath(ctx context.Context, path, mediaType string, sent io.Writer) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	f := File{
		Name: filepath.Base(path), Type: mediaType, Size: size,
		SHA256: hex.EncodeToString(sum.Sum(nil)),
	}
	_, err = c.PutFile(ctx, f, io.TeeReader(file, sent))
	return f.SHA256, err
}

// PutWholes puts the events that were too long for the record, as a spool has
// them whole, among the files of the session. What Blaise has is dropped here;
// what it refuses for good stays.
func (c *Client) PutWholes(ctx context.Context, s *transcript.Spool) error {
	paths, err := s.Wholes()
	errs := []error{err}
	for _, path := range paths {
		_, err := c.PutPath(ctx, path, "application/json", io.Discard)
		if err == nil {
			err = s.DropWhole(path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// RunFile writes the bytes of a file of the run's session, or of the one it
// goes on from, to to.
func (c *Client) RunFile(ctx context.Context, sha256 string, to io.Writer) error {
	return c.do(ctx, call{
		method: http.MethodGet, path: "/api/run/files/" + esc(sha256), out: to,
		client: c.uploads, within: fileDeadline,
	})
}

// Files lists what Blaise keeps for a session.
func (c *Client) Files(ctx context.Context, id blaise.SessionID) ([]File, error) {
	var out Files
	return out.Files, c.get(ctx, session(id, "/files"), nil, &out)
}

// File writes the bytes of a session's file to to.
func (c *Client) File(ctx context.Context, id blaise.SessionID, sha256 string, to io.Writer) error {
	return c.do(ctx, call{
		method: http.MethodGet, path: session(id, "/files/"+esc(sha256)), out: to,
		client: c.uploads, within: fileDeadline,
	})
}
