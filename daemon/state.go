package daemon

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"blaise.dev/blaise"
)

// A state is the state directory, locked for this process.
type state struct {
	dir      string
	lock     *os.File
	instance blaise.InstanceID
	machine  blaise.MachineID
	boot     string // drawn for this process

	births sync.Mutex // a row is made, or the rest of a session is cleared, not both
}

// environments is where the plugs keep what is beside their layers: see
// plug.Stack.
const environments = "environments"

// Face is what daemon.json tells the commands that talk to a daemon.
type Face struct {
	PID     int      `json:"pid"`
	Socket  string   `json:"socket"`
	URL     string   `json:"url"`
	Configs []string `json:"configs,omitempty"`
}

// ReadFace finds the daemon of a state directory. The error is
// [blaise.CodeNotFound] if none runs there.
func ReadFace(stateDir string) (Face, error) {
	var f Face
	err := readJSON(filepath.Join(stateDir, "daemon.json"), &f)
	if err != nil || !held(filepath.Join(stateDir, "daemon.lock")) {
		return Face{}, blaise.Errorf(blaise.CodeNotFound, "no runner runs with state %s", stateDir).
			WithHint("start it with `runner start`, or name its directory with --state")
	}
	return f, nil
}

func openState(dir string) (*state, error) {
	for _, sub := range []string{"", "bin", "runs", environments} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("make state directory: %w", err)
		}
	}
	s := &state{dir: dir, boot: nonce()}
	var err error
	if s.lock, err = lock(filepath.Join(dir, "daemon.lock")); err != nil {
		return nil, err
	}
	if s.lock == nil {
		return nil, taken(dir)
	}
	id, err := idFile(filepath.Join(dir, "instance"))
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.instance = blaise.InstanceID(id)
	if s.machine, err = machine(dir); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *state) close() error { return s.lock.Close() }

func (s *state) runs() string { return filepath.Join(s.dir, "runs") }

func taken(dir string) error {
	var f Face
	who := "another runner"
	if readJSON(filepath.Join(dir, "daemon.json"), &f) == nil && f.PID != 0 {
		who = fmt.Sprintf("the runner with pid %d", f.PID)
	}
	return blaise.Errorf(blaise.CodeRefused, "state directory %s is in use by %s", dir, who).
		WithHint("stop it, or give this one a directory of its own with --state")
}

// idFile reads a random id from path, and makes it the first time.
func idFile(path string) (string, error) {
	b, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(b)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id := nonce()
	return id, writeFile(path, []byte(id+"\n"))
}

// machine names where layers are made and found again: this machine, by a hash
// of its own id, which is not for others to know (where it has none, a random
// one kept in the state directory), and the state directory. Another instance
// here that looked in its own would find nothing, and call that gone.
func machine(dir string) (blaise.MachineID, error) {
	b, err := os.ReadFile("/etc/machine-id")
	id := strings.TrimSpace(string(b))
	if err != nil || id == "" {
		if id, err = idFile(filepath.Join(dir, "machine")); err != nil {
			return "", err
		}
	}
	if dir, err = filepath.EvalSymlinks(dir); err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", fmt.Errorf("find state directory: %w", err)
	}
	sum := sha256.Sum256([]byte("blaise runner " + id + " " + dir))
	return blaise.MachineID(hex.EncodeToString(sum[:8])), nil
}

func nonce() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand, Go 1.24)
	return hex.EncodeToString(b[:])
}
