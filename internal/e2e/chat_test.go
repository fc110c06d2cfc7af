package e2e_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A terminal has a command of blaise in it: what it writes is painted on a
// screen, as a real one would.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	read sync.WaitGroup // until all that was written is on the screen
	work sync.WaitGroup

	mu     sync.Mutex // guards what follows
	screen *vt.Emulator
	raw    bytes.Buffer
}

func (b lab) terminal(env []string, args ...string) *terminal {
	b.t.Helper()
	return b.terminalOf("blaise", env, args...)
}

func (b lab) terminalOf(program string, env []string, args ...string) *terminal {
	b.t.Helper()
	x := &terminal{t: b.t, cmd: exec.Command(filepath.Join(programs, program), args...), screen: vt.NewEmulator(80, 30)}
	x.cmd.Env, x.cmd.Dir = append(append(b.env, "TERM=xterm-256color"), env...), filepath.Join(b.dir, "repo")
	var err error
	if x.pty, err = pty.StartWithSize(x.cmd, &pty.Winsize{Rows: 30, Cols: 80}); err != nil {
		b.t.Fatal(err)
	}
	x.read.Go(func() { _, _ = io.Copy(x, x.pty) })
	x.work.Go(func() { _, _ = io.Copy(x.pty, x.screen) }) // what the terminal is asked it answers
	b.t.Cleanup(func() {
		_ = x.cmd.Process.Kill()
		_ = x.pty.Close()
		x.read.Wait()
		_ = x.screen.InputPipe().(io.Closer).Close() // ends its Read, which Close itself would race with
		x.work.Wait()
	})
	return x
}

func (x *terminal) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.raw.Write(p)
	return x.screen.Write(p)
}

func (x *terminal) size(rows, cols uint16) {
	x.t.Helper()
	x.mu.Lock()
	x.screen.Resize(int(cols), int(rows))
	x.mu.Unlock()
	if err := pty.Setsize(x.pty, &pty.Winsize{Rows: rows, Cols: cols}); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) types(keys string) {
	x.t.Helper()
	if _, err := x.pty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// shows waits until the screen shows a text.
func (x *terminal) shows(text string) {
	x.t.Helper()
	var now string
	if !poll(limit, func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		now = x.screen.String()
		return strings.Contains(now, text)
	}) {
		x.t.Fatalf("the screen never shows %q:\n%s", text, now)
	}
}

// ends waits for the exit code, and returns all that was written.
func (x *terminal) ends(code int) string {
	x.t.Helper()
	if err := x.cmd.Wait(); x.cmd.ProcessState.ExitCode() != code {
		x.t.Errorf("%v ended with %v, want %d", x.cmd.Args[1:], err, code)
	}
	x.read.Wait()
	return x.written()
}

// written is all that was written so far.
func (x *terminal) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// A conversation on a terminal: a message begins the session, a key answers a
// question, messages wait their turn and are taken back, Esc cancels the turn,
// the size changes, leaving leaves the session as it is (SPEC, Surfaces).
func TestChatOnATerminal(t *testing.T) {
	b := newLab(t, "{}")
	x := b.terminal(nil, "chat")
	x.shows("Ctrl-C twice leaves")
	x.types("write a.txt hello\r")
	x.shows("1 Allow")
	id := b.onlySession()
	b.state(id, blaise.SessionParked)
	x.shows("text: hello") // what is asked for is there to be read
	x.types("no,")
	x.shows("› no,")
	x.types("\x17") // no letter of a message answers: only one that stands alone, with Enter
	b.state(id, blaise.SessionParked)
	time.Sleep(time.Second) // what comes with the question was meant for something else
	x.types("y")
	x.shows("Enter answers: yes")
	x.types("\r")
	x.shows("✓")
	x.shows("I wrote a.txt.")
	b.answered(id, 1)

	x.types("sleep 600\r")
	x.shows("Sleeping for 600 seconds.")
	x.types("echo wrong\r")
	b.message(id, 3, blaise.MessageQueued)
	x.shows("queued: echo wrong")
	x.types("\x1b[A") // up takes it back
	b.message(id, 3, blaise.MessageWithdrawn)
	x.shows("taken back")
	x.types("\x17&#27;]0;owned&#7; \x1b[200~**right**\x1b[201~\r") // a word is erased, another pasted
	b.message(id, 4, blaise.MessageQueued)
	x.types("\x1b")
	b.message(id, 2, blaise.MessageCancelled)
	b.answered(id, 4)
	x.shows("\ufffd]0;owned\ufffd right")

	x.size(12, 40)
	x.types("count\r")
	b.answered(id, 5)
	x.shows("─ ")
	x.types("\x03\x03")
	said := x.ends(0)
	if strings.Contains(said, "\x1b]0;") {
		t.Errorf("the agent set the title of the terminal: %q", said)
	}
	if !strings.Contains(said, "session "+string(id)+" goes on") {
		t.Errorf("nothing says that the session goes on:\n%s", said)
	}
	b.state(id, blaise.SessionIdle)
	b.watchOnATerminal(id)
}

// watchOnATerminal: what was said is there again, without a colour where none is
// wanted; a key answers a question; the end of the session ends it.
func (b lab) watchOnATerminal(id blaise.SessionID) {
	b.t.Helper()
	x := b.terminal([]string{"NO_COLOR=1"}, "watch", string(id))
	x.shows("I wrote a.txt.")
	x.shows("q leaves")
	b.run("say", string(id), "write b.txt hello")
	x.shows("1 Allow")
	time.Sleep(time.Second)
	x.types("n")
	b.answered(id, 6)
	b.run("end", string(id))
	x.shows("the session has ended")
	said := x.ends(0)
	if colour := regexp.MustCompile(`\x1b\[[0-9;]*[1-9][0-9;]*m`).FindString(said); colour != "" {
		b.t.Errorf("NO_COLOR is set, and there is %q in:\n%q", colour, said)
	}
}

func (b lab) onlySession() blaise.SessionID {
	b.t.Helper()
	out := strings.Fields(b.run("list"))
	for i, word := range out {
		if word == "TITLE" {
			return blaise.SessionID(out[i+1])
		}
	}
	b.t.Fatalf("no session: %v", out)
	return ""
}
