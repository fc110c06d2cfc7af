package demoagent_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise/acp"
)

func TestMemoryOutlivesAKill(t *testing.T) {
	t.Parallel()
	home := "BLAISE_DEMO_HOME=" + t.TempDir()
	a := spawn(t, home)
	id := a.session()
	a.want(id, "the first thing", "You said")
	a.want(id, "write f.txt x", "I wrote")
	go func() {
		_, _ = a.Prompt(context.Background(), id, []acp.ContentBlock{acp.Text("sleep 1000")})
	}()
	a.until(func() bool { return strings.Contains(texts(a.updates, acp.KindAgentChunk), "Sleeping") })
	if err := a.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-a.Done()

	b := spawn(t, home)
	b.dir = a.dir
	if _, err := b.LoadSession(t.Context(), id, acp.SessionParams{CWD: a.dir}); err != nil {
		t.Fatal(err)
	}
	replay := b.take()
	want := "user_message_chunk agent_message_chunk user_message_chunk " +
		"tool_call tool_call_update agent_message_chunk user_message_chunk"
	if got := kinds(replay); got != want {
		t.Errorf("got replay %s, want %s", got, want)
	}
	if got := texts(replay, acp.KindUserChunk); got != "the first thingwrite f.txt xsleep 1000" {
		t.Errorf("got replayed messages %q", got)
	}
	b.want(id, "recall", "1. the first thing\n2. write f.txt x\n3. sleep 1000")
}

func TestNoLoad(t *testing.T) {
	t.Parallel()
	a := spawn(t, "BLAISE_DEMO_HOME="+t.TempDir(), "BLAISE_DEMO_NOLOAD=1")
	agent, err := a.Initialize(t.Context(), acp.ClientInfo{Name: "test"}, acp.ClientCapabilities{})
	if err != nil {
		t.Fatal(err)
	}
	if agent.LoadSession || !agent.Close || agent.Name != "blaise-demo-agent" {
		t.Errorf("got %+v, want close and no load", agent)
	}
	if _, err := a.LoadSession(t.Context(), a.session(), acp.SessionParams{CWD: a.dir}); err == nil {
		t.Error("load worked")
	}
}

func TestDeaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		say  string
		code int
		sig  syscall.Signal
		died bool
	}{
		{say: "crash", code: 3, died: true},
		{say: "die", code: -1, sig: syscall.SIGKILL, died: true},
		{say: "exit-after"},
	} {
		t.Run(c.say, func(t *testing.T) {
			t.Parallel()
			a := spawn(t, "BLAISE_DEMO_HOME="+t.TempDir())
			_, err := a.Prompt(t.Context(), a.session(), []acp.ContentBlock{acp.Text(c.say)})
			if c.died {
				wantDied(t, err)
			} else if err != nil {
				t.Errorf("prompt: %v", err)
			}
			_ = a.cmd.Wait() // the state says it better
			status := a.cmd.ProcessState.Sys().(syscall.WaitStatus)
			if a.cmd.ProcessState.ExitCode() != c.code || (c.sig != 0 && status.Signal() != c.sig) {
				t.Errorf("got %v, want code %d signal %v", a.cmd.ProcessState, c.code, c.sig)
			}
			if len(a.take()) == 0 {
				t.Error("got no chunk before the end")
			}
		})
	}
}

func TestEndOfInput(t *testing.T) {
	t.Parallel()
	t.Run("ends it with 0", func(t *testing.T) {
		t.Parallel()
		a := spawn(t, "BLAISE_DEMO_HOME="+t.TempDir())
		a.session()
		a.CloseInput()
		if err := a.cmd.Wait(); err != nil {
			t.Error(err)
		}
		if err := <-a.ran; err != nil {
			t.Errorf("client: %v", err)
		}
	})
	t.Run("SIGTERM ends it", func(t *testing.T) {
		t.Parallel()
		a := spawn(t, "BLAISE_DEMO_HOME="+t.TempDir())
		a.session()
		_ = a.cmd.Process.Signal(syscall.SIGTERM)
		if err := a.cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Run("not when told to ignore it", func(t *testing.T) {
		t.Parallel()
		a := spawn(t, "BLAISE_DEMO_HOME="+t.TempDir())
		id := a.session()
		a.want(id, "ignore-term", "ignore")
		_ = a.cmd.Process.Signal(syscall.SIGTERM)
		a.want(id, "count", "turn 2")
		a.CloseInput()
		_ = a.cmd.Process.Signal(syscall.SIGTERM)
		_ = a.cmd.Process.Signal(os.Interrupt)
		if err := a.cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestSpawnLeavesAProcessOfItsOwnSession(t *testing.T) {
	t.Parallel()
	a := spawn(t, "BLAISE_DEMO_HOME="+t.TempDir())
	said, _ := a.ask(a.session(), "spawn")
	var pid int
	if _, err := fmt.Sscanf(said, "spawned pid %d", &pid); err != nil {
		t.Fatalf("got %q: %v", said, err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	if pgid, err := syscall.Getpgid(pid); err != nil || pgid != pid {
		t.Errorf("got process group %d (%v), want %d", pgid, err, pid)
	}
}

func TestBurstIsWhole(t *testing.T) {
	t.Parallel()
	a := spawn(t, "BLAISE_DEMO_HOME="+t.TempDir())
	id := a.session()
	if _, err := a.Prompt(t.Context(), id, []acp.ContentBlock{acp.Text("burst 20000")}); err != nil {
		t.Fatal(err)
	}
	updates := a.take()
	for i, u := range updates {
		if text, _ := u.Text(); text != fmt.Sprintf("%d ", i+1) {
			t.Fatalf("update %d is %q", i+1, text)
		}
	}
	if len(updates) != 20000 {
		t.Errorf("got %d updates, want 20000", len(updates))
	}
}
