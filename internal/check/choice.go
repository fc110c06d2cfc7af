package check

import (
	"fmt"
	"strings"

	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
)

// checkChoice warns of what is right in the file and yet will refuse sessions:
// repositories that they choose where none is allowed, and a branch that one of
// them alone can have.
func checkChoice(cfg config.Config) []Finding {
	var found []Finding
	warn := func(s plug.Spec, format string, args ...any) {
		found = append(found, Finding{What: "plug " + s.ID, OK: true, Text: "warning: " + fmt.Sprintf(format, args...)})
	}
	for _, s := range cfg.Plugs {
		if s.Use != "worktree" {
			continue
		}
		repo, branch := key(s, "repo"), key(s, "branch")
		if chosen := strings.HasPrefix(repo, "{input.") || plug.ByURL(repo) && strings.Contains(repo, "{input."); chosen && len(cfg.Runner.Repos) == 0 {
			warn(s, "repo is %s, and runner.repos allows no address: every session that gives one is refused; "+
				"list them, as in repos: [\"https://git.example.com/team/*\"]", repo)
		}
		if branch != "" && !strings.Contains(branch, "{") {
			warn(s, "branch is %q for every session, and only one at a time can have it, paused ones too: "+
				"blaise/{session} gives each its own", branch)
		}
	}
	return found
}
