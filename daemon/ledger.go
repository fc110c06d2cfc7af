package daemon

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/shim"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/run"
)

// A row is what the ledger says of one run: STATE/runs/RUN/row.json, on disk
// before each step of the run's birth.
type row struct {
	Run   blaise.RunID   `json:"run"`
	Kind  blaise.RunKind `json:"kind"`
	Nonce string         `json:"nonce"`
	At    time.Time      `json:"at"`
	Spec  *run.Spec      `json:"spec,omitempty"` // with the lease; nil before it is accepted
	PID   int            `json:"pid,omitempty"`  // 0 before the child is started
	Start uint64         `json:"start,omitempty"`
	Boot  string         `json:"boot,omitempty"` // of the machine, not of the daemon
	Born  time.Duration  `json:"born,omitempty"` // on the clock of Boottime

	dir string
}

func (s *state) runDir(id blaise.RunID) string { return filepath.Join(s.runs(), string(id)) }

func (r *row) write() error            { return writeJSON(filepath.Join(r.dir, "row.json"), r) }
func (r *row) file(name string) string { return filepath.Join(r.dir, name) }
func (r *row) locked() bool            { return held(r.file("run.lock")) }

// worked says that the child has begun to work: it opened its spool.
func (r *row) worked() bool { return exists(r.file("spool")) }

// done says that the child ended having said all it had to say.
func (r *row) done() bool { return exists(r.file(run.DoneFile)) }

// newRow makes the directory of a run and its first row. A run whose accept got
// no answer is there already: it goes on with its nonce.
func (s *state) newRow(id blaise.RunID, kind blaise.RunKind) (*row, error) {
	old := &row{dir: s.runDir(id)}
	if readJSON(old.file("row.json"), old) == nil {
		if old.Spec != nil {
			return nil, errors.New("it was accepted here before")
		}
		return old, nil
	}
	r := &row{Run: id, Kind: kind, Nonce: nonce(), At: time.Now().UTC(), dir: s.runDir(id)}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	return r, errors.Join(r.write(), syncDir(s.runs()))
}

// rows reads the ledger. A directory without a row is the rest of a birth that
// went no further than it.
func (s *state) rows() ([]*row, error) {
	entries, err := os.ReadDir(s.runs())
	if err != nil {
		return nil, err
	}
	var rows []*row
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		r := &row{dir: filepath.Join(s.runs(), e.Name())}
		err := readJSON(r.file("row.json"), r)
		if errors.Is(err, os.ErrNotExist) {
			_ = os.RemoveAll(r.dir) // it holds nothing
			continue
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// remove forgets the run; a crash in between leaves a hidden directory, which
// the next daemon removes.
func (r *row) remove() error {
	trash := filepath.Join(filepath.Dir(r.dir), ".gone-"+filepath.Base(r.dir)+"-"+nonce())
	if err := os.Rename(r.dir, trash); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.RemoveAll(trash)
}

// sweep removes what remove left, and copies of the program that no run needs.
func (s *state) sweep(rows []*row, program string) {
	needed := map[string]bool{filepath.Dir(program): true}
	for _, r := range rows {
		if r.Spec != nil {
			needed[filepath.Dir(r.Spec.Program)] = true
		}
	}
	copies, _ := os.ReadDir(filepath.Join(s.dir, "bin")) // the next sweep looks again
	for _, c := range copies {
		if dir := filepath.Join(s.dir, "bin", c.Name()); !needed[dir] {
			_ = os.RemoveAll(dir) // the next sweep tries again
		}
	}
	left, _ := fs.Glob(os.DirFS(s.runs()), ".gone-*") // the pattern is good
	for _, name := range left {
		_ = os.RemoveAll(filepath.Join(s.runs(), name)) // the next sweep tries again
	}
}

// alive says that the process of the row is the one that was started for it: a
// pid is used again, its start time is not.
func (r *row) alive() bool {
	return r.PID != 0 && r.Boot == bootID() && shim.Alive(r.PID, r.Start)
}

// shims are those that the run started and that still live: with them, what
// they keep.
func (r *row) shims() []plug.ShimRef {
	f, err := os.Open(r.file(run.ShimsFile))
	if err != nil || r.Boot != bootID() {
		return nil
	}
	defer f.Close()
	var live []plug.ShimRef
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var s plug.ShimRef
		if json.Unmarshal(lines.Bytes(), &s) == nil && s.Alive() {
			live = append(live, s)
		}
	}
	return live
}

// bootID names this boot of the machine: with another, all pids are void.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(b))
}
