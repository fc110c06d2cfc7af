package plug

import (
	"context"
	"io"
	"os"
	"path/filepath"
)

// An Env is a place to run commands. Its paths mean what they mean inside it.
// Layers compose: each rewrites a Cmd and hands it outwards.
type Env interface {
	Place() Place
	// Start runs c in the place. The process ends with its whole tree when it
	// is killed, and when the program that started it dies.
	Start(ctx context.Context, c Cmd) (Process, error)
}

// A Place is where commands of an Env run, as seen inside. A layer copies it
// whole and changes what it changes.
type Place struct {
	Dir   string   // where the agent works
	Home  string   // HOME: lasts as long as the environment (A3)
	Shim  string   // the path of the shim, as seen inside
	OS    string   // GOOS
	Arch  string   // GOARCH
	Env   []string // KEY=VALUE added to every command
	Needs []string // host paths that must be visible inside under their own names
}

// abs is a path of the place, which may be relative to Dir.
func (p Place) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.Dir, path)
}

// A Cmd is a command to run in an Env. Empty fields mean the place's own.
type Cmd struct {
	Args   []string
	Dir    string
	Env    []string  // KEY=VALUE, added to the place's
	Stdin  io.Reader // an *os.File is handed over as it is
	Stdout io.Writer
	Stderr io.Writer
}

// A Process is a command that runs, with its tree.
type Process interface {
	// Signal reaches the command where it runs.
	Signal(os.Signal) error
	// Kill ends the whole tree, and returns when it is empty.
	Kill() error
	// Wait returns when the command has ended and its output is read (1 s more
	// at most). It may be called from several goroutines.
	Wait() (Exit, error)
	// PID is the pid of the command as the host sees it, 0 if it is not known.
	PID() int
}

// An Exit says how a command ended.
type Exit struct {
	Code   int
	Signal string // "" unless it died of one
}
