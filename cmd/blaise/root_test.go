package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func testApp(out io.Writer) *app {
	return &app{in: strings.NewReader(""), out: out, err: io.Discard, now: time.Now}
}

// every calls f for each command of the tree.
func every(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		every(sub, f)
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	every(rootCommand(testApp(io.Discard)), func(c *cobra.Command) {
		ofCobra := c.Name() == "help" || c.HasParent() && c.Parent().Name() == "completion"
		if !ofCobra && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		if c.Short == "" {
			t.Errorf("%s does not say what it does", c.CommandPath())
		}
		if n := len("  ") + max(len(c.Name()), len("mark-destroyed")) + len(" ") + len(c.Short); n > 80 && !ofCobra {
			t.Errorf("%s: its line in the help has %d letters, more than a narrow terminal", c.CommandPath(), n)
		}
	})
}

// What a flag's words have between backquotes is shown as the name of its value.
func TestFlagsNameTheirValues(t *testing.T) {
	t.Parallel()
	every(rootCommand(testApp(io.Discard)), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, words := pflag.UnquoteUsage(f); strings.Contains(name, " ") || strings.Contains(words, "`") {
				t.Errorf("%s --%s: its value is named %q: %s", c.CommandPath(), f.Name, name, words)
			}
		})
	})
}

func TestSessionVerbsStandAlone(t *testing.T) {
	t.Parallel()
	root := rootCommand(testApp(io.Discard))
	group, _, err := root.Find([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range group.Commands() {
		alone, _, err := root.Find([]string{verb.Name()})
		if err != nil || alone.Use != verb.Use {
			t.Errorf("blaise %s does not stand alone: %v", verb.Name(), err)
		}
	}
}

func TestParseLink(t *testing.T) {
	t.Parallel()
	base, code, err := parseLink("http://127.0.0.1:4420/login?code=blc_x")
	if err != nil || base != "http://127.0.0.1:4420" || code != "blc_x" {
		t.Errorf("got %q, %q, %v", base, code, err)
	}
	for _, bad := range []string{"", "nonsense", "http://host/login"} {
		if _, _, err := parseLink(bad); exitCode(err) != exitUsage {
			t.Errorf("%q: got %v, want an error of usage", bad, err)
		}
	}
}

// The port of last time is taken again where the address leaves it open.
func TestListenRemembersItsPort(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first, err := listen(data, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	was := first.Addr().String()
	if _, err := listen(data, was); exitCode(err) != exitRefused {
		t.Errorf("a taken port: got %v, want a refusal", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := listen(data, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := again.Addr().String(); got != was {
		t.Errorf("got %s, want %s again", got, was)
	}
}
