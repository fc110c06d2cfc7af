//go:build unix

package shim

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"blaise.dev/blaise/internal/shim/gate"
)

// A Refusal is what the proxy says, one JSON object a line, of a connection
// that it did not let through. Its first line is the Port it listens on.
type Refusal struct {
	Port  int    `json:"port,omitempty"`
	Where string `json:"where,omitempty"`
	Why   string `json:"why,omitempty"`
}

// proxyVerb serves "proxy [--tcp] --socket PATH -- RULE...": the proxy of a
// sandbox, on a socket of the file system, and on 127.0.0.1 too where a sandbox
// has no network of its own.
func proxyVerb(args []string) int {
	flags := flag.NewFlagSet("shim proxy", flag.ContinueOnError)
	socket := flags.String("socket", "", "")
	tcp := flags.Bool("tcp", false, "")
	if err := flags.Parse(args); err != nil || *socket == "" {
		return 2
	}
	staySmall()
	rules, err := gate.ParseRules(flags.Args())
	if err == nil {
		err = serveProxy(rules, *socket, *tcp)
	}
	fmt.Fprintln(os.Stderr, "shim proxy:", err)
	return 1
}

func serveProxy(rules gate.Rules, socket string, tcp bool) error {
	l, err := listenUnix(socket)
	if err != nil {
		return err
	}
	listeners, port := []net.Listener{l}, 0
	if tcp {
		t, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		listeners, port = append(listeners, t), t.Addr().(*net.TCPAddr).Port
	}
	said := &refusals{out: json.NewEncoder(os.Stdout), since: map[string]time.Time{}}
	if err := said.out.Encode(Refusal{Port: port}); err != nil {
		return err
	}
	p := &gate.Proxy{Rules: rules, Refused: said.say}
	errs := make(chan error)
	for _, l := range listeners {
		go func() { errs <- p.Serve(context.Background(), l) }()
	}
	return <-errs
}

// listenUnix binds through the directory: the name of a socket may have 107
// bytes, and where it is to be may have more.
func listenUnix(path string) (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	short := fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path))
	return net.Listen("unix", short)
}

// refusals says of each place once a minute that it was refused, and of all
// together no more than a reader can read.
type refusals struct {
	mu    sync.Mutex // guards what follows
	out   *json.Encoder
	since map[string]time.Time
}

const (
	refusalEvery = time.Minute
	mostRefusals = 20 // in that time
)

func (r *refusals) say(where, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for place, at := range r.since {
		if now.Sub(at) > refusalEvery {
			delete(r.since, place)
		}
	}
	if _, said := r.since[where]; said || len(r.since) > mostRefusals {
		return
	}
	r.since[where] = now
	if len(r.since) > mostRefusals {
		where, why = "more", "more places were refused in the last minute than are listed"
	}
	_ = r.out.Encode(Refusal{Where: where, Why: why}) // nobody listens: the proxy ends with its run
}
