package git

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// linesOf are the lines of what git said, without progress.
func linesOf(stderr string) (kept []string) {
	for line := range strings.SplitSeq(stderr, "\n") {
		line = strings.TrimSpace(line[strings.LastIndexByte(line, '\r')+1:])
		if line != "" && !progressLine.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return kept
}

// ownWords are the lines that git says of itself, not those that another
// machine had it say. All after "remote error" is that one's.
func ownWords(lines []string, far bool) []string {
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "remote error: ") }); i >= 0 {
		lines = lines[:i]
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return strings.HasPrefix(line, "remote: ") || far && (farLine.MatchString(line) || !gitLine.MatchString(line))
	})
}

var (
	gitLine = regexp.MustCompile(`^(?:fatal|error): `)
	farLine = regexp.MustCompile(`unable to access '[a-z]+://`)
)

// machineSays are git's words where the machine lacks something: they end a
// line, for before them is a name that anybody may have chosen.
var machineSays = []struct {
	words *regexp.Regexp
	kind  error
}{
	{regexp.MustCompile(`(?i)(?:No space left on device|Disk quota exceeded|Out of diskspace)\.?$`), ErrNoSpace},
	{regexp.MustCompile(`Read-only file system$`), syscall.EROFS},
	{regexp.MustCompile(`Input/output error$`), syscall.EIO},
	{regexp.MustCompile(`Cannot allocate memory$`), syscall.ENOMEM},
	{regexp.MustCompile(`Resource temporarily unavailable$`), syscall.EAGAIN},
	{regexp.MustCompile(`Permission denied$`), fs.ErrPermission},
	{regexp.MustCompile(`^error: unable to write file `), ErrUnwritten},
}

// machineKind is what the machine lacks by git's own words, nil for nothing.
func machineKind(words []string) error {
	for _, say := range machineSays {
		if slices.ContainsFunc(words, say.words.MatchString) {
			return say.kind
		}
	}
	return nil
}

// believed is err, less its kind if the commit has names of files that would
// have git say such a thing: a name may be a line of its own.
func (r *Repo) believed(ctx context.Context, commit string, err error) error {
	e, ok := err.(*Error)
	if !ok || e.Kind == nil {
		return err
	}
	names, listErr := r.Run(ctx, "ls-tree", "-r", "-z", "--name-only", commit)
	lines := linesOf(strings.ReplaceAll(names, "\x00", "\n"))
	if listErr != nil || (&Error{}).classify(lines).Kind != nil {
		e.Kind, e.Hint = nil, ""
	}
	return err
}
