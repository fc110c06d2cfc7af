//go:build unix

package shim

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"blaise.dev/blaise/internal/shim/jail"
)

// SmallName is the small program that holds the shim and nothing else, where it
// stands beside one that holds more.
const SmallName = "blaise-shim"

// A guard is the first process of a sandbox, seen from the keeper that started
// it: the prisoner's own keeper is in there, and says on a control socket what
// the command does. What else comes on it is the complaint of a sandbox that
// could not be made.
type guard struct {
	spec  jail.Spec
	ctl   *os.File
	words chan string // closed when nothing more can come
	said  []string    // the complaint
}

// sandboxOrder says that argv is the verb "sandbox" of this very program, and
// what follows it. A keeper does that by itself: it saves a process.
func sandboxOrder(argv []string) (rest []string, ok bool) {
	if len(argv) < 3 || argv[1] != "shim" || argv[2] != "sandbox" {
		return nil, false
	}
	self, err := os.Executable()
	if err != nil {
		return nil, false
	}
	ours, err := os.Stat(self)
	theirs, err2 := os.Stat(argv[0])
	return argv[3:], err == nil && err2 == nil && os.SameFile(ours, theirs)
}

// imprison starts the command of "SPEC -- COMMAND ARGS..." in a sandbox. That
// it runs is said later, by its guard.
func (k *keeper) imprison(args []string) error {
	if len(args) < 3 || args[1] != "--" {
		return fmt.Errorf("usage: shim sandbox SPEC -- COMMAND ARGS")
	}
	spec, err := jail.ParseSpec(args[0])
	if err == nil {
		err = spec.Prepare()
	}
	if err != nil {
		return err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer theirs.Close()
	if k.pid, err = startGuard(spec, args[2:], theirs); err != nil {
		ours.Close()
		return err
	}
	k.guard = &guard{spec: spec, ctl: ours, words: make(chan string)}
	return nil
}

// listen hands on what the guard says. It ends with the last process that could
// say something.
func (g *guard) listen() {
	defer close(g.words)
	lines := bufio.NewScanner(g.ctl)
	for lines.Scan() {
		g.words <- lines.Text()
	}
}

// lastWords is how long what a dead guard left may take to be read: it may have
// left a process that holds the socket, and is about to be killed.
const lastWords = time.Second

func (g *guard) signal(sig syscall.Signal) {
	_ = g.ctl.SetWriteDeadline(time.Now().Add(tellLimit))
	_, _ = fmt.Fprintf(g.ctl, "signal %d\n", int(sig)) // it may have ended: then it needs none
}

// hear takes a word of the guard.
func (k *keeper) hear(word string) {
	verb, rest, _ := strings.Cut(word, " ")
	switch verb {
	case "started":
		k.announce("started")
	case "error":
		k.announce("error " + rest)
	case "exit":
		code, signal, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(code) // a keeper's own word
		k.report(n, signal)
	default:
		k.guard.said = append(k.guard.said, word)
	}
}

// announce tells, in the command's own output, whoever waits for the sandbox
// what became of it: see Word.
func (k *keeper) announce(word string) {
	fmt.Fprintln(os.Stderr, Word(k.guard.spec.Nonce, oneLine(word)))
	k.begin()
}

// bury hears the last words of a guard that is dead.
func (k *keeper) bury() {
	_ = k.guard.ctl.SetReadDeadline(time.Now().Add(lastWords))
	for word := range k.guard.words {
		k.hear(word)
	}
	if !k.begun {
		k.announce("error " + kindFailed + " make sandbox (" + k.guard.spec.Driver + "): " + strings.Join(k.guard.said, " "))
	}
	k.guard.ctl.Close()
}
