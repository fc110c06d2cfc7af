package dashboard

import (
	"net/http"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// Changes is what a session changed since it began.
type Changes struct {
	From  string // the worktree as it is, or the ref of the save
	Files []ChangedFile
	Patch string // as git prints it
}

// A ChangedFile is one file of Changes; Added and Deleted are -1 for a binary
// one.
type ChangedFile struct {
	Path           string
	Added, Deleted int
	Lines          []diffLine // filled in from the patch
}

// A changesPage shows what a session changed, or says where to look.
type changesPage struct {
	panel
	Changes *Changes // nil: it cannot be seen from here
	Why     string
}

func (d *dashboard) changes(w http.ResponseWriter, r *http.Request) {
	id, err := d.views.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	p := changesPage{}
	if p.panel, err = d.panelOf(r.Context(), id); err != nil {
		d.fail(w, r, err)
		return
	}
	if p.Changes, err = d.changesOf(r, p.S); err != nil {
		p.Why = d.failureOf(r, err).Message
	}
	d.show(w, r, http.StatusOK, "changes", page{Title: "Changes · " + p.title(), Nav: "sessions", Body: p})
}

func (d *dashboard) changesOf(r *http.Request, s api.Session) (*Changes, error) {
	if d.o.Changes == nil {
		return nil, blaise.Errorf(blaise.CodeRefused, "The files are where the session's runner is, and not with Blaise.")
	}
	c, err := d.o.Changes(r.Context(), s)
	if err != nil {
		return nil, err
	}
	parts := patches(c.Patch)
	for i := range c.Files { // git names the files of both in one order
		if i < len(parts) {
			c.Files[i].Lines = parts[i]
		}
	}
	return &c, nil
}

// patches are the lines of a patch by file: what git says before the first of
// them is left out, as the page names the file.
func patches(patch string) (files [][]diffLine) {
	header := false
	for _, line := range lines(patch) {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			files, header = append(files, nil), true
			continue
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "Binary "), strings.HasPrefix(line, "GIT binary"):
			header = false
		}
		if header || len(files) == 0 {
			continue
		}
		last := &files[len(files)-1]
		switch {
		case len(*last) > diffMost:
		case len(*last) == diffMost:
			*last = append(*last, diffLine{Sign: "…", Text: "the rest is not shown"})
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, "-"):
			*last = append(*last, diffLine{Sign: line[:1], Text: cutTo(plain(line[1:]), lineMost)})
		default:
			*last = append(*last, diffLine{Text: cutTo(plain(line), lineMost)})
		}
	}
	return files
}
