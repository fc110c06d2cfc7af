package server_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/transcript"
)

// opened is a session whose environment is open.
func (h *house) opened() (api.Posted, *api.Client) {
	h.t.Helper()
	p, _, run := h.connected()
	_, err := run.Send(h.t.Context(), []transcript.Entry{report(1, api.Report{
		Event: blaise.EventOpened, Plugs: []blaise.PlugRecord{{ID: "src", Use: "worktree", Opened: true, Resumable: true}},
	})})
	if err != nil {
		h.t.Fatal(err)
	}
	return p, run
}

// shell opens a shell and answers both its ends: run is told of more than last
// directives.
func (h *house) shell(user, run *api.Client, id blaise.SessionID, last *int64) (person, end *api.Shell) {
	h.t.Helper()
	ctx := h.t.Context()
	opened := make(chan error, 1)
	go func() {
		var err error
		person, err = user.Shell(ctx, id, "make\x1b[31m \u202etest "+strings.Repeat("x", 9000))
		opened <- err
	}()
	for end == nil {
		told, err := run.Directives(ctx, *last, 10*time.Second)
		if err != nil || len(told.Directives) == 0 {
			h.t.Fatalf("directives: %+v, %v", told, err)
		}
		for _, d := range told.Directives {
			if *last = max(*last, d.N); d.Kind == blaise.DirectiveShell {
				if end, err = run.JoinShell(ctx, d.Key); err != nil {
					h.t.Fatal(err)
				}
			}
		}
	}
	if err := within(h.t, opened, "shell"); err != nil {
		h.t.Fatal(err)
	}
	return person, end
}

// TestCutOff: whatever ends what a token opens ends what is open with it: a shell
// at both its ends, and a stream. What another token of the same user has open
// goes on.
func TestCutOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	p, run := h.opened()
	last := int64(0)
	for what, cut := range map[string]func(name string, token string) error{
		"removed":    func(name, _ string) error { return h.user.RemoveUser(ctx, name) },
		"demoted":    func(name, _ string) error { return h.user.SetRole(ctx, name, "viewer") },
		"signed out": func(name, _ string) error { return h.user.SignOutUser(ctx, name) },
		"logged out": func(_, token string) error { return h.control.Logout(ctx, token) },
		"expired":    func(string, string) error { return nil },
		"revoked":    func(name, _ string) error { return h.control.RevokePersonal(ctx, name, "script") },
	} {
		name := strings.ReplaceAll(what, " ", "-")
		other, err := h.control.ByUserToken(ctx, h.as(name, control.RoleMember))
		if err != nil {
			t.Fatal(err)
		}
		token := h.linked(name)
		if what == "expired" || what == "revoked" {
			life := map[string]string{"expired": "1s", "revoked": "1h"}[what]
			made, err := h.client(token).NewPersonalToken(ctx, api.NewPersonalToken{Name: "script", Scope: "write", Expires: life})
			if err != nil {
				t.Fatal(err)
			}
			token = made.Secret
		}
		user := h.client(token)
		stream := h.request("GET", "/api/sessions/"+string(p.Session)+"/stream", token, "")
		allowed, leave := h.control.Allowed(ctx, other)
		person, end := h.shell(user, run, p.Session, &last)
		if err := person.Send(ctx, api.ShellInput, []byte("ls")); err != nil {
			t.Fatal(err)
		}
		if _, got, err := end.Next(ctx); err != nil || string(got) != "ls" {
			t.Fatalf("the run reads %q, %v", got, err)
		}
		if err := cut(name, token); err != nil {
			t.Fatal(err)
		}
		limit, cancel := context.WithTimeout(ctx, 10*time.Second)
		for side, s := range map[string]*api.Shell{"person": person, "run": end} {
			if _, b, err := s.Next(limit); err == nil || limit.Err() != nil {
				t.Errorf("%s: the shell's end of the %s reads %q, %v", what, side, b, err)
			}
		}
		cancel()
		over := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, stream.Body); close(over) }()
		within(t, over, "end of the stream: "+what)
		if what != "removed" && what != "demoted" {
			if err := context.Cause(allowed); err != nil {
				t.Errorf("%s: another token: %v", what, err)
			}
		}
		leave()
	}
}

// linked signs a user in with a link.
func (h *house) linked(name string) string {
	h.t.Helper()
	link, err := h.user.InviteUser(h.t.Context(), name)
	if err != nil {
		h.t.Fatal(err)
	}
	in, err := h.client("").Login(h.t.Context(), link.Code)
	if err != nil {
		h.t.Fatal(err)
	}
	return in.Token
}

// TestShellByAnImage: what a page elsewhere can have a browser ask for opens no
// shell, and wakes nothing. What is said to run is recorded short and harmless.
func TestShellByAnImage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, run := h.opened()
	path := "/api/sessions/" + string(p.Session) + "/shell?what=bad"
	cookie := []string{"Cookie", "blaise_session_" + h.port() + "=" + h.token}
	ws := append([]string{
		"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13",
		"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==",
	}, cookie...)
	for _, c := range []struct {
		header []string
		want   int
	}{
		{cookie, http.StatusBadRequest},
		{append([]string{"Origin", "http://127.0.0.1:1"}, ws...), http.StatusForbidden},
		{append([]string{"Origin", "null"}, ws...), http.StatusForbidden},
	} {
		if resp := h.request("GET", path, "", "", c.header...); resp.StatusCode != c.want {
			t.Errorf("%v: %s, want %d", c.header, resp.Status, c.want)
		}
	}
	last := int64(0)
	person, _ := h.shell(h.user, run, p.Session, &last)
	defer person.Close("")
	recorded, err := h.shellsOf(p.Session)
	for tries := 0; recorded == 0 && err == nil && tries < 500; tries++ { // it comes into the transcript after the commit
		time.Sleep(10 * time.Millisecond)
		recorded, err = h.shellsOf(p.Session)
	}
	if err != nil || recorded != 1 {
		t.Errorf("%d shells are recorded, %v", recorded, err)
	}
}

// shellsOf counts the shells in the record of a session, and looks at what it
// says of them.
func (h *house) shellsOf(id blaise.SessionID) (recorded int, err error) {
	h.t.Helper()
	err = h.user.Transcript(h.t.Context(), id, 0, func(e transcript.Event) error {
		said := string(e.Data)
		if strings.Contains(said, "opened a shell") {
			recorded++
			if len(said) > 400 || strings.ContainsAny(said, "\x1b\u202e") || strings.Contains(said, `\u`) || !strings.Contains(said, "make[31m test xxx") {
				h.t.Errorf("recorded: %s", said)
			}
		}
		return nil
	})
	return recorded, err
}

func (h *house) port() string {
	_, port, _ := strings.Cut(h.server.Listener.Addr().String(), ":")
	return port
}
