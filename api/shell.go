package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"blaise.dev/blaise"

	"github.com/coder/websocket"
)

// The kinds of messages of a shell: the first byte of each.
const (
	ShellStart  = 's' // from the person, once: a ShellAsk
	ShellInput  = 'i' // none: no more of it
	ShellSize   = 'w' // a ShellSizes
	ShellOutput = 'o'
	ShellErrors = 'e' // stderr, where there is no terminal
	ShellExit   = 'x' // from the run, last: a ShellExited
)

// ShellMessage is the most that a message of a shell holds.
const ShellMessage = 32 << 10

// A ShellAsk is what is to be run in an environment.
type ShellAsk struct {
	Args []string `json:"args,omitempty"` // none: a login shell
	TTY  bool     `json:"tty"`
	Term string   `json:"term,omitempty"`
	ShellSizes
}

// ShellSizes are those of a terminal.
type ShellSizes struct {
	Rows uint16 `json:"rows,omitempty"`
	Cols uint16 `json:"cols,omitempty"`
}

// ShellExited says how the command of a shell ended.
type ShellExited struct {
	Code  int    `json:"code"`
	Error string `json:"error,omitempty"` // why it did not start, or what ended it
}

// A Shell is one end of a terminal in an environment. Send and Next may each be
// called by one goroutine beside the other.
type Shell struct{ conn *websocket.Conn }

// NewShell is the shell over a connection that is open.
func NewShell(conn *websocket.Conn) *Shell {
	conn.SetReadLimit(ShellMessage + 1)
	return &Shell{conn: conn}
}

// Send sends a message: bytes as they are, all else as JSON.
func (s *Shell) Send(ctx context.Context, kind byte, v any) error {
	b, raw := v.([]byte)
	if !raw {
		var err error
		if b, err = json.Marshal(v); err != nil {
			return err
		}
	}
	return s.conn.Write(ctx, websocket.MessageBinary, append([]byte{kind}, b...))
}

// Next waits for a message. An empty one has kind 0.
func (s *Shell) Next(ctx context.Context) (kind byte, body []byte, err error) {
	_, b, err := s.conn.Read(ctx)
	if err != nil || len(b) == 0 {
		return 0, nil, err
	}
	return b[0], b[1:], nil
}

// Ping asks the other end for a sign of life; Next must be waiting.
func (s *Shell) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Close closes it; it may be called twice.
func (s *Shell) Close(why string) {
	_ = s.conn.Close(websocket.StatusNormalClosure, why[:min(len(why), 100)])
}

// Shell opens a shell in the environment of a session. What is run is for the
// record. CodeRefused: no run has its layers open.
func (c *Client) Shell(ctx context.Context, id blaise.SessionID, what string) (*Shell, error) {
	return c.dialShell(ctx, "/api/sessions/"+esc(id)+"/shell?"+url.Values{"what": {what}}.Encode())
}

// JoinShell is the run's end of a shell that a directive named.
func (c *Client) JoinShell(ctx context.Context, key string) (*Shell, error) {
	return c.dialShell(ctx, "/api/run/shells/"+esc(key))
}

func (c *Client) dialShell(ctx context.Context, path string) (*Shell, error) {
	k := call{method: http.MethodGet, path: path}
	req, err := c.request(ctx, k)
	if err != nil {
		return nil, err
	}
	req.Header.Del("Content-Type")
	conn, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(c.url, "http")+path, &websocket.DialOptions{
		HTTPClient: c.http, HTTPHeader: req.Header,
	})
	switch {
	case err == nil:
		return NewShell(conn), nil
	case resp != nil && resp.StatusCode >= 300:
		return nil, c.problem(resp)
	case resp != nil:
		return nil, blaise.Errorf(blaise.CodeUnreachable, "what is between here and Blaise at %s lets no websocket through: %v", c.url, err)
	}
	return nil, c.unreachable(ctx, k, errors.Unwrap(err))
}
