package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

// C24, R25: cwd, servers and _meta are the same on all three ways in.
func TestC24_SameParamsOnAllWaysIn(t *testing.T) {
	t.Parallel()
	log := t.TempDir() + "/calls"
	p := start(t, acptest.Script{CallLog: log}, acp.Options{})
	params := acp.SessionParams{
		CWD: "/w", AdditionalDirectories: []string{"/more"},
		MCPServers: []json.RawMessage{json.RawMessage(`{"name":"m","command":"/m"}`)},
		Meta:       json.RawMessage(`{"k":"v"}`),
	}
	_, err1 := p.NewSession(t.Context(), params)
	_, err2 := p.LoadSession(t.Context(), "s1", params)
	_, err3 := p.ResumeSession(t.Context(), "s1", params)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(b)) {
		_, raw, _ := strings.Cut(strings.TrimSpace(line), " ")
		seen[strings.Replace(raw, `,"sessionId":"s1"`, "", 1)]++
	}
	if len(seen) != 1 {
		t.Errorf("got %v", seen)
	}
}

// C29, C30, C33: cancels from many sides at any moment, turn after turn, never
// hang a turn, never poison the next, and send the agent one cancel at most.
func TestCancelStorm(t *testing.T) {
	t.Parallel()
	log := t.TempDir() + "/calls"
	p := start(t, acptest.Script{Burst: 20, Permissions: 2, CallLog: log}, acp.Options{})
	const turns = 100
	for i := range turns {
		ended := p.begin()
		var storm sync.WaitGroup
		for k := range 8 {
			storm.Go(func() {
				time.Sleep(time.Duration(i*k%13) * 50 * time.Microsecond)
				if err := p.Cancel("s1"); err != nil {
					t.Error(err)
				}
			})
		}
		end := <-ended
		storm.Wait()
		if end.err != nil || end.Cancelled != (end.StopReason == acp.StopCancelled) {
			t.Fatalf("turn %d: %+v", i, end)
		}
	}
	if err := p.Cancel("s1"); err != nil || p.Turn("s1") != acp.Idle {
		t.Errorf("after the storm: %v, %v", err, p.Turn("s1"))
	}
	b, _ := os.ReadFile(log)
	open := 0
	for line := range strings.Lines(string(b)) {
		switch method, _, _ := strings.Cut(line, " "); method {
		case "session/prompt":
			open = 1
		case "session/cancel":
			if open--; open < 0 {
				t.Fatal("a cancel was sent twice, or without an open prompt")
			}
		}
	}
}

// R3: an agent that exits right after its answer loses nothing, 2,000 times.
func TestExitAfterAnswer2000(t *testing.T) {
	if testing.Short() || os.Getenv("BLAISE_TEST_LONG") == "" {
		t.Skip("set BLAISE_TEST_LONG=1: it takes a minute")
	}
	t.Parallel()
	lost := 0
	for range 2000 {
		r := &recorder{onUpdate: func(acp.Update) { busy(500) }}
		p := connect(t, acptest.Start(t, acptest.Script{Burst: 50, ExitAfterAnswer: true}), r, acp.Options{})
		if _, err := p.prompt(); err != nil || p.count() != 50 {
			lost++
		}
		<-p.ran
		p.stop(nil)
	}
	if lost > 0 {
		t.Errorf("%d of 2000 lost", lost)
	}
}

// C22, 2.3: the settings of a session, however an agent sends them.
func TestSettings(t *testing.T) {
	t.Parallel()
	p := answering(t, "session/new", strings.NewReplacer("\n", "", "\t", "").Replace(`{"sessionId":"s1",
		"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]},
		"models":{"currentModelId":"m1","availableModels":[{"modelId":"m1","name":"One"},{"modelId":"m2"}]},
		"configOptions":[
			{"id":"x","name":"X","category":"mode","type":"select","currentValue":"b",
			 "options":[{"group":"g","options":[{"value":"a"},{"value":"b"}]}]},
			{"id":"fast","type":"boolean","currentValue":true},
			{"id":"odd","type":"slider","currentValue":3}]}`))
	s, err := p.NewSession(t.Context(), acp.SessionParams{CWD: "/"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range s.Settings() {
		got = append(got, fmt.Sprintf("%s=%s/%d/%v", one.ID, one.Value, len(one.Choices), one.Offers("m2")))
	}
	if want := "mode=b/2/false fast=true/2/false model=m1/2/true"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// FuzzSettings looks at any bytes as the options of a session.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{
		`[{"id":"a","type":"select","options":[{"options":[{"value":1}]}]}]`, `{"id":1}`, `[[`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		s := acp.Session{Modes: data, Models: data, ConfigOptions: data}
		for _, one := range s.Settings() {
			one.Offers("x")
		}
	})
}
