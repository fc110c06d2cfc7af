package dashboard

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"blaise.dev/blaise"
)

const (
	filesMost = 300 // files shown
	// lookWait is how long the page waits for the run's answer before it shows
	// what was known; it then asks again by itself until lookGiveUp.
	lookWait   = 700 * time.Millisecond
	lookAgain  = 2 // seconds
	lookGiveUp = time.Minute
)

// A changedFile is one file of a session's changes.
type changedFile struct {
	blaise.FileChange
	Lines []diffLine
}

// A changesPage shows what a session changed, or says where to look.
type changesPage struct {
	panel
	Diff   *blaise.Diff // nil: no run has told
	Files  []changedFile
	More   int    // files that are not shown
	Asked  bool   // the run is looking
	Silent bool   // it was asked, and has not told in time
	Since  string // when it was asked, for the page that comes next
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
	var asked time.Time
	if ms := number(r.URL.Query().Get("asked")); ms > 0 {
		asked = time.UnixMilli(ms)
	}
	now := d.o.Now()
	look, err := d.control.Diff(r.Context(), d.o.User(r).Name, id, asked, lookWait)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if asked.IsZero() {
		asked = now
	}
	p.Asked, p.Since = look.Asked, strconv.FormatInt(asked.UnixMilli(), 10)
	if p.Asked && now.Sub(asked) > lookGiveUp {
		p.Asked, p.Silent = false, true
	}
	if look.Known {
		p.fill(look.Diff)
	}
	if p.Asked {
		w.Header().Set("Refresh", strconv.Itoa(lookAgain)+"; url=?asked="+p.Since)
	}
	d.show(w, r, http.StatusOK, "changes", page{Title: "Changes · " + p.title(), Nav: "sessions", Body: p})
}

func (p *changesPage) fill(d blaise.Diff) {
	p.Diff = &d
	parts := patches(d.Patch)
	for i, f := range d.Files { // git names the files of both in one order, each once
		if i == filesMost {
			p.More = len(d.Files) - i
			return
		}
		file := changedFile{FileChange: f}
		if i < len(parts) {
			file.Lines = parts[i]
		}
		p.Files = append(p.Files, file)
	}
}

// patches are the lines of a patch by file: what git says before the first of
// them is left out, as the page names the file. One that became another kind, as
// a link, has two parts: what it was is deleted, and what it is is new.
func patches(patch string) (files [][]diffLine) {
	header, of := false, ""
	for _, line := range lines(patch) {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			if header = true; line != of {
				files, of = append(files, nil), line
			}
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
