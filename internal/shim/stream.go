//go:build unix

package shim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A streamStart is the first frame of a stream: what to start. It carries the
// environment, so that no value of it is on a command line or in the records
// of whoever made the stream.
type streamStart struct {
	Args   []string      `json:"args"`
	Dir    string        `json:"dir"`
	Env    []string      `json:"env"`    // added to what the shim has
	Stdin  bool          `json:"stdin"`  // else /dev/null
	Merged bool          `json:"merged"` // stderr goes where stdout goes
	Fence  time.Duration `json:"fence"`  // from the moment it is read; 0: none
	Mark   string        `json:"mark"`
}

// streamVerb serves "stream MARK": it starts a command under a shim and is its
// control socket and its files, all over stdin and stdout. The command dies
// when they close.
func streamVerb(args []string) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: shim stream MARK")
		return 2
	}
	if want := args[0] + "/"; os.Getenv(markVariable) != want {
		return reexec(want)
	}
	staySmall()
	deafen()
	in, err := stdio()
	if err != nil {
		fmt.Fprintln(os.Stderr, "shim:", err)
		return 1
	}
	p := newPump(in)
	kind, body, err := readFrame(p.mux.r)
	var order streamStart
	if err == nil && kind == frameStart {
		err = json.Unmarshal(body, &order)
	}
	if err != nil || len(order.Args) == 0 {
		fmt.Fprintln(os.Stderr, "shim stream: no order to start:", err)
		return 2
	}
	return p.run(order)
}

// reexec starts the program again with the mark in its environment, where
// KillMarked looks for it.
func reexec(mark string) int {
	self, err := os.Executable()
	if err == nil {
		env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
			return strings.HasPrefix(kv, markVariable+"=")
		})
		err = syscall.Exec(self, os.Args, append(env, markVariable+"="+mark))
	}
	fmt.Fprintln(os.Stderr, "shim:", err)
	return 126
}

// stdio is stdin and stdout as one stream. They are taken away from their
// numbers, so that nothing else is written into them.
func stdio() (io.ReadWriteCloser, error) {
	in, err := syscall.Dup(0)
	if err != nil {
		return nil, err
	}
	out, err := syscall.Dup(1)
	if err != nil {
		return nil, err
	}
	for _, fd := range []int{in, out} {
		syscall.CloseOnExec(fd)
	}
	letGo()
	return duplex{os.NewFile(uintptr(in), "stdin"), os.NewFile(uintptr(out), "stdout")}, nil
}

type duplex struct{ in, out *os.File }

func (d duplex) Read(p []byte) (int, error)  { return d.in.Read(p) }
func (d duplex) Write(p []byte) (int, error) { return d.out.Write(p) }
func (d duplex) Close() error                { return errors.Join(d.in.Close(), d.out.Close()) }

// A pump joins the command's files and its shim's control to a stream.
type pump struct {
	mux      *mux
	in       *receiver
	out, err *sender
	over     chan struct{} // the stream ended
}

func newPump(rw io.ReadWriteCloser) *pump {
	m := newMux(rw)
	return &pump{mux: m, in: m.receives(laneIn), out: m.sends(laneOut), err: m.sends(laneErr),
		over: make(chan struct{})}
}

// tailLimit is how long what the command wrote last may take to leave.
const tailLimit = 10 * time.Second

func (p *pump) run(order streamStart) int {
	p.mux.line("clock " + strconv.FormatInt(int64(Boottime()), 10))
	proc, files, err := p.start(order)
	if err != nil {
		p.mux.line("error " + startKind(err) + " " + oneLine(err.Error()))
		go p.obey(nil)
		p.leave()
		return 127
	}
	p.mux.line(fmt.Sprintf("started %d %d", proc.PID(), StartTime(proc.PID())))
	go p.obey(proc)
	files.pump(p)
	p.mux.line(ending(proc.Wait()))
	<-proc.Gone()
	p.mux.line("gone")
	files.wait(tailLimit)
	p.leave()
	return 0
}

// heardLimit is how long the other end may take to say, by ending the stream,
// that it has heard the last word.
const heardLimit = 2 * time.Second

// leave says the last word and waits until it was heard: an engine may drop
// what a command that has ended wrote last (Podman 4.3 does).
func (p *pump) leave() {
	p.mux.line("end")
	p.mux.flush()
	select {
	case <-p.over:
	case <-time.After(heardLimit):
	}
}

func ending(code int, signal string, err error) string {
	if err != nil {
		return "lost " + oneLine(err.Error())
	}
	if signal == "" {
		signal = "-"
	}
	return fmt.Sprintf("exit %d %s", code, signal)
}

// obey passes orders on until the stream ends, which is the last of them. A
// command that did not start has no process, and takes none.
func (p *pump) obey(proc *Process) {
	defer close(p.over)
	_ = p.mux.serve(func(order string) {
		if proc != nil {
			_ = proc.tell("%s", order)
		}
	})
	if proc != nil {
		_ = proc.Kill() // and run ends
	}
}

// start starts the command, with a pipe for each file that is asked for.
func (p *pump) start(order streamStart) (*Process, *streamFiles, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	files, err := openStreamFiles(order)
	if err != nil {
		return nil, nil, err
	}
	c := Command{
		Program: self, Args: order.Args, Dir: order.Dir, Env: addEnv(os.Environ(), order.Env),
		Stdin: files.theirs[laneIn], Stdout: files.theirs[laneOut], Stderr: files.theirs[laneErr],
		Mark: order.Mark,
	}
	if order.Fence != 0 {
		c.Fence = Boottime() + order.Fence
	}
	proc, err := Start(context.Background(), c)
	files.closeTheirs()
	return proc, files, err
}

// addEnv joins two lists of KEY=VALUE without the mark; the last one of a key
// wins.
func addEnv(base, more []string) []string {
	set := map[string]bool{markVariable: true}
	for _, kv := range more {
		key, _, _ := strings.Cut(kv, "=")
		set[key] = true
	}
	kept := slices.DeleteFunc(base, func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return set[key]
	})
	return append(kept, more...)
}
