package demoagent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Options of the agent. Empty fields are taken from the environment.
type Options struct {
	// Home is where conversations are stored: $BLAISE_DEMO_HOME, else
	// $XDG_STATE_HOME/blaise-demo-agent, else under ~/.local/state.
	Home string
	// Witness, if not empty, is a file that gets one JSON line {session,
	// message, pid, time} for each prompt received; $BLAISE_DEMO_WITNESS.
	Witness string
	// NoLoad leaves session/load out; $BLAISE_DEMO_NOLOAD=1.
	NoLoad bool
	// NoImages takes no pictures; $BLAISE_DEMO_NOIMAGES=1.
	NoImages bool
	// Log is where the command stderr prints; default os.Stderr.
	Log io.Writer
}

func (o Options) withDefaults() Options {
	if o.Home == "" {
		o.Home = defaultHome()
	}
	if o.Witness == "" {
		o.Witness = os.Getenv("BLAISE_DEMO_WITNESS")
	}
	if o.Log == nil {
		o.Log = os.Stderr
	}
	o.NoLoad = o.NoLoad || os.Getenv("BLAISE_DEMO_NOLOAD") == "1"
	o.NoImages = o.NoImages || os.Getenv("BLAISE_DEMO_NOIMAGES") == "1"
	return o
}

func defaultHome() string {
	if dir := os.Getenv("BLAISE_DEMO_HOME"); dir != "" {
		return dir
	}
	state := os.Getenv("XDG_STATE_HOME")
	if home, err := os.UserHomeDir(); state == "" && err == nil {
		state = filepath.Join(home, ".local", "state")
	}
	if state == "" {
		state = os.TempDir()
	}
	return filepath.Join(state, "blaise-demo-agent")
}

// agent is one process of the agent.
type agent struct {
	o    Options
	wire *wire
	// stubborn is set by ignore-term.
	stubborn atomic.Bool
	turns    sync.WaitGroup

	mu       sync.Mutex // over the fields below
	sessions map[string]*session
}

// session is a conversation that this process has open.
type session struct {
	id, cwd string
	talk    *talk

	mu       sync.Mutex         // over the fields below
	cancel   context.CancelFunc // ends the open turn; nil when there is none
	mode     string
	model    string
	loud     bool
	standing map[string]bool // kinds of tools that need not ask again
}

// Run serves until in ends or ctx does; both are a clean end. It returns an
// error if it cannot read or write.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	a := &agent{o: o.withDefaults(), wire: newWire(out), sessions: map[string]*session{}}
	work, stop := context.WithCancel(ctx)
	defer stop()
	lines := make(chan []byte)
	ended := make(chan error, 1)
	// The read cannot be interrupted: when ctx ends first the goroutine stays
	// behind until in ends, which is when the process does.
	go func() { ended <- readLines(work, in, lines) }()
	for {
		select {
		case raw := <-lines:
			a.line(work, raw)
		case err := <-ended:
			a.linger(ctx)
			stop()
			a.turns.Wait()
			return err
		case <-ctx.Done():
			a.turns.Wait()
			return nil
		}
	}
}

func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		raw, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(raw)) > 0 {
			select {
			case lines <- raw:
			case <-ctx.Done():
				return nil
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read stdin: %w", err)
		}
	}
}

// linger stays after the end of stdin, if it was told to.
func (a *agent) linger(ctx context.Context) {
	for a.stubborn.Load() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Hour): // a timer, so that nobody calls it a deadlock
		}
	}
}

func (a *agent) line(ctx context.Context, raw []byte) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		a.wire.fail(json.RawMessage("null"), &fault{Code: -32700, Message: "parse error"})
		return
	}
	if m.Method == "" {
		a.wire.answered(m)
		return
	}
	if m.Method == "session/prompt" {
		a.prompt(ctx, m)
		return
	}
	result, err := a.serve(m)
	if m.ID == nil {
		return
	}
	if err != nil {
		a.wire.fail(m.ID, err)
		return
	}
	a.wire.reply(m.ID, result)
}

type params struct {
	SessionID string  `json:"sessionId"`
	CWD       string  `json:"cwd"`
	ModeID    string  `json:"modeId"`
	ConfigID  string  `json:"configId"`
	Value     any     `json:"value"`
	Prompt    []block `json:"prompt"`
}

func (a *agent) serve(m message) (any, *fault) {
	var p params
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &p) != nil {
		return nil, &fault{Code: -32602, Message: "invalid params"}
	}
	switch m.Method {
	case "initialize":
		return a.initialize(), nil
	case "authenticate":
		return struct{}{}, nil
	case "session/new":
		return a.newSession(p)
	case "session/load":
		return a.loadSession(p)
	case "session/close":
		return a.closeSession(p)
	case "session/set_mode":
		return a.setMode(p)
	case "session/set_config_option":
		return a.setOption(p)
	case "session/cancel":
		a.cancel(p.SessionID)
		return nil, nil
	}
	return nil, &fault{Code: -32601, Message: "method not found: " + m.Method}
}

func (a *agent) initialize() any {
	return map[string]any{
		"protocolVersion": 1,
		"agentInfo": map[string]any{
			"name": "blaise-demo-agent", "title": "Blaise demo agent", "version": "1.0.0",
		},
		"agentCapabilities": map[string]any{
			"loadSession":         !a.o.NoLoad,
			"promptCapabilities":  map[string]any{"embeddedContext": true, "image": !a.o.NoImages},
			"sessionCapabilities": map[string]any{"close": struct{}{}},
		},
		"authMethods": []any{},
	}
}
