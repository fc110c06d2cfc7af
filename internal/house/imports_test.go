package house_test

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is the table of docs/architecture.md: which packages of the module
// a package may import. A package that is missing here may import none.
// Tests may import more.
var mayImport = map[string][]string{
	".":          {},
	"transcript": {"."},
	"directive":  {"."},
	"acp":        {},
	"redact":     {},
	"git":        {},
	"webhook":    {},

	"plug":   {".", "transcript", "git", "redact", "internal/engine", "internal/near", "internal/shim", "internal/shim/gate", "internal/shim/jail"},
	"config": {"plug", "acp", "internal/near"},
	"run":    {".", "acp", "plug", "transcript", "directive", "config", "redact", "api", "internal/trace"},
	"daemon": {".", "api", "config", "transcript", "plug", "git", "run", "internal/shim", "internal/trace"},

	"api":       {".", "transcript", "directive"},
	"store":     {".", "transcript", "directive"},
	"control":   {".", "store", "transcript", "directive", "webhook", "internal/near", "internal/onedoc"},
	"server":    {".", "api", "control", "store", "transcript", "internal/hall", "internal/provider"},
	"dashboard": {".", "api", "control", "server", "transcript", "internal/hall", "internal/markdown", "internal/syntax"},

	"internal/chat":      {".", "api", "transcript", "internal/tty"},
	"internal/tty":       {".", "transcript", "internal/markdown", "internal/syntax"},
	"internal/authority": {},
	"internal/check":     {"acp", "config", "plug"},
	"internal/bundle":    {"redact", "internal/onedoc"},
	"internal/doctor":    {".", "acp", "api", "config", "daemon", "plug", "internal/check", "internal/engine"},
	"internal/engine":    {},
	"internal/hall":      {},
	"internal/near":      {},
	"internal/onedoc":    {},
	"internal/logs":      {"."},
	"internal/markdown":  {},
	"internal/trace":     {"."},
	"internal/meter":     {".", "control", "store"},
	"internal/release":   {},
	"internal/provider":  {".", "control", "internal/onedoc"},
	"internal/service":   {"."},
	"internal/syntax":    {},
	"internal/shim":      {"internal/shim/gate", "internal/shim/jail"},
	"internal/shim/gate": {},
	"internal/shim/jail": {},
	"internal/runcmd": {
		".", "acp", "api", "config", "directive", "git", "plug", "redact", "run", "transcript",
		"internal/demoagent", "internal/logs", "internal/shim", "internal/trace",
	},
	"internal/demoagent": {"acp"},
	"cmd/shim":           {"internal/shim"},
}

// free are trees that may import anything: wiring, test kits, and tools.
var free = []string{
	"cmd/blaise", "cmd/runner", "internal/agents", "internal/bench", "internal/browser", "internal/chaos",
	"internal/e2e", "internal/fakemodel", "internal/house", "internal/mutants", "internal/try",
	"acp/acptest", "api/apitest", "internal/provider/providertest", "plug/plugtest", "store/storetest",
}

// noModules are packages that import the standard library alone.
var noModules = []string{".", "acp", "directive", "git", "redact", "transcript", "webhook", "internal/demoagent"}

// exits are what may end the process outside of package main: the demo agent,
// which crashes on request, and test kits, which stand in for main.
var exits = []string{"internal/demoagent/faults.go", "acp/acptest", "plug/plugtest"}

func TestFreeTreesAreThere(t *testing.T) {
	t.Parallel()
	for _, tree := range free {
		if !slices.ContainsFunc(sources(t), func(s source) bool { return s.dir == tree }) {
			t.Errorf("free names package %s, which is not there", tree)
		}
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test || under(s.dir, free) {
			continue
		}
		allowed, known := mayImport[s.dir]
		if !known {
			t.Errorf("%s: package %s is not in the table of imports in internal/house", s.path, s.dir)
		}
		for _, i := range s.file.Imports {
			checkImport(t, s, allowed, i.Path.Value)
		}
	}
}

func checkImport(t *testing.T, s source, allowed []string, quoted string) {
	t.Helper()
	path, err := strconv.Unquote(quoted)
	if err != nil {
		t.Fatal(err)
	}
	own, ours := ownPackage(path)
	switch {
	case ours && !slices.Contains(allowed, own):
		t.Errorf("%s: package %s may not import %s", s.path, s.dir, own)
	case !ours && !standard(path) && slices.Contains(noModules, s.dir):
		t.Errorf("%s: package %s imports the standard library alone, not %s", s.path, s.dir, path)
	}
}

func ownPackage(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// standard says whether path is the standard library's, or golang.org/x/sys,
// which stands in for what syscall leaves out.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") || strings.HasPrefix(path, "golang.org/x/sys/")
}

func under(dir string, trees []string) bool {
	return slices.ContainsFunc(trees, func(t string) bool {
		return dir == t || strings.HasPrefix(dir, t+"/")
	})
}

// The runner goes onto machines that should carry as little as possible.
func TestRunnerLinksNoDatabaseAndNoServer(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/runner").CombinedOutput()
	if err != nil {
		t.Fatalf("list what cmd/runner links: %v\n%s", err, out)
	}
	never := []string{
		"database/sql", "modernc.org/sqlite", "github.com/jackc/pgx", "github.com/pressly/goose",
		"github.com/danielgtaylor/huma", "github.com/prometheus/client_golang",
		module + "/store", module + "/control", module + "/server", module + "/dashboard",
	}
	for dep := range strings.FieldsSeq(string(out)) {
		if under(dep, never) {
			t.Errorf("cmd/runner links %s", dep)
		}
	}
}

// A command that prints a list is not to wait for what another one needs: these
// read and compile all they have at the start of every program that links them.
func TestBlaiseStartsWithoutWhatIsSlowToStart(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/blaise").CombinedOutput()
	if err != nil {
		t.Fatalf("list what cmd/blaise links: %v\n%s", err, out)
	}
	slow := []string{
		"github.com/alecthomas/chroma/v2/lexers", "github.com/alecthomas/chroma/v2/styles", "charm.land/glamour/v2",
		"golang.org/x/crypto/x509roots/fallback",
	}
	for dep := range strings.FieldsSeq(string(out)) {
		if slices.Contains(slow, dep) {
			t.Errorf("cmd/blaise links %s", dep)
		}
	}
}
