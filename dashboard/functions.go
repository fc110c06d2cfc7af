package dashboard

import (
	"fmt"
	"html/template"
	"path/filepath"
	"strings"
	"time"

	"blaise.dev/blaise"
)

// functions are what the templates may call.
func (d *dashboard) functions() template.FuncMap {
	return template.FuncMap{
		"when":    when,
		"exactly": exactly,
		"size":    blaise.Size,
		"ago":     func(t time.Time) string { return ago(d.o.Now().Sub(t)) },
		"words":   func(s any) string { return strings.ReplaceAll(fmt.Sprint(s), "_", " ") },
		"subject": func(s string) string { return strings.Replace(s, ":", " ", 1) },
		"json":    indented,
		"class":   class,
		"count":   blaise.Count,
		"form":    formOf,
		"first":   firstOf,
		"clock":   clockWords,
		"plain":   func(s any) string { return cutTo(plain(fmt.Sprint(s)), lineMost) },
		"base":    func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".git") },
		"short":   func(s any) string { return shortID(fmt.Sprint(s)) },
		"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// when is a time for machines and people at once; the script puts it into the
// reader's own zone.
func when(t any) template.HTML {
	var at time.Time
	switch v := t.(type) {
	case time.Time:
		at = v
	case *time.Time:
		if v != nil {
			at = *v
		}
	}
	if at.IsZero() {
		return "–"
	}
	at = at.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, //nolint:gosec // digits alone
		at.Format(time.RFC3339), at.Format("2006-01-02 15:04 UTC")))
}

// exactly is a moment to the second.
func exactly(t time.Time) template.HTML {
	t = t.UTC()
	return template.HTML(fmt.Sprintf(`<time data-exact datetime="%s">%s</time>`, //nolint:gosec // digits alone
		t.Format(time.RFC3339), t.Format("2006-01-02 15:04:05 UTC")))
}

func ago(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// clockWords says how far the clock of a machine is off, in seconds.
func clockWords(ahead float64) string {
	off := time.Duration(ahead * float64(time.Second))
	switch {
	case off.Abs() < time.Second:
		return "right"
	case off > 0:
		return off.Round(time.Second).String() + " ahead"
	}
	return (-off).Round(time.Second).String() + " behind"
}

// shortID is the end of a long id, where those of one kind differ.
func shortID(id string) string {
	if len(id) > 16 {
		return "…" + id[len(id)-8:]
	}
	return id
}

// class is a state as a class of the stylesheet. What agents send is not
// trusted to be one.
func class(state any) string {
	s := fmt.Sprint(state)
	for _, known := range []string{
		"pending", "in_progress", "completed", "failed", "answered", "cancelled", "interrupted",
	} {
		if s == known {
			return s
		}
	}
	return ""
}
