package syntax

import (
	"embed"
	"encoding/xml"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/dlclark/regexp2/v2"
)

//go:embed *.xml languages/*.xml
var files embed.FS

const (
	// nameMost is longer than any name of a language.
	nameMost = 30
	// matchMost is how long one pattern of a language may be tried at one place,
	// and tick how exactly that is kept. Shorter would take a pattern that waited
	// for a processor for one that does not match.
	matchMost = 30 * time.Millisecond
	tick      = 10 * time.Millisecond
)

// languages reads how each one is called; its rules are read at its first use.
var languages = sync.OnceValue(func() map[string]chroma.Lexer {
	regexp2.SetTimeoutCheckPeriod(tick)
	all, registry := map[string]chroma.Lexer{}, chroma.NewLexerRegistry()
	endings := map[string]chroma.Lexer{}
	for _, glob := range []string{"languages/*.xml", "*.xml"} {
		paths, _ := fs.Glob(files, glob) // the pattern is a good one
		for _, path := range paths {
			config := *chroma.MustNewXMLLexer(files, path).Config()
			names := config.Filenames
			config.Filenames, config.AliasFilenames = nil, nil                               // a language in another is looked for by its name alone
			lexer, _ := chroma.NewLexer(&config, func() chroma.Rules { return rules(path) }) // fails at patterns of files alone
			registry.Register(lexer)
			for _, name := range append(config.Aliases, config.Name) {
				all[strings.ToLower(name)] = lexer
			}
			for _, name := range names {
				name = strings.ToLower(strings.TrimPrefix(name, "*."))
				if had := endings[name]; had == nil || had.Config().Priority < config.Priority {
					endings[name] = lexer
				}
			}
		}
	}
	for name, lexer := range endings {
		if all[name] == nil {
			all[name] = lexer
		}
	}
	return all
})

// find gives the language of a name, nil if it is not known.
func find(language string) chroma.Lexer {
	if language == "" || len(language) > nameMost {
		return nil
	}
	return languages()[strings.ToLower(language)]
}

// rules reads those of a language. A file that cannot be read has none, which
// its lexer says at its first use.
func rules(path string) chroma.Rules {
	var lexer struct {
		Rules chroma.Rules `xml:"rules"`
	}
	data, _ := files.ReadFile(path)
	if err := xml.Unmarshal(data, &lexer); err != nil {
		return nil
	}
	lexer.Rules["\x00hasten"] = []chroma.Rule{{Mutator: hasten{}}}
	return lexer.Rules
}

// hasten is no rule of any language: it is asked once the patterns of a language
// are there, gives each of them its time, and goes.
type hasten struct{}

var _ chroma.LexerMutator = hasten{}

// Mutate is never asked: no state leads to it.
func (hasten) Mutate(*chroma.LexerState) error { return nil }

// MutateLexer sets how long each pattern may be tried.
func (hasten) MutateLexer(rules chroma.CompiledRules, state string, _ int) error {
	delete(rules, state)
	for _, list := range rules {
		for _, rule := range list {
			rule.Regexp.MatchTimeout = matchMost
		}
	}
	return nil
}
