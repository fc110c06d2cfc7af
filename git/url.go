package git

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// A URL is the address of a repository somewhere else, in a form that means one
// thing to git: no program for a transport, no option, no way up.
type URL struct {
	text   string // as git is given it
	scheme string
	user   string
	place  string // host and path, as patterns are held against it
	exact  string // the path to the letter: app.git may lie beside app, and ~/app is not /app
}

var (
	fullURL = regexp.MustCompile(`^(https?|ssh|file)://(?:([A-Za-z0-9][A-Za-z0-9_.-]*)@)?` +
		`((?i:[a-z0-9][a-z0-9.-]*)(?::[0-9]{1,5})?|)/(.*)$`)
	shortURL = regexp.MustCompile(`(?s)^([A-Za-z0-9][A-Za-z0-9_.-]*)@((?i:[a-z0-9][a-z0-9.-]*)):(.*)$`)
	urlPath  = regexp.MustCompile(`^[A-Za-z0-9_.~+*][A-Za-z0-9_.~+*-]*(/[A-Za-z0-9_.~+*][A-Za-z0-9_.~+*-]*)*$`)
)

// IsURL reports whether a repository is named by an address, good or bad, and
// not by a directory. A bad one is to be refused: it is no directory either.
func IsURL(repo string) bool {
	return strings.Contains(repo, "://") || strings.Contains(repo, "::") || shortURL.MatchString(repo)
}

// ParseURL reads https://HOST/PATH, http, ssh, file, or USER@HOST:PATH. The
// error says what is wrong with any other.
func ParseURL(text string) (URL, error) {
	if strings.Contains(text, "*") {
		return URL{}, badURL(text, "it has a * in it")
	}
	return parseURL(text)
}

func parseURL(text string) (URL, error) {
	u := URL{text: text, scheme: "ssh"}
	var host, below string
	if m := shortURL.FindStringSubmatch(text); m != nil {
		u.user, host, below = m[1], m[2], strings.TrimPrefix(m[3], "/")
		u.exact = m[3]
	} else if m := fullURL.FindStringSubmatch(text); m != nil {
		u.scheme, u.user, host, below = m[1], m[2], m[3], m[4]
		u.exact = "/" + below
	} else {
		return URL{}, badURL(text, "git would need another transport, or a password in it")
	}
	below = strings.TrimSuffix(below, "/")
	switch {
	case (host == "") != (u.scheme == "file"):
		return URL{}, badURL(text, "its host is missing, or one too many")
	case !urlPath.MatchString(below):
		return URL{}, badURL(text, "its path has signs that could be misread")
	}
	for name := range strings.SplitSeq(below, "/") {
		if name == "." || name == ".." {
			return URL{}, badURL(text, "its path leads up")
		}
	}
	u.exact = strings.TrimSuffix(u.exact, "/")
	u.place = strings.ToLower(host) + "/" + strings.TrimSuffix(below, ".git")
	return u, nil
}

func badURL(text, why string) error {
	return fmt.Errorf("%q is no address of a repository: %s; it takes https://HOST/PATH, ssh://USER@HOST/PATH "+
		"or USER@HOST:PATH, and the password from git's own credential helper", withoutUser(text), why)
}

// String is the address as it may be told to anybody: what stands before the
// host of a web address may be a token.
func (u URL) String() string { return withoutSecrets(u.text) }

// Shown is how a repository may be named to anybody, be it an address, good or
// bad, or a directory.
func Shown(repo string) string {
	if u, err := parseURL(repo); err == nil {
		return u.String()
	}
	if filepath.IsAbs(repo) {
		return repo
	}
	return withoutUser(repo)
}

// withoutUser takes out of a text that is no address all that could be a
// password in one: what stands before the last @, and a query.
func withoutUser(text string) string {
	text, _, _ = strings.Cut(text, "?")
	i := strings.LastIndexByte(text, '@')
	if i < 0 {
		return text
	}
	scheme, _, ok := strings.Cut(text[:i], "://")
	if !ok {
		return text[i+1:]
	}
	return scheme + "://" + text[i+1:]
}

// Allowed reports whether one of the patterns takes the address. A pattern is an
// address with * in its path, for any one name, or /** at its end, for all that
// is below. The user does not count, nor .git at the end.
func (u URL) Allowed(patterns []string) bool {
	for _, text := range patterns {
		p, err := parseURL(text)
		if err != nil || p.scheme != u.scheme {
			continue
		}
		if above, all := strings.CutSuffix(p.place, "/**"); all {
			names := strings.Count(above, "/") + 1
			if parts := strings.SplitN(u.place, "/", names+1); len(parts) > names {
				if ok, _ := path.Match(above, strings.Join(parts[:names], "/")); ok {
					return true
				}
			}
			continue
		}
		if ok, _ := path.Match(p.place, u.place); ok {
			return true
		}
	}
	return false
}

// CheckPattern says what is wrong with a pattern of Allowed.
func CheckPattern(text string) error {
	if _, err := parseURL(text); err != nil {
		return err
	}
	if strings.Contains(strings.TrimSuffix(text, "/**"), "**") {
		return fmt.Errorf("%q: ** stands for all below, and so at the end alone", text)
	}
	return nil
}

// Name is a name for a directory of the repository: readable, and no other
// address has it.
func (u URL) Name() string {
	sum := sha256.Sum256([]byte(u.scheme + "\x00" + u.user + "\x00" + u.place + "\x00" + u.exact))
	readable := strings.ReplaceAll(strings.TrimPrefix(u.place, "/"), "/", "-")
	readable = strings.ReplaceAll(readable, ":", "-")
	return readable[:min(len(readable), 100)] + "." + hex.EncodeToString(sum[:8]) + ".git"
}
