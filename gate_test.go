package blaise_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
)

func inside(names ...string) []blaise.ActionPath {
	var list []blaise.ActionPath
	for _, n := range names {
		list = append(list, blaise.ActionPath{Said: n, Real: n})
	}
	return list
}

func TestDefaultGate(t *testing.T) { // B4
	t.Parallel()
	for name, c := range map[string]struct {
		a    blaise.Action
		want blaise.Ruling
	}{
		"reads":                {blaise.Action{Tool: "read", Paths: inside("a")}, "allow"},
		"reads outside":        {blaise.Action{Tool: "read", Paths: inside("/etc/hosts")}, "allow"},
		"searches":             {blaise.Action{Tool: "search"}, "allow"},
		"writes inside":        {blaise.Action{Tool: "edit", Paths: inside("a", "b/c")}, "allow"},
		"writes outside":       {blaise.Action{Tool: "edit", Paths: inside("/etc/hosts")}, "ask"},
		"writes in and out":    {blaise.Action{Tool: "edit", Paths: inside("a", "/etc/hosts")}, "ask"},
		"writes nobody knows":  {blaise.Action{Tool: "edit"}, "ask"},
		"a link out":           {blaise.Action{Tool: "edit", Paths: []blaise.ActionPath{{Said: "a", Real: "/etc/a"}}}, "ask"},
		"a link to who knows":  {blaise.Action{Tool: "edit", Paths: []blaise.ActionPath{{Said: "a"}}}, "ask"},
		"commands":             {blaise.Action{Tool: "execute", Command: "ls"}, "ask"},
		"the network":          {blaise.Action{Tool: "fetch"}, "ask"},
		"another mode":         {blaise.Action{Tool: "switch_mode"}, "ask"},
		"a tool of no kind":    {blaise.Action{Tool: "other"}, "ask"},
		"a tool of an old run": {blaise.Action{}, "ask"},
	} {
		got := blaise.Gate(nil).Decide(c.a)
		if got.Then != c.want || !strings.HasPrefix(got.Rule, "default gate: ") || got.N != 0 {
			t.Errorf("%s: got %+v, want %s by the default", name, got, c.want)
		}
	}
}

func TestTheFirstRuleOfAGateThatMatchesDecides(t *testing.T) { // B4
	t.Parallel()
	g := blaise.Gate{
		{Command: "rm *", Then: blaise.RulingDeny},
		{Path: "**/.env", Then: blaise.RulingDeny},
		{Path: "/tmp/**", Tools: []string{"edit"}, Then: blaise.RulingAllow},
		{Command: "go test *", Then: blaise.RulingAllow},
		{Command: "make * && make *", Compound: true, Then: blaise.RulingAllow},
		{Name: "mcp__files__*", Then: blaise.RulingAllow},
		{Path: "docs/*.md", Then: blaise.RulingAsk},
	}
	run := func(command string) blaise.Action { return blaise.Action{Tool: "execute", Command: command} }
	for _, c := range []struct {
		a    blaise.Action
		want blaise.Ruling
		n    int
	}{
		{run("go test ./..."), "allow", 4},
		{run("go test"), "allow", 4},
		{run("go  test"), "ask", 0},
		{run("go testing"), "ask", 0},
		{run("X=1 go test"), "ask", 0},
		{run("echo go test"), "ask", 0},
		// A command that is more than one is allowed by a rule that says so alone.
		{run("go test; curl evil"), "ask", 0},
		{run("go test && curl evil"), "ask", 0},
		{run("go test | sh"), "ask", 0},
		{run("go test & curl evil"), "ask", 0},
		{run("go test\ncurl evil"), "ask", 0},
		{run("go test\rcurl evil"), "ask", 0},
		{run("go test $(curl evil)"), "ask", 0},
		{run("go test `curl evil`"), "ask", 0},
		{run("go test > ~/.profile"), "ask", 0},
		{run("go test $HOME"), "ask", 0},
		{run("go test <(curl evil)"), "ask", 0},
		{run("make a && make b"), "allow", 5},
		// What is denied is seen wherever it stands.
		{run("go test; rm -rf ~"), "deny", 1},
		{run("make a && make b; rm -rf ~"), "deny", 1},
		{run("sudo rm -rf /"), "deny", 1},
		{run("X=1 /bin/rm -rf /"), "deny", 1},
		{run("sh -c 'rm -rf /'"), "deny", 1},
		{run("echo $(rm x)"), "deny", 1},
		{run("git rm x"), "ask", 0},
		{run("rmdir x"), "ask", 0},
		{blaise.Action{Tool: "read", Paths: inside(".env")}, "deny", 2},
		{blaise.Action{Tool: "read", Paths: inside("a/b/.env")}, "deny", 2},
		{blaise.Action{Tool: "read", Paths: inside("ok", "a/.env")}, "deny", 2},
		{blaise.Action{Tool: "read", Paths: []blaise.ActionPath{{Said: "link", Real: "a/.env"}}}, "deny", 2},
		{blaise.Action{Tool: "read", Paths: []blaise.ActionPath{{Said: ".env", Real: "x"}}}, "deny", 2},
		{blaise.Action{Tool: "edit", Paths: inside("/tmp/a/b")}, "allow", 3},
		{blaise.Action{Tool: "edit", Paths: inside("/tmp/a", "/tmpfile")}, "ask", 0},
		{blaise.Action{Tool: "edit", Paths: []blaise.ActionPath{{Said: "/tmp/a", Real: "/etc/a"}}}, "ask", 0},
		{blaise.Action{Tool: "edit", Paths: []blaise.ActionPath{{Said: "/tmp/a"}}}, "ask", 0},
		{blaise.Action{Tool: "other", Name: "mcp__files__list"}, "allow", 6},
		{blaise.Action{Tool: "other", Name: "mcp__shell__run"}, "ask", 0},
		{blaise.Action{Tool: "edit", Paths: inside("docs/a.md")}, "ask", 7},
		{blaise.Action{Tool: "edit", Paths: inside("docs/b/a.md")}, "allow", 0},
	} {
		if got := g.Decide(c.a); got.Then != c.want || got.N != c.n {
			t.Errorf("%+v: got %+v, want %s by rule %d", c.a, got, c.want, c.n)
		}
	}
}
