package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

// both runs a check against a scripted agent in this process, and against one
// that is a process behind sh -c.
func both(t *testing.T, s acptest.Script, o acp.Options, check func(*testing.T, *peer)) {
	t.Helper()
	bothWith(t, s, o, func() *recorder { return &recorder{} }, check)
}

func bothWith(
	t *testing.T, s acptest.Script, o acp.Options, handler func() *recorder, check func(*testing.T, *peer),
) {
	t.Helper()
	t.Parallel()
	for name, begin := range map[string]func(testing.TB, acptest.Script) *acptest.Agent{
		"in process": acptest.Start, "behind sh -c": acptest.Spawn,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, connect(t, begin(t, s), handler(), o))
		})
	}
}

func list(updates ...string) (raw []json.RawMessage) {
	for _, u := range updates {
		raw = append(raw, json.RawMessage(u))
	}
	return raw
}

func TestC01_BurstIsHeldBackAndNothingDropped(t *testing.T) {
	slow := func() *recorder { return &recorder{onUpdate: func(acp.Update) { busy(200) }} }
	bothWith(t, acptest.Script{Burst: 20_000}, acp.Options{}, slow, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		p.inOrder(20_000)
		p.mustPrompt("end_turn") // the connection lives
	})
}

// inOrder wants n updates, numbered from 1.
func (p *peer) inOrder(n int) {
	p.t.Helper()
	if p.count() != n {
		p.t.Fatalf("got %d updates, want %d", p.count(), n)
	}
	for i, u := range p.updates {
		if text, _ := u.Text(); text != fmt.Sprintf("%d ", i+1) {
			p.t.Fatalf("update %d is %q", i+1, text)
		}
	}
}

func TestC02_LongLines(t *testing.T) {
	t.Parallel()
	t.Run("20 MiB are taken", func(t *testing.T) {
		both(t, acptest.Script{Huge: 20 << 20}, acp.Options{}, func(t *testing.T, p *peer) {
			p.mustPrompt("end_turn")
			if got := len(p.text()); got != 20<<20 {
				t.Errorf("got %d bytes of text", got)
			}
		})
	})
	t.Run("what is over the limit is a gap", func(t *testing.T) {
		both(t, acptest.Script{Burst: 1, Huge: 3 << 20, Late: 1}, acp.Options{MaxLine: 1 << 20},
			func(t *testing.T, p *peer) {
				p.mustPrompt("end_turn")
				p.wait(2)
				if p.Stats().Gaps != 1 || p.text() != "1 late 1" {
					t.Errorf("got %d gaps and %q", p.Stats().Gaps, p.text())
				}
			})
	})
}

func TestC04_NoiseOnStdout(t *testing.T) {
	s := acptest.Script{Burst: 2, BOM: true, Glued: "\x1b[2J\x1b[Hready> ", Banner: []string{
		"INFO starting", `{"level":"info","msg":"{"}`, "[1] [2]", strings.Repeat("~", 100_000),
	}}
	both(t, s, acp.Options{}, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		if got := p.Stats().Noise; got != 5 || p.text() != "1 2 " {
			t.Errorf("got %d lines of noise and %q", got, p.text())
		}
	})
}

func TestC05_ChunkAfterTheAnswerBelongsToTheTurn(t *testing.T) {
	both(t, acptest.Script{Late: 3}, acp.Options{}, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		if err := p.Settle(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		if p.text() != "late 1late 2late 3" || p.updates[2].Late {
			t.Errorf("got %q, late %v", p.text(), p.updates[2].Late)
		}
	})
}

func TestC06_ToolUpdateOutsideATurn(t *testing.T) {
	s := acptest.Script{Stray: list(`{"sessionUpdate":"tool_call_update","toolCallId":"c9","status":"completed"}`)}
	both(t, s, acp.Options{}, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		if err := p.Settle(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		if err := p.SetMode(t.Context(), "s1", "x"); err != nil {
			t.Fatal(err)
		}
		if p.count() != 2 || !p.updates[0].Late || p.Turn("s1") != acp.Idle { // set_mode tells the mode, too
			t.Errorf("got %+v, turn %v", p.updates, p.Turn("s1"))
		}
		p.mustPrompt("end_turn")
	})
}

