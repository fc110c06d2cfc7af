//go:build unix

package shim

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// The kinds of frames on the stdin of tty.
const (
	ttyInput = frameData
	ttySize  = frameLine // rows and columns, two bytes each
)

// TTYInput frames what is typed on the terminal of "shim tty".
func TTYInput(b []byte) []byte { return appendFrame(nil, ttyInput, b) }

// TTYSize frames the new size of that terminal.
func TTYSize(rows, cols uint16) []byte {
	return appendFrame(nil, ttySize, binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, rows), cols))
}

// lastOutput is how long the terminal is read when the command has ended:
// something of its tree may hold it open.
const lastOutput = 200 * time.Millisecond

// ttyVerb serves "tty ROWS COLS COMMAND ARGS...": the command gets a terminal
// and is the leader of a session. What it writes goes to stdout; stdin brings
// frames, and its end hangs up. It exits as the command does, with 128 and the
// number of a signal that ended it, 127 if it did not start.
func ttyVerb(args []string) int {
	if len(args) < 3 {
		return usage()
	}
	rows, _ := strconv.ParseUint(args[0], 10, 16)
	cols, _ := strconv.ParseUint(args[1], 10, 16)
	cmd := exec.Command(args[2], args[3:]...)
	term, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)})
	if err != nil {
		fmt.Fprintln(os.Stderr, "shell:", err)
		return 127
	}
	defer term.Close()
	go func() { // ends with the program
		feedTerminal(term, bufio.NewReader(os.Stdin))
		_ = cmd.Process.Signal(syscall.SIGHUP)
	}()
	read := make(chan struct{})
	go func() { // ends with the terminal, or the program
		defer close(read)
		_, _ = io.Copy(os.Stdout, term)
	}()
	err = cmd.Wait()
	select {
	case <-read:
	case <-time.After(lastOutput):
	}
	return ttyExit(err)
}

func feedTerminal(term *os.File, in *bufio.Reader) {
	for {
		kind, body, err := readFrame(in)
		switch {
		case err != nil:
			return
		case kind == ttyInput:
			if _, err := term.Write(body); err != nil {
				return
			}
		case kind == ttySize && len(body) == 4:
			_ = pty.Setsize(term, &pty.Winsize{
				Rows: binary.BigEndian.Uint16(body), Cols: binary.BigEndian.Uint16(body[2:]),
			})
		}
	}
}

func ttyExit(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return 1
		}
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
