package git_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise/git"
)

// What git could take for a program, an option, a way up or another host is no
// address, and neither is one with a password in it.
func TestURLRefusesWhatIsNoPlainAddress(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"ext::sh -c touch% /tmp/x", "fd::7", "transport::https://h/a", "git://h/a", "ftp://h/a", "://h/a",
		"-uhttps://h/a", "--upload-pack=touch", "ssh://-oProxyCommand=touch/a", "ssh://h/-a", "git@-h:a", "-u@h:a",
		"https://h/../a", "https://h/a/..", "https://h/a/./b", "https://h//a", "https://h/a%2e%2e/b", "https://h/",
		"https://user:secret@h/a", "https://h/a?x=1", "https://h/a#b", "https://h/a b", "https://h/a\nb", "https://h/*",
		"https:///a", "file://h/a", "file:///a/../b", "https://h:port/a", "git@h:", "git@h:../a", "git@h:a;b", "",
		"https://h/a\x00b", "HTTPS://h/a", "https://h\\@other/a", "https://h@other@third/a",
	} {
		if u, err := git.ParseURL(text); err == nil {
			t.Errorf("%q is taken as %q", text, u)
		} else if !strings.Contains(err.Error(), "it takes https://HOST/PATH") {
			t.Errorf("%q: %v does not say what to write", text, err)
		}
	}
}

func TestURLIsAllowedByPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url, pattern string
		want         bool
	}{
		{"https://git.example.com/team/app", "https://git.example.com/team/*", true},
		{"https://Git.Example.com/team/app.git", "https://git.example.com/team/app", true},
		{"https://bot@git.example.com/team/app", "https://git.example.com/team/*", true},
		{"git@git.example.com:team/app.git", "ssh://git.example.com/team/*", true},
		{"ssh://git@git.example.com/team/app", "git@git.example.com:team/*", true},
		{"https://git.example.com/team/a/b", "https://git.example.com/team/**", true},
		{"https://git.example.com/team", "https://git.example.com/team/**", false},
		{"https://git.example.com/teams/a", "https://git.example.com/team/**", false},
		{"https://git.example.com/team/a/b", "https://git.example.com/team/*", false},
		{"https://git.example.com/other/app", "https://git.example.com/team/*", false},
		{"http://git.example.com/team/app", "https://git.example.com/team/*", false},
		{"https://git.example.com:8443/team/app", "https://git.example.com/team/*", false},
		{"https://git.example.com.evil.org/team/app", "https://git.example.com/team/*", false},
		{"file:///srv/app", "https://git.example.com/**", false},
		{"file:///srv/app", "file:///srv/*", true},
	} {
		u, err := git.ParseURL(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := git.CheckPattern(c.pattern); err != nil {
			t.Fatal(err)
		}
		if got := u.Allowed([]string{"https://elsewhere.org/**", c.pattern}); got != c.want {
			t.Errorf("%s, pattern %s: got %v, want %v", c.url, c.pattern, got, c.want)
		}
	}
	for _, pattern := range []string{"https://*/a", "https://*.example.com/a", "*", "**", "ext::*", "https://h/[a]", "https://h/**/a"} {
		if git.CheckPattern(pattern) == nil {
			t.Errorf("pattern %q is taken", pattern)
		}
	}
}

func TestURLNamesOneDirectory(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, text := range []string{"https://h/a/b", "https://h/a-b", "http://h/a/b", "git@h:a/b", "bot@h:a/b", "https://h:81/a/b",
		"https://h/a/b.git", "git@h:/a/b", "git@h:a/b.git", "ssh://git@h/a/b.git", "file:///a/b", "file:///a/b.git"} {
		u, err := git.ParseURL(text)
		if err != nil {
			t.Fatal(err)
		}
		if other := seen[u.Name()]; other != "" || strings.ContainsAny(u.Name(), "/: ") {
			t.Errorf("%s is kept as %s, as %s is", text, u.Name(), other)
		}
		seen[u.Name()] = text
	}
}

// What is wrong with an address is told to people and written to logs: what may
// be a password in it is not, nor in a good one.
func TestURLIsShownWithoutWhatMayBeAPassword(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://ann:s3cret@h/a", "https://s3cret@h/a", "https://ann:s3/cret@h/a", "https://ann:s3@cret@h/a",
		"ssh://ann:s3cret@h/a", "ftp://ann:s3cret@h/a", "ann:s3cret@h:a", "https://h/a?token=s3cret", "https://s3cret@h/../a",
		"https://s3cret@h/*", "https://ann:s3cret@h/**/a",
	} {
		told := git.Shown(text)
		if u, err := git.ParseURL(text); err != nil {
			told += err.Error()
		} else {
			told += u.String()
		}
		if err := git.CheckPattern(text); err != nil {
			told += err.Error()
		}
		if strings.Contains(told, "s3") || strings.Contains(told, "cret") || !strings.Contains(told, "h") {
			t.Errorf("%s is told as %s", text, told)
		}
	}
	for _, text := range []string{"git@h:a", "ssh://git@h/a", "https://h/a", "/srv/a@b"} {
		if got := git.Shown(text); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

// The address of a submodule is relative to that of the repository around it, as
// git has it, and leads to no other host.
func TestURLOfASubmodule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, text, want string }{
		{"https://h/team/app.git", "../lib.git", "https://h/team/lib.git"},
		{"https://h/team/app.git/", "../../other/lib", "https://h/other/lib"},
		{"https://h/team/app", "./lib", "https://h/team/app/lib"},
		{"https://h/team/app", ".././lib/", "https://h/team/lib"},
		{"git@h:team/app.git", "../lib.git", "git@h:team/lib.git"},
		{"git@h:team/app.git", "../../lib.git", "git@h:lib.git"},
		{"ssh://git@h:22/app", "../lib", "ssh://git@h:22/lib"},
		{"file:///srv/app", "../lib", "file:///srv/lib"},
		{"https://h/team/app", "https://other/lib", "https://other/lib"},
		{"https://h/team/app", "../../../lib", ""},
		{"https://h/team/app", "../../../evil.example/lib", ""},
		{"git@h:app", "../../lib", ""},
		{"https://h/team/app", "ext::sh", ""},
		{"https://h/team/app", "/srv/lib", ""},
		{"https://h/team/app", "../lib/../../x", ""},
		{"https://h/team/app", "", ""},
	} {
		of, err := git.ParseURL(c.of)
		if err != nil {
			t.Fatal(err)
		}
		u, err := of.Relative(c.text)
		if got := u.String(); (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%q in %s: got %q, %v, want %q", c.text, c.of, got, err, c.want)
		}
	}
}
