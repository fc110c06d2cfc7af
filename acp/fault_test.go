package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

func TestW1_Noise(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script acptest.Script
		noise  int64
	}{
		"banner":        {acptest.Script{Banner: []string{"Welcome!", "[INFO] {x", "", "[1]"}}, 3},
		"json log line": {acptest.Script{Banner: []string{`{"level":"info","msg":"up"}`, "7"}}, 2},
		"glued banner":  {acptest.Script{Glued: "\x1b[0mstarting {now} "}, 1},
		"glued frames": {acptest.Script{
			Glued: `{"jsonrpc":"2.0","method":"_x/y","params":{}}`,
		}, 0},
		"BOM":       {acptest.Script{BOM: true}, 0},
		"CRLF":      {acptest.Script{CRLF: true}, 0},
		"all three": {acptest.Script{BOM: true, CRLF: true, Glued: "hello "}, 1},
		"batch":     {acptest.Script{Batch: true}, 0},
		"long noise": {acptest.Script{
			Banner: []string{strings.Repeat("n", 200_000)},
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.script.Burst = 3
			p := start(t, c.script, acp.Options{})
			p.mustPrompt("end_turn")
			if got := p.Stats().Noise; got != c.noise {
				t.Errorf("got %d noise lines %q, want %d", got, p.noise, c.noise)
			}
			for _, line := range p.noise {
				if len(line) > 512 {
					t.Errorf("got a noise line of %d bytes, want 512 at most", len(line))
				}
			}
			if want := "1 2 3 "; !strings.HasPrefix(p.text(), want) {
				t.Errorf("got text %q, want %q", p.text(), want)
			}
		})
	}
}

func TestLine32MiB(t *testing.T) {
	t.Parallel()
	p := start(t, acptest.Script{Huge: 32 << 20, Burst: 1}, acp.Options{})
	p.mustPrompt("end_turn")
	text, _ := p.updates[1].Text()
	if len(text) != 32<<20 {
		t.Errorf("got a text of %d bytes, want 32 MiB", len(text))
	}
}

func TestLineOverTheLimit(t *testing.T) {
	t.Parallel()
	gapped := func(t *testing.T, s acptest.Script) (*peer, *[]acp.Gap) {
		var gaps []acp.Gap
		o := acp.Options{MaxLine: 100_000, Gap: func(g acp.Gap) { gaps = append(gaps, g) }}
		return start(t, s, o), &gaps
	}
	t.Run("an update is skipped", func(t *testing.T) {
		t.Parallel()
		p, gaps := gapped(t, acptest.Script{Burst: 2, Huge: 300_000})
		p.mustPrompt("end_turn")
		if len(*gaps) != 1 || (*gaps)[0].Method != "session/update" || p.count() != 2 {
			t.Fatalf("got gaps %+v and %d updates, want one gap and 2", *gaps, p.count())
		}
		if g := (*gaps)[0]; g.Size < 300_000 || g.Size > 300_300 || len(g.Head) != 256 {
			t.Errorf("got size %d and a head of %d, want 300,1xx and 256", g.Size, len(g.Head))
		}
	})
	t.Run("an answer fails its call", func(t *testing.T) {
		t.Parallel()
		p, gaps := gapped(t, acptest.Script{HugeAnswer: 200_000})
		_, err := p.prompt()
		var gap *acp.GapError
		if !errors.As(err, &gap) || string(gap.Gap.ID) != "1" || len(*gaps) != 1 {
			t.Errorf("got %v, want a GapError of id 1", err)
		}
		if p.Turn("s1") != acp.Idle {
			t.Error("the turn did not end")
		}
	})
	t.Run("a request is refused", func(t *testing.T) {
		t.Parallel()
		p, gaps := gapped(t, acptest.Script{Ask: "fs/read_text_file", AskSize: 200_000})
		p.mustPrompt("end_turn")
		if !strings.Contains(p.text(), "-32600") || len(*gaps) != 1 {
			t.Errorf("the agent got %q, want -32600", p.text())
		}
	})
}

