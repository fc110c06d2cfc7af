// Package service makes Blaise or a runner a service of systemd: it writes the
// unit, has systemd start it, and takes it away again. The commands `blaise
// service` and `runner service` call it; it knows neither program.
package service

import (
	"fmt"
	"strings"

	"blaise.dev/blaise"
)

// A Unit is a program as a service.
type Unit struct {
	Name  string // without .service
	About string
	Start []string // the program, by its whole path, and its arguments
	Stop  []string // asks it to go; nil: by a signal
	After []string // units that start before it, where they are, and stop after it
	Env   []string // as NAME=value
	// Settings are lines of the section Service beside these, as `Name=value`.
	Settings []string
}

// Text is the unit file. Of is the command that makes it again.
func (u Unit) Text(system bool, of string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by `%s`.\n[Unit]\nDescription=%s\n", of, u.About)
	target := "default.target"
	if system {
		target = "multi-user.target"
		b.WriteString("Wants=network-online.target\n")
		u.After = append([]string{"network-online.target"}, u.After...)
	}
	if u.After != nil {
		fmt.Fprintf(&b, "After=%s\n", strings.Join(u.After, " "))
	}
	b.WriteString("\n[Service]\nType=notify\n")
	fmt.Fprintf(&b, "ExecStart=%s\n", line(u.Start))
	if u.Stop != nil {
		fmt.Fprintf(&b, "ExecStop=%s\n", line(u.Stop))
	}
	for _, e := range u.Env {
		fmt.Fprintf(&b, "Environment=%s\n", word(e))
	}
	for _, s := range u.Settings {
		b.WriteString(s + "\n")
	}
	fmt.Fprintf(&b, "\n[Install]\nWantedBy=%s\n", target)
	return b.String()
}

// line is a command as systemd reads it: nothing of it is expanded.
func line(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = word(strings.ReplaceAll(w, "$", "$$")) // which stands for itself elsewhere
	}
	return strings.Join(quoted, " ")
}

// Path is a setting that names one path, which systemd takes as it is: neither
// space nor % is anything else. One that systemd would read another setting in,
// or join to the next, is refused.
func Path(name, path string) (string, error) {
	if strings.ContainsAny(path, "\n\r") || strings.HasSuffix(path, `\`) {
		return "", blaise.Errorf(blaise.CodeInvalid, "the path %q cannot stand in a unit of systemd", path).
			WithHint("name a directory without a line break in its path, nor a backslash at its end")
	}
	if name == "WorkingDirectory" { // the only one that systemd reads whole, quotes and all
		return name + "=" + strings.ReplaceAll(path, "%", "%%"), nil
	}
	return name + "=" + word(path), nil
}

// word is one word of a setting, in quotes where it needs them.
func word(w string) string {
	w = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, "\n", `\n`, "\r", `\r`).Replace(w)
	if w == "" || strings.ContainsAny(w, " \t'\"\\;") {
		return `"` + w + `"`
	}
	return w
}
