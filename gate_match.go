package blaise

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// matchesPaths: to allow, the rule must hold for where every path leads; to ask
// or deny, for where any may lead.
func (r GateRule) matchesPaths(a Action) bool {
	if r.Path == "" {
		return true
	}
	if r.Then == RulingAllow {
		return len(a.Paths) > 0 && !slices.ContainsFunc(a.Paths, func(p ActionPath) bool {
			return p.Real == "" || !r.matchesPath(p.Real)
		})
	}
	if len(a.Paths) == 0 {
		return false
	}
	return slices.ContainsFunc(a.Paths, func(p ActionPath) bool {
		unknown := p.Real == "" && r.Path == PathOutside
		return unknown || r.matchesPath(p.Said) || p.Real != "" && r.matchesPath(p.Real)
	})
}

func (r GateRule) matchesPath(p string) bool {
	outside := path.IsAbs(p)
	switch r.Path {
	case PathInside:
		return !outside
	case PathOutside:
		return outside
	}
	return pathPattern(r.Path).MatchString(p)
}

// matchesCommand: to allow, the command must be one command, or the rule say
// that it may be several; to ask or deny, any of its parts will do.
func (r GateRule) matchesCommand(a Action) bool {
	switch {
	case r.Command == "":
		return true
	case a.Command == "":
		return false
	case r.Then == RulingAllow:
		return (r.Compound || !compound(a.Command)) && wild(r.Command, strings.TrimSpace(a.Command))
	}
	return wild(r.Command, strings.TrimSpace(a.Command)) ||
		slices.ContainsFunc(commandParts(a.Command), func(p string) bool { return wild(r.Command, p) })
}

// shellJoins are the characters by which a shell is told to do more than run one
// program with the words that follow.
const shellJoins = ";|&<>()`$\\"

// compound says that text may be more than one command to a shell. What cannot
// be told is compound.
func compound(text string) bool {
	text = strings.TrimSpace(text)
	return strings.ContainsAny(text, shellJoins) ||
		strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// commandParts are what may be commands in text, quoted ones too: too many
// rather than too few.
func commandParts(text string) []string {
	parts := strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(shellJoins+"{}'\"", r) || r < ' ' && r != '\t'
	})
	for _, p := range slices.Clone(parts) {
		parts = append(parts, program(strings.Fields(p)))
	}
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}

// wrappers are programs that run the one that is named behind them.
var wrappers = []string{"sudo", "doas", "env", "exec", "command", "nohup", "nice", "time", "xargs"}

// program is a command without what stands before the program that it runs:
// variables, wrappers and the program's folder.
func program(words []string) string {
	for len(words) > 1 {
		name, _, sets := strings.Cut(words[0], "=")
		if !sets && !slices.Contains(wrappers, name) {
			break
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	words = append([]string{path.Base(words[0])}, words[1:]...)
	return strings.Join(words, " ")
}

// wild matches text with a pattern in which * is any text. A * that follows a
// space at the end may be nothing, the space with it.
func wild(pattern, text string) bool {
	tail := ""
	if cut, ok := strings.CutSuffix(pattern, " *"); ok {
		pattern, tail = cut, `([ \t].*)?`
	}
	expr := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return regexp.MustCompile(`(?s)^` + expr + tail + `$`).MatchString(text)
}

// pathPattern: * and ? stay within a name, ** does not.
func pathPattern(pattern string) *regexp.Regexp {
	expr := regexp.QuoteMeta(pattern)
	for _, r := range [][2]string{
		{`\*\*/`, "\x00"}, {`\*\*`, ".*"}, {`\*`, "[^/]*"}, {`\?`, "[^/]"}, {"\x00", "(.*/)?"},
	} {
		expr = strings.ReplaceAll(expr, r[0], r[1])
	}
	return regexp.MustCompile(`(?s)^` + expr + `$`)
}