func TestW4_IDs(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]acptest.Script{
		"strings":  {StringIDs: true},
		"floats":   {FloatIDs: true},
		"both":     {StringIDs: true, FloatIDs: true},
		"uuid ask": {Permissions: 1, AskID: `"f851ee98-6320-4e34-be0e-8ed3e48593a3"`},
		"zero ask": {Permissions: 1, AskID: `0`},
		"null ask": {Permissions: 1, AskID: `null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, s, acp.Options{})
			p.mustPrompt("end_turn")
			if s.Permissions > 0 && !strings.Contains(p.text(), `"yes"`) {
				t.Errorf("the agent got %q, want yes", p.text())
			}
		})
	}
}

func TestW3_ErrorWithoutID(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]acptest.Script{
		"null": {NullIDError: true}, "none": {NoIDError: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, s, acp.Options{})
			_, err := p.prompt()
			var e *acp.Error
			if !errors.As(err, &e) || e.Code != acp.CodeParse {
				t.Errorf("got %v, want the parse error of the only open call", err)
			}
		})
	}
	t.Run("two calls open", func(t *testing.T) {
		t.Parallel()
		s := acptest.Script{NullIDError: true, Silent: []string{"authenticate"}, Late: 1}
		sent := make(chan struct{})
		p := start(t, s, acp.Options{Frames: func(_ acp.Direction, raw []byte) {
			if strings.Contains(string(raw), "authenticate") {
				close(sent)
			}
		}})
		var wg sync.WaitGroup
		defer wg.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		wg.Go(func() { _ = p.Authenticate(ctx, "x") })
		<-sent
		wg.Go(func() { _, _ = p.Prompt(ctx, "s1", nil) })
		p.wait(1) // what comes after the error
		if p.Turn("s1") != acp.Prompting || p.Stats().Unmatched != 1 {
			t.Errorf("got turn %v, stats %+v; want nobody blamed", p.Turn("s1"), p.Stats())
		}
	})
	t.Run("no result", func(t *testing.T) {
		t.Parallel()
		start(t, acptest.Script{NoResult: true}, acp.Options{}).mustPrompt("")
	})
}

func TestW7_PanicsAreRecovered(t *testing.T) {
	t.Parallel()
	r := &recorder{onUpdate: func(u acp.Update) {
		if text, _ := u.Text(); text == "1 " {
			panic("update")
		}
	}}
	r.permit = func(context.Context, acp.PermissionRequest) acp.PermissionOutcome { panic("permission") }
	r.request = func(context.Context, string) (any, error) { panic("request") }
	s := acptest.Script{Burst: 2, Permissions: 1, Ask: "fs/read_text_file"}
	p := connect(t, acptest.Start(t, s), r, acp.Options{
		Frames: func(acp.Direction, []byte) { panic("frames") },
	})
	p.mustPrompt("end_turn")
	if got := strings.Count(p.text(), "-32603"); got != 2 {
		t.Errorf("got %d internal errors in %q, want 2", got, p.text())
	}
}

func TestRequestsOfTheAgent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result any
		err    error
		want   string
	}{
		"unknown":     {nil, acp.ErrMethodNotFound, `{"code":-32601,"message":"method not found"}`},
		"result":      {map[string]string{"content": "<x>"}, nil, `{"content":"<x>"}`},
		"null":        {nil, nil, "null"},
		"plain error": {nil, errors.New("no disk"), `{"code":-32603,"message":"no disk"}`},
		"agent error": {nil, &acp.Error{
			Code: -32002, Message: "gone", Data: json.RawMessage(`{"a": 1}`),
		}, `{"code":-32002,"message":"gone","data":{"a":1}}`},
		"not JSON": {make(chan int), nil, "encode result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{request: func(context.Context, string) (any, error) {
				return c.result, c.err
			}}
			s := acptest.Script{Ask: "craft/drainMidTurnQueue", AskID: `"q-1"`}
			p := connect(t, acptest.Start(t, s), r, acp.Options{})
			p.mustPrompt("end_turn")
			if !strings.Contains(p.text(), c.want) {
				t.Errorf("the agent got %q, want %q", p.text(), c.want)
			}
		})
	}
}

func TestTakenBackRequest(t *testing.T) {
	t.Parallel()
	r := &recorder{permit: func(ctx context.Context, _ acp.PermissionRequest) acp.PermissionOutcome {
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), acp.ErrCancelled) {
			t.Errorf("got cause %v, want cancelled", context.Cause(ctx))
		}
		return acp.PermissionOutcome{OptionID: "yes"}
	}}
	s := acptest.Script{Permissions: 3, TakeBack: true}
	p := connect(t, acptest.Start(t, s), r, acp.Options{})
	p.mustPrompt("end_turn")
	if got := strings.Count(p.text(), "-32800"); got != 3 {
		t.Errorf("the agent got %q, want three -32800", p.text())
	}
}