func TestC07_WireOrder(t *testing.T) {
	var at atomic.Int64
	ordered := func() *recorder {
		r := &recorder{onUpdate: func(acp.Update) { busy(500) }}
		r.permit = func(_ context.Context, q acp.PermissionRequest) acp.PermissionOutcome {
			at.Add(int64(r.count()))
			return q.Choose(true, false)
		}
		return r
	}
	bothWith(t, acptest.Script{Burst: 500, Permissions: 1}, acp.Options{}, ordered, func(t *testing.T, p *peer) {
		at.Store(0)
		p.mustPrompt("end_turn")
		if at.Load()%500 != 0 || p.count() != 501 {
			t.Errorf("the question came after %d updates, the answer after %d", at.Load(), p.count())
		}
	})
}

func TestC09_OneBadPartCostsNothingElse(t *testing.T) {
	s := acptest.Script{Updates: list(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","locations":7,` +
		`"content":[{"type":"terminal"},3,{"type":"content","content":{"type":"text","text":"kept"}}]}`)}
	both(t, s, acp.Options{}, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		c, ok := p.updates[0].ToolCall()
		if !ok || c.Title != "t" || len(c.Content) != 3 || c.Content[2].Block.Text != "kept" {
			t.Errorf("got %+v", c)
		}
	})
}

func TestC10_UnknownRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"craft/drainMidTurnQueue", "_x/y", "fs/write_text_file"} {
		t.Run(method, func(t *testing.T) {
			both(t, acptest.Script{Ask: method}, acp.Options{}, func(t *testing.T, p *peer) {
				p.mustPrompt("end_turn")
				if !strings.Contains(p.text(), "-32601") {
					t.Errorf("the agent got %q", p.text())
				}
			})
		})
	}
}

// Both pipes are full: the agent reads nothing before it has written 2 MB, and
// the prompt is 2 MB long.
func TestC11_BothPipesFull(t *testing.T) {
	both(t, acptest.Script{Flood: 2 << 20}, acp.Options{}, func(t *testing.T, p *peer) {
		big := []acp.ContentBlock{acp.Text(strings.Repeat("x", 2<<20))}
		if _, err := p.Prompt(t.Context(), "s1", big); err != nil {
			t.Fatal(err)
		}
		if got := len(p.text()); got < 2<<20 {
			t.Errorf("got %d bytes", got)
		}
	})
}

func TestC19_NoLoadInATurn(t *testing.T) {
	both(t, acptest.Script{Burst: 1, WaitForCancel: true}, acp.Options{}, func(t *testing.T, p *peer) {
		ended := p.begin()
		p.wait(1)
		_, load := p.LoadSession(t.Context(), "s1", acp.SessionParams{})
		_, resume := p.ResumeSession(t.Context(), "s1", acp.SessionParams{})
		if !errors.Is(load, acp.ErrTurnOpen) || !errors.Is(resume, acp.ErrTurnOpen) {
			t.Errorf("got %v and %v, want ErrTurnOpen", load, resume)
		}
		if err := p.Cancel("s1"); err != nil {
			t.Fatal(err)
		}
		if e := <-ended; !e.Cancelled {
			t.Errorf("got %+v, want cancelled", e)
		}
	})
}

func TestC25_WhatALoadAnswers(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`null`, `{}`, `{"x":[1],"sessionId":"other"}`, `[]`} {
		t.Run(result, func(t *testing.T) {
			s := acptest.Script{Results: map[string]json.RawMessage{"session/load": json.RawMessage(result)}}
			both(t, s, acp.Options{}, func(t *testing.T, p *peer) {
				got, err := p.LoadSession(t.Context(), "s1", acp.SessionParams{CWD: "/"})
				if err != nil || got.ID != "s1" {
					t.Errorf("got %+v, %v", got, err)
				}
			})
		})
	}
}
