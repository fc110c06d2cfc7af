package check

import (
	"fmt"
	"slices"

	"blaise.dev/blaise/plug"
)

// checkOrder looks for layers that cannot open where they stand.
func checkOrder(specs []plug.Spec) []Finding {
	var bad []Finding
	for i, s := range specs {
		what := "plug " + s.ID
		if i == 0 && ownPrograms(s) {
			bad = append(bad, Finding{What: what, Text: fmt.Sprintf(
				"%s needs a directory to work in: put worktree or local before it", s.Use)})
		}
		leaves := slices.IndexFunc(specs[:i], func(s plug.Spec) bool { return ownPrograms(s) || s.Use == "sandbox" })
		if leaves >= 0 && (ownPrograms(s) || s.Use == "worktree" || s.Use == "local") {
			bad = append(bad, Finding{What: what, Text: fmt.Sprintf(
				"%s works on this machine: put it before plug %q (%s)", s.Use, specs[leaves].ID, specs[leaves].Use)})
		}
	}
	return bad
}
