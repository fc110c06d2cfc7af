package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/daemon"
)

// Drain: a turn that is open ends first, then its session pauses whatever
// idle.then says; the daemon takes nothing more, and says so. The next one, an
// upgrade, resumes it (X11).
func TestX11_DrainLetsTurnsEnd(t *testing.T) {
	b := newLab(t, "{policy: {idle: {after: 10m, then: end}}}")
	id := b.start("hello")
	b.answered(id, 1)
	b.say(id, "sleep 3")
	b.state(id, blaise.SessionWorking)
	drained := b.aside("runner", "drain", "--state", filepath.Join(b.dir, "state"))
	b.why("laptop", "takes nothing more: it drains, 1 run to go")
	late := b.start("hello")
	if said, want := drained(), fmt.Sprintf("1 run to go: %s.1\n", id); said != want {
		t.Errorf("drain said %q, want %q", said, want)
	}
	b.goneDaemon("state")
	s := b.environment(id, blaise.EnvPaused)
	if m := s.Messages[1]; m.State != blaise.MessageAnswered {
		t.Errorf("the open turn: %s (%s)", m.State, m.Reason)
	}
	b.wantRuns(id, "start paused")
	if m := b.show(late).Messages[0]; m.State != blaise.MessageQueued {
		t.Errorf("a draining runner took a run: %+v", m)
	}
	b.upgrade()
	b.runner("state")
	b.answered(late, 1)
	b.say(id, "recall")
	b.answered(id, 3)
}

// A turn that is open at the timeout, and one that waits on a person, are
// cancelled; no session is ended by it (X11).
func TestX11_DrainCancelsWhatDoesNotEnd(t *testing.T) {
	b := newLab(t, "{}")
	long, parked := b.start("sleep 100"), b.start("write kept.txt it stays")
	b.state(long, blaise.SessionWorking)
	b.state(parked, blaise.SessionParked)
	b.exits(0, "runner", "drain", "--timeout", "1s", "--state", filepath.Join(b.dir, "state"))
	for _, id := range []blaise.SessionID{long, parked} {
		s := b.environment(id, blaise.EnvPaused)
		if m := s.Messages[0]; m.State != blaise.MessageCancelled || s.State == blaise.SessionEnded {
			t.Errorf("session %s is %s, its message %s", id, s.State, m.State)
		}
	}
	b.runner("state")
	b.say(long, "recall")
	b.answered(long, 2)
}

// A drain without Blaise, as of a machine that goes down, pauses the runs all the
// same; what they had to say is told later, and the next runner goes on (X11, A7).
func TestX11_DrainWithoutBlaise(t *testing.T) {
	b := newLab(t, "{policy: {lease: {beat: 500ms, misses: 200}}}")
	id := b.start("hello")
	b.answered(id, 1)
	b.killServe()
	b.exits(0, "runner", "drain", "--timeout", "1s", "--state", filepath.Join(b.dir, "state"))
	b.goneDaemon("state")
	b.serve()
	b.runner("state")
	b.environment(id, blaise.EnvPaused)
	b.wantRuns(id, "start paused")
	b.say(id, "recall")
	b.answered(id, 2)
}

// USR1 drains; the runner exits with 0 (A20).
func TestA20_USR1Drains(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	b.kill(b.daemon("state"), syscall.SIGUSR1)
	b.goneDaemon("state")
	b.environment(id, blaise.EnvPaused)
	b.wantRuns(id, "start paused")
}

// USR2 and `runner detach`: the daemon alone leaves, in the middle of a turn. The
// next one, another build of the program, adopts the run (A20, X3).
func TestA20_X3_DetachAndUpgradeUnderALiveRun(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	pid := b.runPID()
	for n, leave := range []func(){
		func() { b.exits(0, "runner", "detach", "--state", filepath.Join(b.dir, "state")) },
		func() { b.kill(b.daemon("state"), syscall.SIGUSR2) },
		func() { b.kill(b.daemon("state"), syscall.SIGKILL) },
	} {
		b.say(id, "sleep 2")
		b.state(id, blaise.SessionWorking)
		leave()
		b.goneDaemon("state")
		b.upgrade()
		b.runner("state")
		b.answered(id, n+2)
		if now := b.runPID(); now != pid {
			t.Fatalf("the run was started anew: %d, was %d", now, pid)
		}
	}
	b.wantRuns(id, "start ")
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
}

