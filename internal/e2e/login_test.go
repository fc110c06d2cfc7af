package e2e_test

import (
	"regexp"
	"strings"
	"testing"
)

// `blaise login` on a machine that knows nothing yet: the terminal prints where
// to go, the person goes there with a browser, signs in, sees that both show the
// same and says so, and the terminal goes on as that person.
func TestLoginWithABrowser(t *testing.T) {
	b, _ := withProvider(t)
	b.signsIn("ann@example.org, member", func(s surfer, to string) {
		s.visit(to)
		s.press(`a[href*="/login/provider"]`)
		s.write("#username", "ann@example.org")
		s.write("#password", "password")
		s.press(`button[type="submit"]`)
	})
	b.signsIn(", admin", func(s surfer, to string) {
		s.visit(strings.TrimSpace(b.run("open", "--print")))
		s.see("h1", "Sessions")
		s.visit(to)
	})
}

// printed is what the terminal says of where to go, on a line of its own.
var printed = regexp.MustCompile(`shows ([A-Z2-7]{4}-[A-Z2-7]{4}):\s+(http://\S+)\s`)

// signsIn signs a fresh terminal in as who is wanted; goes has the browser go
// where the terminal says, until it is asked.
func (b lab) signsIn(as string, goes func(s surfer, to string)) {
	b.t.Helper()
	home := []string{"HOME=" + b.t.TempDir(), "BLAISE_DATA=", "XDG_CONFIG_HOME=", "XDG_STATE_HOME="}
	s := b.window()
	x := b.terminal(home, "login", b.url())
	var said []string
	b.await("the terminal says where to go", func() bool {
		said = printed.FindStringSubmatch(x.written())
		return said != nil
	})
	goes(s, said[2])
	s.see("pre.copy", said[1])
	s.press(`form[action="/login/terminal"] button`)
	s.see("body", "The terminal has it.")
	if end := x.ends(0); !strings.Contains(end, "signed in to "+b.url()) {
		b.t.Errorf("the terminal says:\n%s", end)
	}
	if me := b.terminal(home, "whoami").ends(0); !strings.Contains(me, as) {
		b.t.Errorf("the terminal acts as %q, want %q", me, as)
	}
}
