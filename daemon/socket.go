package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"blaise.dev/blaise"
)

// A Run is one run of this daemon, as `runner runs list` prints it.
type Run struct {
	Run     blaise.RunID     `json:"run"`
	Session blaise.SessionID `json:"session"`
	Kind    blaise.RunKind   `json:"kind"`
	Agent   blaise.AgentName `json:"agent"`
	PID     int              `json:"pid"`
	Since   time.Time        `json:"since"`
}

// A StopRun asks for the end of a run: it pauses, or with Teardown acts as on
// TERM (A20).
type StopRun struct {
	Run      blaise.RunID `json:"run"`
	Teardown bool         `json:"teardown"`
}

// DrainAll asks that the daemon be taken out of service (X11).
type DrainAll struct {
	Timeout time.Duration `json:"timeout"`
}

// A socket is where the commands on this machine talk to the daemon. It works
// without Blaise.
type socket struct {
	l      net.Listener
	server *http.Server
}

// socketPath is short: the name of a socket may have about 100 bytes, and a
// state directory may lie deep.
func socketPath(stateDir string) string {
	sum := sha256.Sum256([]byte(stateDir))
	name := fmt.Sprintf("blaise-%d-%s.sock", os.Getuid(), hex.EncodeToString(sum[:6]))
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" && len(dir) < 60 {
		return filepath.Join(dir, name)
	}
	return filepath.Join("/tmp", name)
}

func (d *Daemon) listen() (*socket, error) {
	path := socketPath(d.state.dir)
	_ = os.Remove(path) // we have the lock: it is of a daemon that is gone
	old := syscall.Umask(0o077)
	l, err := net.Listen("unix", path)
	syscall.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("listen for local commands: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", d.Watch())
	mux.HandleFunc("GET /runs", d.serveRuns)
	mux.HandleFunc("POST /stop", d.serveStop)
	mux.HandleFunc("POST /drain", d.serveDrain)
	mux.HandleFunc("GET /inventory", d.serveInventory)
	s := &socket{l: l, server: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}}
	face := Face{PID: os.Getpid(), Socket: path, URL: d.c.URL, Configs: d.c.Configs()}
	return s, writeJSON(filepath.Join(d.state.dir, "daemon.json"), face)
}

func (s *socket) serve(ctx context.Context) {
	defer context.AfterFunc(ctx, s.close)()
	_ = s.server.Serve(s.l) // it ends when it is closed
}

func (s *socket) close() { _ = s.server.Close() } // nothing is under way that matters

func (d *Daemon) serveRuns(w http.ResponseWriter, _ *http.Request) {
	runs := []Run{}
	for _, r := range d.rows() {
		l := r.Spec.Lease
		runs = append(runs, Run{
			Run: r.Run, Session: l.Session, Kind: l.Kind, Agent: l.Agent, PID: r.PID, Since: r.At,
		})
	}
	_ = json.NewEncoder(w).Encode(runs) // who asked is gone
}

func (d *Daemon) serveStop(w http.ResponseWriter, r *http.Request) {
	var s StopRun
	err := json.NewDecoder(r.Body).Decode(&s)
	var c *child
	if err == nil {
		c, err = d.child(s.Run)
	}
	if err == nil {
		err = c.signal(s.signal())
	}
	if err != nil {
		refuse(w, err)
	}
}

// refuse answers with an error as it is, code and hint too.
func refuse(w http.ResponseWriter, err error) {
	var e *blaise.Error
	if !errors.As(err, &e) {
		e = blaise.Errorf(blaise.CodeRefused, "%v", err)
	}
	w.WriteHeader(http.StatusConflict)
	_ = json.NewEncoder(w).Encode(e) // who asked is gone
}

func (d *Daemon) serveDrain(w http.ResponseWriter, r *http.Request) {
	var s DrainAll
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		refuse(w, err)
		return
	}
	d.Drain(s.Timeout)
}

func (s StopRun) signal() os.Signal {
	if s.Teardown {
		return syscall.SIGTERM
	}
	return syscall.SIGUSR1
}

// Runs asks the daemon of a state directory for its runs.
func Runs(ctx context.Context, stateDir string) ([]Run, error) {
	var runs []Run
	return runs, local(ctx, stateDir, http.MethodGet, "/runs", nil, &runs)
}

// Stop asks the daemon of a state directory to stop a run; it does not wait for
// its end.
func Stop(ctx context.Context, stateDir string, s StopRun) error {
	return local(ctx, stateDir, http.MethodPost, "/stop", s, nil)
}

// DrainDaemon has the daemon of a state directory taken out of service; it does
// not wait for its end.
func DrainDaemon(ctx context.Context, stateDir string, s DrainAll) error {
	return local(ctx, stateDir, http.MethodPost, "/drain", s, nil)
}

// localTimeout is long enough for an inventory of many repositories.
const localTimeout = time.Minute

func local(ctx context.Context, stateDir, method, path string, in, out any) error {
	face, err := ReadFace(stateDir)
	if err != nil {
		return err
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", face.Socket)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial}, Timeout: localTimeout}
	defer client.CloseIdleConnections()
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://runner"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the runner with pid %d: %w", face.PID, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var e blaise.Error
		text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		if err != nil || json.Unmarshal(text, &e) != nil || e.Message == "" { // of another version
			return blaise.Errorf(blaise.CodeRefused, "%s", text)
		}
		return &e
	}
	if out == nil {
		return nil
	}
	return errors.Join(json.NewDecoder(resp.Body).Decode(out))
}
