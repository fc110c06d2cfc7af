package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// A Postgres is a PostgreSQL server of a test's own.
type Postgres struct {
	bin, dir string
	options  string              // of the server
	uid      *syscall.Credential // nil: the caller's own
	made     atomic.Int64        // databases
}

// ErrNoPostgres says that PostgreSQL cannot be started here, and is wrapped with
// why.
var ErrNoPostgres = errors.New("no PostgreSQL")

// StartPostgres starts a server that ends with the test, with settings such as
// "fsync=off". Where PostgreSQL is not installed the test is skipped.
func StartPostgres(t testing.TB, settings ...string) *Postgres {
	t.Helper()
	p, err := NewPostgres(settings...)
	if errors.Is(err, ErrNoPostgres) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// NewPostgres starts a server for who is no test; the caller stops it. The error
// is ErrNoPostgres where it is not installed.
func NewPostgres(settings ...string) (*Postgres, error) {
	bin := findPostgres()
	if bin == "" {
		return nil, fmt.Errorf("%w: no initdb under /usr/lib/postgresql/*/bin or in PATH: apt-get install postgresql-15", ErrNoPostgres)
	}
	// A path that leaves room for a socket's name (107 bytes in all), and that
	// others may enter.
	dir, err := os.MkdirTemp("/tmp", "pg")
	if err != nil {
		return nil, err
	}
	p := &Postgres{bin: bin, dir: dir, options: "-k " + dir}
	for _, s := range append([]string{"listen_addresses=", "max_connections=400"}, settings...) {
		p.options += " -c " + s
	}
	if os.Getuid() == 0 {
		err = p.giveAway() // the server refuses to run as root
	}
	if err == nil {
		err = p.run("initdb", "-D", p.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync")
	}
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

// Start starts a server again that was halted.
func (p *Postgres) Start() error {
	return p.run("pg_ctl", "-D", p.data(), "-w", "-l", filepath.Join(p.dir, "log"), "-o", p.options, "start")
}

// Halt ends every process of the server without a word: it recovers as after a
// crash.
func (p *Postgres) Halt() error {
	return p.run("pg_ctl", "-D", p.data(), "-m", "immediate", "-w", "stop")
}

// Stop ends the server and removes all it had.
func (p *Postgres) Stop() error { return errors.Join(p.Halt(), os.RemoveAll(p.dir)) }

func findPostgres() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 {
		return filepath.Dir(slices.Max(found))
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// giveAway gives the directory to a user who is not root.
func (p *Postgres) giveAway() error {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		p.uid = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return errors.Join(err1, err2, os.Chown(p.dir, uid, gid))
	}
	return fmt.Errorf("%w: it refuses to run as root, and there is no user postgres or nobody", ErrNoPostgres)
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

func (p *Postgres) run(name string, args ...string) error {
	// Not the test's own context: that ends before its cleanup.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, name), args...)
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.uid}
	// The server keeps its parent's output open: a file, so that Wait returns.
	out, err := os.CreateTemp("", "pg-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("run %s: %w\n%s", name, err, said)
	}
	return nil
}

// Database makes an empty database and gives its DSN.
func (p *Postgres) Database(t testing.TB) string {
	t.Helper()
	dsn, err := p.Create()
	if err != nil {
		t.Fatal(err)
	}
	return dsn
}

// Create makes an empty database and gives its DSN.
func (p *Postgres) Create() (string, error) {
	db, err := sql.Open("pgx", p.dsn("postgres"))
	if err != nil {
		return "", err
	}
	defer db.Close()
	name := fmt.Sprintf("test%d", p.made.Add(1))
	_, err = db.Exec("CREATE DATABASE " + name)
	return p.dsn(name), err
}

// Dump copies a database as docs/operations.md says, with pg_dump and
// pg_restore, and gives the DSN of the copy.
func (p *Postgres) Dump(t testing.TB, dsn string) string {
	t.Helper()
	file := filepath.Join(p.dir, "dump")
	err := p.run("pg_dump", "--format=custom", "--file="+file, dsn)
	to := p.Database(t)
	if err == nil {
		err = p.run("pg_restore", "--exit-on-error", "--no-owner", "--dbname="+to, file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func (p *Postgres) dsn(name string) string {
	q := url.Values{"host": {p.dir}, "user": {"postgres"}}
	return "postgres:///" + name + "?" + q.Encode()
}
