package demoagent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/internal/demoagent"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	a := start(t, demoagent.Options{Log: &log})
	id := a.session()
	for _, c := range []struct{ say, want string }{
		{"hello", "I remember 0 messages"},
		{"recall", "1. hello"},
		{"What did I say?", "2. recall"},
		{"count", "turn 4"},
		{"echo a b", "a b"},
		{"write f.txt some text", "I wrote f.txt"},
		{"append f.txt more", "I wrote f.txt"},
		{"read f.txt", "some textmore\n"},
		{"read none", "cannot read"},
		{"write ../out x", "cannot write ../out"},
		{"write", "usage: write NAME TEXT"},
		{"run echo hi; echo err >&2; exit 4", "exit status 4\n```\nhi\nerr\n```"},
		{"ask Shall I?", "You answered: yes."},
		{"think hard", "I thought"},
		{"usage", "tokens"},
		{"secret DEMOAGENT_NOT_SET", "DEMOAGENT_NOT_SET="},
		{"sleep 0.001", "Awake"},
		{"burst 3 4", "1 ..2 ..3 .."},
		{"stderr oops", "printed"},
		{"junk", "printed junk"},
		{"help", "exit-after"},
		{"/help", "exit-after"},
		{"bonjour le monde", "You said: bonjour le monde"},
	} {
		a.want(id, c.say, c.want)
	}
	if log.String() != "oops\n" {
		t.Errorf("got stderr %q, want oops", log.String())
	}
	if len(a.noise) != 3 {
		t.Errorf("got noise %q, want 3 lines", a.noise)
	}
	if _, stop := a.ask(id, "refuse"); stop != "refusal" {
		t.Errorf("got stop reason %q, want refusal", stop)
	}
}

func TestHelpIsInThePackageComment(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	a := start(t, demoagent.Options{})
	said, _ := a.ask(a.session(), "help")
	for line := range strings.Lines(said) {
		if !strings.Contains(string(doc), "//\t"+line) {
			t.Errorf("doc.go lacks %q", line)
		}
	}
}

func TestPlanEndsCompleted(t *testing.T) {
	t.Parallel()
	a := start(t, demoagent.Options{})
	id := a.session()
	if _, err := a.Prompt(t.Context(), id, []acp.ContentBlock{acp.Text("plan")}); err != nil {
		t.Fatal(err)
	}
	var last []acp.PlanEntry
	for _, u := range a.take() {
		if p, ok := u.Plan(); ok {
			last = p
		}
	}
	if len(last) != 3 || last[2].Status != "completed" {
		t.Errorf("got plan %v, want 3 completed entries", last)
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	t.Run("a rejected write writes nothing", func(t *testing.T) {
		t.Parallel()
		a := start(t, demoagent.Options{})
		a.permit = func(_ context.Context, r acp.PermissionRequest) acp.PermissionOutcome {
			return r.Choose(false, false)
		}
		a.want(a.session(), "write f x", "I may not write f")
		if _, err := os.Stat(filepath.Join(a.dir, "f")); err == nil {
			t.Error("the file was written")
		}
	})
	t.Run("always is asked once", func(t *testing.T) {
		t.Parallel()
		a := start(t, demoagent.Options{})
		a.permit = func(context.Context, acp.PermissionRequest) acp.PermissionOutcome {
			return acp.PermissionOutcome{OptionID: "always"}
		}
		id := a.session()
		a.want(id, "write f x", "I wrote")
		a.want(id, "write f y", "I wrote")
		if len(a.asked) != 1 || a.asked[0].ToolCall.Kind != "edit" {
			t.Errorf("got %d questions, want 1 of kind edit", len(a.asked))
		}
	})
	t.Run("mode auto does not ask", func(t *testing.T) {
		t.Parallel()
		a := start(t, demoagent.Options{})
		id := a.session()
		if err := a.SetMode(t.Context(), id, "auto"); err != nil {
			t.Fatal(err)
		}
		a.want(id, "run true", "exit status 0")
		a.want(id, "run echo '- one'", "exit status 0\n```\n- one\n```")
		if len(a.asked) != 0 {
			t.Errorf("got %d questions, want none", len(a.asked))
		}
	})
	t.Run("a link does not lead out of the working directory", func(t *testing.T) {
		t.Parallel()
		a := start(t, demoagent.Options{})
		out := t.TempDir()
		if err := os.Symlink(out, filepath.Join(a.dir, "link")); err != nil {
			t.Fatal(err)
		}
		a.want(a.session(), "write link/f x", "cannot write")
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"sleep 1000", "ask Really?", "write f x", "run sleep 1000"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			a := start(t, demoagent.Options{})
			if !strings.HasPrefix(text, "run") {
				a.permit = func(ctx context.Context, _ acp.PermissionRequest) acp.PermissionOutcome {
					<-ctx.Done()
					return acp.PermissionOutcome{}
				}
			}
			id := a.session()
			ended := make(chan acp.PromptResult, 1)
			go func() {
				r, err := a.Prompt(t.Context(), id, []acp.ContentBlock{acp.Text(text)})
				if err != nil {
					t.Error(err)
				}
				ended <- r
			}()
			a.until(func() bool { return len(a.updates) > 0 && (text[0] == 's' || len(a.asked) > 0) })
			if err := a.Cancel(id); err != nil {
				t.Fatal(err)
			}
			if r := <-ended; r.Reported != acp.StopCancelled {
				t.Errorf("got %+v, want the agent to report cancelled", r)
			}
			a.want(id, "count", "turn 2")
		})
	}
}

func TestWitness(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "witness")
	a := start(t, demoagent.Options{Witness: file})
	id := a.session()
	a.want(id, "hello", "Hello")
	a.want(id, "echo 2", "2")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []string
	for s := bufio.NewScanner(f); s.Scan(); {
		var w struct {
			Session, Message, Time string
			PID                    int
		}
		if err := json.Unmarshal(s.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		if w.Session != id || w.PID != os.Getpid() || w.Time == "" {
			t.Errorf("got %+v, want session %s and our pid", w, id)
		}
		got = append(got, w.Message)
	}
	if strings.Join(got, "|") != "hello|echo 2" {
		t.Errorf("got messages %q", got)
	}
}

func TestSessionErrors(t *testing.T) {
	t.Parallel()
	a := start(t, demoagent.Options{})
	params := acp.SessionParams{CWD: a.dir}
	for _, id := range []string{"unknown", "../../etc/passwd", ""} {
		if _, err := a.LoadSession(t.Context(), id, params); !acp.IsSessionNotFound(err) {
			t.Errorf("load %q: got %v, want not found", id, err)
		}
	}
	id := a.session()
	if err := a.CloseSession(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	_, err := a.Prompt(t.Context(), id, []acp.ContentBlock{acp.Text("hello")})
	if !acp.IsSessionNotFound(err) {
		t.Errorf("prompt after close: got %v, want not found", err)
	}
	if _, err := a.LoadSession(t.Context(), id, params); err != nil {
		t.Errorf("load after close: %v", err)
	}
	a.want(id, "forget", "not know")
	if _, err := a.LoadSession(t.Context(), id, params); !acp.IsSessionNotFound(err) {
		t.Errorf("load after forget: got %v, want not found", err)
	}
}
