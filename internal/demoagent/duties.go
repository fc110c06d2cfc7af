package demoagent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// The commands of this file ask the client for something.

func fsRead(ctx context.Context, t *turn, rest string) error {
	if rest == "" {
		return errUsage
	}
	raw, err := t.a.wire.ask(ctx, "fs/read_text_file", map[string]any{
		"sessionId": t.s.id, "path": t.at(rest),
	})
	if err != nil {
		return t.refusedFor("read "+rest, err)
	}
	var r struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("decode file: %w", err)
	}
	t.sayf("The client read %s:\n%s", rest, r.Content)
	return nil
}

func fsWrite(ctx context.Context, t *turn, rest string) error {
	name, text, _ := strings.Cut(rest, " ")
	if name == "" {
		return errUsage
	}
	_, err := t.a.wire.ask(ctx, "fs/write_text_file", map[string]any{
		"sessionId": t.s.id, "path": t.at(name), "content": text + "\n",
	})
	if err != nil {
		return t.refusedFor("write "+name, err)
	}
	t.sayf("The client wrote %s.", name)
	return nil
}

// at makes a name absolute without cleaning it, as a careless agent would.
func (t *turn) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return t.s.cwd + "/" + name
}

// refusedFor tells what the client would not do. It is no failure of the turn.
func (t *turn) refusedFor(what string, err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return err
	}
	t.sayf("The client did not %s: %s (%d)", what, f.Message, f.Code)
	return nil
}

// term runs a command in a terminal of the client and shows it while it runs.
func term(ctx context.Context, t *turn, rest string) error {
	if rest == "" {
		return errUsage
	}
	raw, err := t.a.wire.ask(ctx, "terminal/create", map[string]any{
		"sessionId": t.s.id, "command": "sh", "args": []string{"-c", rest},
		"cwd": t.s.cwd, "outputByteLimit": showOutput,
	})
	if err != nil {
		return t.refusedFor("run "+rest, err)
	}
	var made struct {
		ID string `json:"terminalId"`
	}
	if err := json.Unmarshal(raw, &made); err != nil {
		return fmt.Errorf("decode terminal: %w", err)
	}
	of := map[string]any{"sessionId": t.s.id, "terminalId": made.ID}
	id := t.tool("execute", "Run "+rest, map[string]any{"command": rest})
	t.change(id, "in_progress", map[string]any{"content": []any{
		map[string]any{"type": "terminal", "terminalId": made.ID},
	}})
	_, err = t.a.wire.ask(ctx, "terminal/wait_for_exit", of)
	if ctx.Err() != nil { // a cancelled turn: nobody may be left behind
		_, _ = t.a.wire.ask(context.WithoutCancel(ctx), "terminal/kill", of)
	}
	out, outErr := t.a.wire.ask(context.WithoutCancel(ctx), "terminal/output", of)
	_, freed := t.a.wire.ask(context.WithoutCancel(ctx), "terminal/release", of)
	if err := errors.Join(err, outErr, freed); err != nil {
		t.change(id, "failed", nil)
		return err
	}
	t.change(id, "completed", nil)
	return t.showTerminal(out)
}

func (t *turn) showTerminal(raw json.RawMessage) error {
	var r struct {
		Output    string `json:"output"`
		Truncated bool   `json:"truncated"`
		Exit      struct {
			Code   *int   `json:"exitCode"`
			Signal string `json:"signal"`
		} `json:"exitStatus"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("decode output: %w", err)
	}
	how := "signal " + r.Exit.Signal
	if r.Exit.Code != nil {
		how = fmt.Sprintf("exit code %d", *r.Exit.Code)
	}
	t.sayf("The client ran it: %s, truncated %t\n%s", how, r.Truncated, r.Output)
	return nil
}

// elicit asks the person for a name, a number and a colour.
func elicit(ctx context.Context, t *turn, rest string) error {
	if rest == "" {
		return errUsage
	}
	raw, err := t.a.wire.ask(ctx, "elicitation/create", elicitation(t.s.id, rest))
	if err != nil {
		return t.refusedFor("ask", err)
	}
	var r struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	t.sayf("The client answered: %s %s", r.Action, r.Content)
	return nil
}

func elicitation(session, text string) map[string]any {
	if strings.HasPrefix(text, "https://") {
		return map[string]any{
			"sessionId": session, "mode": "url", "message": "Please visit this page.",
			"url": text, "elicitationId": "page-1",
		}
	}
	return map[string]any{
		"sessionId": session, "mode": "form", "message": text,
		"requestedSchema": json.RawMessage(`{"type": "object", "required": ["name", "count"], "properties": {
			"name": {"type": "string", "title": "Name"},
			"count": {"type": "integer", "title": "How many"},
			"colour": {"type": "string", "enum": ["red", "green"], "default": "red"},
			"sure": {"type": "boolean", "description": "think about it"}}}`),
	}
}

// odd asks what no client knows, and for a session that nobody began.
func odd(ctx context.Context, t *turn, _ string) error {
	_, err := t.a.wire.ask(ctx, "_demo/unheard_of", map[string]any{"sessionId": t.s.id})
	if err := t.refusedFor("know the method", err); err != nil {
		return err
	}
	_, err = t.a.wire.ask(ctx, "session/request_permission", map[string]any{
		"sessionId": "another", "toolCall": map[string]any{"toolCallId": "x"}, "options": yesNo,
	})
	return t.refusedFor("know the session", err)
}

// takeBack asks a question and takes it back at once.
func takeBack(ctx context.Context, t *turn, rest string) error {
	asking, stop := context.WithCancel(ctx)
	id := t.tool("other", cmp.Or(rest, "a question"), nil)
	stop()
	_, err := t.permit(asking, map[string]any{"toolCallId": id, "title": cmp.Or(rest, "a question")}, yesNo)
	t.change(id, "failed", nil)
	if ctx.Err() != nil || !errors.Is(err, context.Canceled) {
		return err
	}
	t.say("I asked and took it back.")
	return nil
}

// attachments says what came with the message beside its text.
func attachments(_ context.Context, t *turn, _ string) error {
	n := 0
	for _, b := range t.blocks {
		what := ""
		switch b.Type {
		case "image", "audio":
			what = fmt.Sprintf("%s %s, %d bytes of base64", b.Type, b.MimeType, len(b.Data))
		case "resource_link":
			what = fmt.Sprintf("link %s to %s", b.Name, b.URI)
		case "resource":
			what = fmt.Sprintf("resource %s %s, %d bytes of text, %d of base64",
				b.Resource.URI, b.Resource.MimeType, len(b.Resource.Text), len(b.Resource.Blob))
		default:
			continue
		}
		n++
		t.sayf("%d. %s\n", n, what)
	}
	t.sayf("%d attachments.", n)
	return nil
}
