package plug

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"blaise.dev/blaise/transcript"
)

const (
	maxEventLine = 8 << 20         // of an answer
	watcherGrace = 2 * time.Second // to end after its stdin has
)

// A watcher is the process of onTranscript. It reads an event a line, and
// answers each with a line: the event, changed or not, or null for one that is
// not to be recorded. A watcher that hangs, dies or answers anything else lets
// nothing pass any more (X8).
type watcher struct {
	line     commandLine
	proc     Process
	patience time.Duration
	stderr   *output

	mu   sync.Mutex // guards what follows, and holds the events in order
	in   *os.File
	out  *os.File
	read *bufio.Reader
	err  error // why nothing passes any more
}

// startWatcher starts it on the host; nil for no command.
func startWatcher(ctx context.Context, s Scope, line commandLine, vars []string) (*watcher, error) {
	if len(line) == 0 {
		return nil, nil
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("onTranscript: %w", err)
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	w := &watcher{line: line, patience: s.Patience, stderr: newOutput(s, false),
		in: in, out: out, read: bufio.NewReaderSize(out, 64<<10)}
	w.proc, err = s.Host.Start(ctx, Cmd{Args: line, Env: vars, Stdin: theirIn, Stdout: theirOut, Stderr: w.stderr})
	if err != nil {
		_ = errors.Join(in.Close(), out.Close()) // nothing was written
		return nil, fmt.Errorf("%w: onTranscript (%s): %w", ErrRefused, line, err)
	}
	return w, nil
}

// A line is an event as the process sees it.
type watchedEvent struct {
	transcript.Event
	Replay bool `json:"replay,omitempty"`
}

// pass gives next what the process made of e.
func (w *watcher) pass(e transcript.Event, next transcript.Sink) error {
	data, keep, err := w.ask(e)
	if err != nil || !keep {
		return err
	}
	e.Data = data
	return next.Append(e)
}

func (w *watcher) ask(e transcript.Event) (data json.RawMessage, keep bool, err error) {
	if w == nil {
		return nil, false, errors.New("onTranscript is not running")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		data, keep, w.err = w.exchange(e)
		if w.err != nil {
			_ = w.proc.Kill() // it is of no use; the error says why
			w.err = fmt.Errorf("onTranscript (%s): %w: nothing is recorded any more%s", w.line, w.err, w.stderr.last())
		}
	}
	return data, keep, w.err
}

func (w *watcher) exchange(e transcript.Event) (json.RawMessage, bool, error) {
	line, err := json.Marshal(watchedEvent{Event: e, Replay: e.Replay})
	if err != nil {
		return nil, false, err
	}
	until := time.Now().Add(w.patience)
	_ = errors.Join(w.in.SetWriteDeadline(until), w.out.SetReadDeadline(until)) // pipes have them
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return nil, false, w.why(err)
	}
	said, err := readLine(w.read)
	if err != nil {
		return nil, false, w.why(err)
	}
	return parseEvent(e, said)
}

// why says what became of the process.
func (w *watcher) why(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("no answer to an event within limits.hook = %v", w.patience)
	}
	if errors.Is(err, errLongLine) {
		return err
	}
	_ = w.proc.Kill()
	exit, _ := w.proc.Wait()
	if exit.Signal != "" {
		return fmt.Errorf("it died of signal %s", exit.Signal)
	}
	return fmt.Errorf("it ended with exit code %d", exit.Code)
}

var errLongLine = errors.New("it answered a line of more than 8 MB")

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxEventLine:
			return nil, errLongLine
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// parseEvent takes the data of an answer; all else of an event stays as it is.
func parseEvent(e transcript.Event, said []byte) (data json.RawMessage, keep bool, err error) {
	said = bytes.TrimSpace(said)
	if string(said) == "null" {
		if structural(e.Kind) {
			return nil, false, fmt.Errorf("it answered null to a %s, without which the record makes no sense", e.Kind)
		}
		return nil, false, nil
	}
	var a struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(said, &a); err != nil || a.Data == nil && e.Data != nil {
		return nil, false, fmt.Errorf("it answered no event: %s", beginning(said))
	}
	return a.Data, true, nil
}

func structural(k transcript.Kind) bool {
	switch k {
	case transcript.KindUpdate, transcript.KindNotice, transcript.KindOutput, transcript.KindProgress:
		return false
	}
	return true
}

// stop ends the process: its stdin ends, and if that does not help it is
// killed. It may be called twice, and on nil.
func (w *watcher) stop() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = errors.New("onTranscript has ended")
	}
	_ = w.in.Close() // twice: closed already
	ended := make(chan struct{})
	go func() { _, _ = w.proc.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(watcherGrace):
	}
	_ = w.proc.Kill() // the rest of its tree
	<-ended
	_ = w.out.Close()
	w.stderr.flush()
}
