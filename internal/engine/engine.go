package engine

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"
)

// MinAPI is the oldest API that is spoken: Docker 20.10, Podman 4.
const MinAPI = "1.41"

// The ways in which an engine is of no use; test with errors.Is. ErrNotFound is
// a thing that it does not have, ErrStopped a container that must run and does
// not.
var (
	ErrUnreachable = errors.New("no engine answers")
	ErrTooOld      = errors.New("the engine is too old")
	ErrNotFound    = errors.New("not found")
	ErrStopped     = errors.New("the container does not run")
)

// An Engine is one connection to a Docker Engine, or to what speaks its API. Its
// methods are safe for concurrent use.
type Engine struct {
	ID       string // the engine's own: the same from wherever it is reached
	Version  string
	Arch     string // GOARCH
	Rootless bool   // its root is the user that runs it
	Remote   bool   // not on this machine, or not known to be
	// Boundless says that it takes limits of processors, memory and processes and
	// keeps none of them.
	Boundless bool
	Podman    bool // it speaks Docker's API and is not Docker

	host     string
	runtimes []string
	c        *client.Client
}

// Dial finds the engine at host; "" is DOCKER_HOST or the usual socket. By TCP
// it is spoken to as DOCKER_CERT_PATH and DOCKER_TLS_VERIFY say; a socket of
// this machine has no TLS, whatever another engine needs. The API is negotiated
// down to MinAPI. Close it.
//
// Every call asks who listens now: an engine that was told to stop listens no
// more, and still serves the connections it has until the process is gone. A
// container that it starts then has a root that no later engine can remove.
func Dial(ctx context.Context, host string) (*Engine, error) {
	host = cmp.Or(host, os.Getenv(client.EnvOverrideHost), client.DefaultDockerHost)
	var options []client.Opt
	if !isSocket(host) {
		options = append(options, client.WithTLSClientConfigFromEnv())
	}
	options = append(options, client.WithHost(host), client.WithVersionFromEnv(), client.WithAPIVersionNegotiation(),
		client.WithHTTPHeaders(map[string]string{"Connection": "close"}))
	c, err := client.NewClientWithOpts(options...)
	if err != nil {
		return nil, fmt.Errorf("reach engine %s: %w", host, err)
	}
	e := &Engine{c: c, host: c.DaemonHost(), Remote: !isSocket(c.DaemonHost())}
	if err := e.greet(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return e, nil
}

func (e *Engine) greet(ctx context.Context) error {
	ping, err := e.c.Ping(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w at %s: %w: %s", ErrUnreachable, e.host, err, advice(err))
	}
	if versions.LessThan(ping.APIVersion, MinAPI) {
		return fmt.Errorf("%w: %s speaks API %s, and %s is needed (Docker 20.10): update it",
			ErrTooOld, e.host, ping.APIVersion, MinAPI)
	}
	e.c.NegotiateAPIVersionPing(ping)
	info, err := e.c.Info(ctx)
	if err != nil {
		return fmt.Errorf("ask engine %s: %w", e.host, err)
	}
	e.describe(info)
	return e.settle(ctx, info)
}

// advice is what to do about an engine that does not answer. What Go's TLS says
// and what a server says that expected TLS has no type to be known by.
func advice(err error) string {
	for _, sign := range []string{"tls: ", "HTTPS server", "HTTPS client"} {
		if strings.Contains(err.Error(), sign) {
			return "where it speaks TLS, DOCKER_CERT_PATH names a directory with its ca.pem and your cert.pem and key.pem, " +
				"and DOCKER_TLS_VERIFY=1 has it looked at"
		}
	}
	return "start it, or set DOCKER_HOST"
}

// settle gives a Podman an id that lasts: the one in its answer is another one
// each time, or none. What it is called and where it keeps things stays. A
// Docker names its containerd, and is not asked again.
func (e *Engine) settle(ctx context.Context, info system.Info) (err error) {
	if e.ID != "" && info.ContainerdCommit.ID != "" {
		return nil
	}
	if e.Podman, err = e.isPodman(ctx); err != nil {
		return fmt.Errorf("ask engine %s: %w", e.host, err)
	}
	e.Rootless = e.Rootless || e.Podman && usersOwn(info.DockerRootDir)
	e.Boundless = e.Podman && e.Rootless && info.CgroupVersion == "1" // it says so in its log alone
	if e.Podman || e.ID == "" {
		e.ID = info.Name + ":" + info.DockerRootDir
	}
	return nil
}

// usersOwn says that an engine's directory is a user's and not root's. Podman
// says itself that it is rootless, where Docker's client does not read it, and
// takes a fifth of a second for each answer. Files are shared on one machine
// alone, so the directory is here where it matters.
func usersOwn(dir string) bool {
	st, err := os.Stat(dir)
	if err != nil {
		return false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && sys.Uid != 0
}

// isPodman reads what Docker's client leaves out of the answer to a ping. The
// version tells it too, for which Podman asks the system's packages, for seconds.
func (e *Engine) isPodman(ctx context.Context) (bool, error) {
	conn, err := e.c.Dialer()(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	ping, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+client.DummyHost+"/_ping", nil)
	if err == nil {
		err = ping.Write(conn)
	}
	if err != nil {
		return false, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), ping)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	return answer.Header.Get("Libpod-Api-Version") != "", nil
}

func (e *Engine) describe(info system.Info) {
	e.ID, e.Version, e.Arch = info.ID, info.ServerVersion, goArch(info.Architecture)
	for name := range info.Runtimes {
		e.runtimes = append(e.runtimes, name)
	}
	slices.Sort(e.runtimes)
	e.Rootless = slices.ContainsFunc(info.SecurityOptions, func(o string) bool {
		return strings.Contains(o, "name=rootless")
	})
}

// Close lets go of the connection. What runs on the engine goes on.
func (e *Engine) Close() error { return e.c.Close() }

// Host is the address of the engine.
func (e *Engine) Host() string { return e.host }

// Runtimes are the OCI runtimes that the engine knows.
func (e *Engine) Runtimes() []string { return e.runtimes }

func isSocket(host string) bool {
	u, err := url.Parse(host)
	return err == nil && (u.Scheme == "unix" || u.Scheme == "npipe")
}

func goArch(machine string) string {
	switch machine {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return machine
}

// wrap says what was done; a thing that is not there is ErrNotFound.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	what := fmt.Sprintf(format, args...)
	switch {
	case errdefs.IsNotFound(err):
		return fmt.Errorf("%s: %w: %w", what, ErrNotFound, err)
	case client.IsErrConnectionFailed(err):
		return fmt.Errorf("%s: %w: %w", what, ErrUnreachable, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}
