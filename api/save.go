package api

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"blaise.dev/blaise"
)

// A KnownSaves answers GET /api/runner/sessions/{id}/saves: what Blaise has
// written down of the work of a session, for a runner that had a run of
// it. Runner token.
type KnownSaves struct {
	Deleted bool               `json:"deleted"` // the session was: nobody asks for its work
	Saves   []blaise.SavedWork `json:"saves"`
}

func runnerSaves(id blaise.SessionID) string {
	return "/api/runner/sessions/" + esc(string(id)) + "/saves"
}

// KnownSaves asks for them. CodeNotFound: Blaise knows no such session.
// CodeDenied: its runs were all other runners'.
func (c *Client) KnownSaves(ctx context.Context, id blaise.SessionID) (KnownSaves, error) {
	var out KnownSaves
	return out, c.get(ctx, runnerSaves(id), nil, &out)
}

// PutSave has Blaise keep a save as the bundle at path: the body of PUT
// /api/runner/sessions/{id}/saves/{n}?commit=&name=. Sent again it is kept once.
// CodeInvalid: it is too long; CodeRefused: the session has too much, or the save
// is of another commit.
func (c *Client) PutSave(ctx context.Context, id blaise.SessionID, save blaise.SavedWork, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return err
	}
	return c.do(ctx, call{
		method: http.MethodPut, path: runnerSaves(id) + "/" + strconv.Itoa(save.N), in: io.Reader(file), size: st.Size(),
		query:  url.Values{"commit": {save.Commit}, "name": {filepath.Base(path)}},
		client: c.uploads, within: fileDeadline,
	})
}