// HUP reads the token and blaise.yml again, and no run is touched (A20).
func TestA20_HUPReadsTokenAndFileAgain(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	pid := b.runPID()
	b.write("repo/blaise.yml", demoConfig+"runner: {slots: 7, labels: {room: attic}}\n")
	b.kill(b.daemon("state"), syscall.SIGHUP)
	b.await("slots and labels are new", func() bool {
		return strings.Contains(b.run("why", "laptop"), "of 7 slots taken), labels room=attic")
	})
	if now := b.runPID(); now != pid {
		t.Error("the run was touched")
	}
	b.write("repo/blaise.yml", "version: 1\nagent: {use: demo\n") // a mistake changes nothing
	b.kill(b.daemon("state"), syscall.SIGHUP)
	b.say(id, "recall")
	b.answered(id, 2)
	b.write("repo/blaise.yml", demoConfig)
	b.write("token", b.run("token", "create", "tower"))
	b.kill(b.daemon("state"), syscall.SIGHUP)
	b.why("tower", "may take a run")
}

// Without Blaise the runs of a machine are listed and stopped: --teardown acts
// as TERM does, and the report comes when Blaise is back (A20).
func TestA20_StopByHandWithTeardownWithoutBlaise(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	pid := b.runPID()
	b.killServe()
	state := filepath.Join(b.dir, "state")
	var runs []daemon.Run
	out := b.exec(filepath.Join(programs, "runner"), "runs", "list", "--json", "--state", state)
	if err := json.Unmarshal([]byte(out), &runs); err != nil || len(runs) != 1 || runs[0].Session != id {
		t.Fatalf("runs list: %s, %v", out, err)
	}
	if said := b.exits(3, "runner", "runs", "stop", "nosuch.1", "--state", state); !strings.Contains(said, "does not run here") {
		t.Errorf("an unknown run: %s", said)
	}
	b.exits(0, "runner", "runs", "stop", string(id)+".1", "--teardown", "--state", state)
	b.await("work saved", func() bool { return len(b.saved(id)) > 0 })
	b.serve()
	b.await("run gone", func() bool { return zombie(pid) })
	if s := b.environment(id, blaise.EnvDestroyed); s.Outcome != blaise.OutcomeCancelled {
		t.Errorf("session %s (%s)", s.Outcome, s.Reason)
	}
	b.wantRuns(id, "start cancelled")
}

// A machine that is short of disk takes nothing, and says why where one looks
// (R41).
func TestAdmission_Disk(t *testing.T) {
	b := newLab(t, "{}")
	b.why("laptop", "may take a run")
	b.exits(0, "runner", "drain", "--state", filepath.Join(b.dir, "state"))
	b.runner("small", "--min-disk", "99999999")
	b.why("laptop", "takes nothing but teardowns: ")
	id := b.start("hello")
	b.why(string(id), "(--min-disk)")
	if said := b.run("runner", "show", "laptop"); !strings.Contains(said, "paused: ") || !strings.Contains(said, "--min-disk") {
		t.Errorf("runner show: %s", said)
	}
	b.runner("state")
	b.answered(id, 1)
}

// After three runs that could not begin the instance pauses itself and says why;
// a mended blaise.yml is a new machine (R41).
func TestAdmission_Breaker(t *testing.T) {
	b := newLab(t, "{}")
	b.write("repo/blaise.yml", "version: 1\nagent: {command: [no-such-agent]}\n"+
		"plugs: [{use: worktree, id: src, repo: .}]\n")
	var ids []blaise.SessionID
	for range 3 {
		ids = append(ids, b.start("hello"))
	}
	b.why("laptop", "3 runs in a row failed at once")
	if said := b.run("runner", "show", "laptop"); !strings.Contains(said, "no-such-agent") {
		t.Errorf("runner show does not say why: %s", said)
	}
	waits := b.start("hello")
	b.why(string(waits), "failed at once")
	b.write("repo/blaise.yml", demoConfig)
	b.answered(waits, 1)
	b.run("retry", string(ids[0]))
	b.answered(ids[0], 1)
}

