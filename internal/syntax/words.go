package syntax

import (
	"embed"
	"io/fs"
	"slices"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:embed *.xml languages/*.xml
var files embed.FS

// languages reads how each one is called; its rules are read at its first use.
var languages = sync.OnceValue(func() *chroma.LexerRegistry {
	all := chroma.NewLexerRegistry()
	for _, glob := range []string{"languages/*.xml", "*.xml"} {
		paths, _ := fs.Glob(files, glob) // the pattern is a good one
		for _, path := range paths {
			all.Register(chroma.MustNewXMLLexer(files, path))
		}
	}
	return all
})

// Words are code cut into its words, each with what it is: together they are the
// code, but for how its lines end. There are none for a language that is not
// known; a language goes by its name, another name people have for it, or the
// ending of its files. Words is safe for concurrent use.
func Words(language, code string) []chroma.Token {
	if language == "" {
		return nil
	}
	lexer := languages().Get(language)
	if lexer == nil {
		return nil
	}
	words, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return nil
	}
	return slices.Collect(words.Stdlib())
}
