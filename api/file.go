package api

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"blaise.dev/blaise"
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
