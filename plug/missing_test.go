package plug_test

import (
	"os"
	"slices"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// What a plug needs on this machine can be told without opening it.
func TestMissing(t *testing.T) {
	t.Parallel()
	dir := plugtest.TempDir(t)
	write(t, dir+"/db.sh", "true\n")
	write(t, dir+"/forgot.sh", "true\n")
	for name, mode := range map[string]os.FileMode{"/db.sh": 0o755, "/forgot.sh": 0o644} {
		if err := os.Chmod(dir+name, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		spec plug.Spec
		want []string
	}{
		{plug.NewSpec("local", "", nil), nil},
		{plug.NewSpec("exec", "", map[string]any{"onStart": []string{"./db.sh"}, "onTeardown": "./db.sh down"}), nil},
		{plug.NewSpec("exec", "", map[string]any{"onStart": []string{"./no.sh"}, "onTeardown": "./no.sh down"}), []string{`program "./no.sh" is not found`}},
		{plug.NewSpec("exec", "", map[string]any{"onStart": []string{"no-such-program"}}), []string{`program "no-such-program" is not found`}},
		{plug.NewSpec("exec", "", map[string]any{"onStart": "no-such-program | true"}), nil},
		{plug.NewSpec("exec", "", map[string]any{"onStart": []string{"./forgot.sh"}}), []string{`program "./forgot.sh" is not executable: chmod +x ./forgot.sh`}},
		{plug.NewSpec("secrets", "", map[string]any{"env": map[string]any{
			"A": map[string]any{"env": "NO_SUCH_VARIABLE"}, "B": map[string]any{"file": "no-such"}, "C": map[string]any{"command": []string{"no-such"}},
			"D": map[string]any{"env": "HOME"}, "E": map[string]any{"file": "db.sh"}, "F": map[string]any{"command": "echo x"},
		}}), []string{"A: the runner has no variable NO_SUCH_VARIABLE", `B: there is no file "no-such"`, `C: program "no-such" is not found`}},
	} {
		p, err := plug.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := plug.Missing(p, dir); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.spec.Bytes(), got, c.want)
		}
	}
}
