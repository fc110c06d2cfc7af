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

// A Postgres is a PostgreSQL server of one test.
type Postgres struct {
	bin, dir string
	uid      *syscall.Credential // nil: the test's own
	made     atomic.Int64        // databases
}

// StartPostgres starts a server that ends with the test, with settings such as
// "fsync=off". Where PostgreSQL is not installed the test is skipped.
func StartPostgres(t testing.TB, settings ...string) *Postgres {
	t.Helper()
	bin := findPostgres()
	if bin == "" {
		t.Skip("no initdb under /usr/lib/postgresql/*/bin or in PATH: apt-get install postgresql-15")
	}
	p := &Postgres{bin: bin, dir: shortDir(t)}
	if os.Getuid() == 0 {
		p.uid = p.other(t) // the server refuses to run as root
	}
	p.run(t, "initdb", "-D", p.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8",
		"--no-locale", "--no-sync")
	options := "-k " + p.dir
	for _, s := range append([]string{"listen_addresses=", "max_connections=400"}, settings...) {
		options += " -c " + s
	}
	p.run(t, "pg_ctl", "-D", p.data(), "-w", "-l", filepath.Join(p.dir, "log"), "-o", options, "start")
	t.Cleanup(func() { p.run(t, "pg_ctl", "-D", p.data(), "-m", "immediate", "-w", "stop") })
	return p
}

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

// shortDir is a directory whose path leaves room for a socket's name (107
// bytes in all), and that others may enter.
func shortDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/tmp", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove %s: %v", dir, err)
		}
	})
	return dir
}

// other gives the directory to a user who is not root.
func (p *Postgres) other(t testing.TB) *syscall.Credential {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2, os.Chown(p.dir, uid, gid)); err != nil {
			t.Fatal(err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	t.Skip("no user to run PostgreSQL as: it refuses root, and there is no postgres or nobody")
	return nil
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

func (p *Postgres) run(t testing.TB, name string, args ...string) {
	t.Helper()
	// The test's own context ends before its cleanup.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, name), args...)
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.uid}
	// The server keeps its parent's output open: a file, so that Wait returns.
	out, err := os.CreateTemp("", "pg-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		t.Fatalf("%s: %v\n%s", name, err, said)
	}
}

// Database makes an empty database and gives its DSN.
func (p *Postgres) Database(t testing.TB) string {
	t.Helper()
	db, err := sql.Open("pgx", p.dsn("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	name := fmt.Sprintf("test%d", p.made.Add(1))
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return p.dsn(name)
}

func (p *Postgres) dsn(name string) string {
	q := url.Values{"host": {p.dir}, "user": {"postgres"}}
	return "postgres:///" + name + "?" + q.Encode()
}
