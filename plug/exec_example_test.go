package plug_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
	"blaise.dev/blaise/store/storetest"
	"blaise.dev/blaise/transcript"
)

// example is the spec of a plug in examples/plugs, run by program, or itself.
func example(t *testing.T, program, name string, args ...string) plug.Spec {
	t.Helper()
	path, err := filepath.Abs("../examples/plugs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	line := append([]string{path}, args...)
	if program != "" {
		need(t, program)
		line = append([]string{program}, line...)
	}
	return plug.NewSpec("exec", "own", map[string]any{"onStart": line, "onTeardown": line})
}

// need skips the test where a program is missing.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

func sqlite(t *testing.T, db, ask string) string {
	t.Helper()
	out, err := exec.Command("sqlite3", db, ask).CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3 %s: %v: %s", db, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestExampleSQLiteBranch(t *testing.T) {
	t.Parallel()
	need(t, "sqlite3")
	db := filepath.Join(plugtest.TempDir(t), "main.db")
	sqlite(t, db, "CREATE TABLE t (n); INSERT INTO t VALUES (1)")
	w := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)), example(t, "", "sqlite-branch.sh", db))
	plugtest.Sh(t, w.Open().Env(), `sqlite3 "${DATABASE_URL#sqlite:}" "INSERT INTO t VALUES (2)"`)
	if got := plugtest.Sh(t, w.Open().Env(), `sqlite3 "${DATABASE_URL#sqlite:}" "SELECT sum(n) FROM t"`); got != "3" {
		t.Errorf("the session's copy has %s", got)
	}
	if got := sqlite(t, db, "SELECT sum(n) FROM t"); got != "1" {
		t.Errorf("the main database has %s", got)
	}
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(db + ".*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestExamplePostgresBranch(t *testing.T) {
	t.Parallel()
	need(t, "psql")
	server := storetest.StartPostgres(t, "fsync=off")
	dsn := server.Database(t)
	psql := func(db, ask string) string {
		out, err := exec.Command("psql", "-XAtq", "-d", db, "-c", ask).CombinedOutput()
		if err != nil {
			t.Fatalf("psql: %v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	psql(dsn, "CREATE DATABASE template_app")
	psql(strings.Replace(dsn, "/test1", "/template_app", 1), "CREATE TABLE t (n int); INSERT INTO t VALUES (7)")
	w := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)), example(t, "", "postgres-branch.sh", dsn, "template_app"))
	w.Open()
	name := plugtest.Sh(t, w.Open().Env(), "echo $PGDATABASE")
	if got := psql(strings.Replace(dsn, "/test1", "/"+name, 1), "SELECT n FROM t"); got != "7" {
		t.Errorf("the branch has %q", got)
	}
	for range 2 {
		if err := w.Stack().Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := psql(dsn, "SELECT count(*) FROM pg_database WHERE datname = '"+name+"'"); got != "0" {
		t.Errorf("database %s is left", name)
	}
}

func TestExamplePython(t *testing.T) {
	t.Parallel()
	ports := filepath.Join(plugtest.TempDir(t), "ports")
	spec := example(t, "python3", "port.py", ports)
	h := host(t, plugtest.TempDir(t))
	one, two := plugtest.NewWorld(t, h, spec), plugtest.NewWorld(t, h, spec)
	first := plugtest.Sh(t, one.Open().Env(), "echo $PORT")
	if again := plugtest.Sh(t, one.Open().Env(), "echo $PORT"); again != first || first == "" {
		t.Errorf("port %q, then %q", first, again)
	}
	if other := plugtest.Sh(t, two.Open().Env(), "echo $PORT"); other == first {
		t.Errorf("two sessions have port %s", other)
	}
	for _, w := range []*plugtest.World{one, one, two} {
		if err := w.Stack().Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(ports + "/*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestExampleMaskEmails(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	path, err := filepath.Abs("../examples/plugs/mask-emails.py")
	if err != nil {
		t.Fatal(err)
	}
	got, err := watched(t, "exec python3 "+path, 30*time.Second, transcript.New(transcript.KindUpdate, map[string]string{"text": "ask jo.b+x@mail.example.org!"}))
	if err != nil || len(got) != 1 || string(got[0].Data) != `{"text":"ask [e-mail]!"}` {
		t.Errorf("got %v, %v", got, err)
	}
}