// What was asked for is not the machine's fault: after three sessions each with
// a branch that is nowhere and a repository that cannot be fetched the runner
// takes the next at once. What the machine lacks is, though an input goes with it.
func TestAdmission_WhatWasAskedForIsNoFaultOfTheMachine(t *testing.T) {
	b := newLab(t, "{inputs: {base: {default: main}}}")
	plugs := func(plug string) {
		b.write("repo/blaise.yml", "version: 1\nagent: {use: demo}\nplugs: ["+plug+"]\n"+
			"runner: {repos: ['file:///**']}\n")
	}
	fails := func(plug string) {
		t.Helper()
		plugs(plug)
		for range 3 {
			b.runState(b.start("hello"), 1, blaise.RunEnded)
		}
	}
	fails("{use: worktree, id: src, repo: ., base: nowhere}")
	fails("{use: worktree, id: src, repo: 'file://" + t.TempDir() + "/none'}")
	fails("{use: worktree, id: src, repo: 'file://" + t.TempDir() + "/none'}")
	if said := b.run("runner", "show", "laptop"); strings.Contains(said, "failed at once") {
		t.Errorf("the runner pauses: %s", said)
	}
	fails("{use: worktree, id: src, repo: .}, {use: exec, id: x, onStart: [no-such-program, '{input.base}']}")
	b.why("laptop", "3 runs in a row failed at once")
}

// No run is asked for while the engine that a plug needs does not answer; when
// it does, runs are taken again, with nobody doing anything.
func TestAdmission_EngineAway(t *testing.T) {
	b := newLab(t, "{}")
	socket := filepath.Join(t.TempDir(), "engine.sock")
	b.write("container.yml", "version: 1\nagent: {use: demo}\nplugs:\n  - {use: worktree, id: src, repo: repo}\n"+
		"  - {use: container, image: none, engine: \"unix://"+socket+"\"}\n")
	config := filepath.Join(b.dir, "container.yml")
	if said := b.exits(1, "runner", "check", "--config", config); !strings.Contains(said, "a run would not work") {
		t.Errorf("runner check: %s", said)
	}
	b.write("other", b.run("token", "create", "box"))
	b.background("runner", "start", "--url", b.url(), "--token-file", filepath.Join(b.dir, "other"),
		"--config", config, "--state", filepath.Join(b.dir, "box"))
	b.why("box", `takes nothing but teardowns: plug container: no engine answers`)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	engine := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("API-Version", "1.47")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ID":"e1","ApiVersion":"1.47"}`) // who asked is gone
	})}
	done := make(chan error, 1)
	go func() { done <- engine.Serve(l) }()
	t.Cleanup(func() { _ = engine.Close(); <-done })
	b.why("box", "may take a run")
}

// A revoked runner ends, an offline one is waited for; the same message goes to
// another runner only after the revocation (A31).
func TestA31_RevokedRunnerIsToldAndEnds(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	pid := b.runPID()
	b.run("token", "revoke", "laptop", "--yes")
	b.await("its run is gone", func() bool { return zombie(pid) })
	b.goneDaemon("state")
	s := b.environment(id, blaise.EnvLost)
	if len(s.Environment.Plugs) == 0 || len(s.Environment.Plugs[0].Resources) == 0 {
		t.Errorf("what is lost is not listed: %+v", s.Environment.Plugs)
	}
	if said := b.exits(4, "runner", "start", "--url", b.url(), "--token-file", filepath.Join(b.dir, "token"),
		"--config", filepath.Join(b.dir, "repo", "blaise.yml"), "--state", filepath.Join(b.dir, "again")); !strings.Contains(said, "revoked") {
		t.Errorf("a revoked token: %s", said)
	}
}

// aside runs a program beside the test; the function waits for it, and wants
// that it exits with 0.
func (b lab) aside(program string, args ...string) (wait func() (said string)) {
	b.t.Helper()
	c := exec.Command(filepath.Join(programs, program), args...)
	c.Env, c.Dir = b.env, filepath.Join(b.dir, "repo")
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	return func() string {
		b.t.Helper()
		if err := c.Wait(); err != nil {
			b.t.Fatalf("%s %v: %v", program, args, err)
		}
		return said.String()
	}
}

// upgrade gives the lab another build of the runner: runs go on under the one
// that they were started with.
func (b lab) upgrade() {
	b.t.Helper()
	dir := filepath.Join(b.dir, "programs")
	program, err := os.ReadFile(filepath.Join(programs, "runner"))
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		new := append(program, []byte(time.Now().String())...)
		_ = os.Remove(filepath.Join(dir, "runner")) // one that runs cannot be written to
		err = writeProgram(filepath.Join(dir, "runner"), new)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
