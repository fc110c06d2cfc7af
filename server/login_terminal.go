package server

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// checks are what a terminal shows, for a person to compare with the page.
var checks = regexp.MustCompile(`^[A-Z2-7]{4}-[A-Z2-7]{4}$`)

// A terminalView is a terminal that asks to be signed in.
type terminalView struct {
	Name, Role string // of whom it would act as
	Check      string
	Port       int    // where it waits on the browser's machine, 0 if it does not
	Link       string // signs it in; "" before the person has said so
	To         string // where the browser takes the link
}

// terminalPage asks whether a terminal is to be signed in as who is.
func (s *Server) terminalPage(w http.ResponseWriter, r *http.Request) {
	s.terminal(w, r, func(*terminalView) error { return nil })
}

// terminalSignIn makes a link for a terminal, which the browser takes to it.
func (s *Server) terminalSignIn(w http.ResponseWriter, r *http.Request) {
	s.terminal(w, r, func(v *terminalView) error {
		code, err := s.control.NewLoginCode(r.Context(), callerOf(r.Context()).user)
		v.Link = LoginURL(s.o.URL, code)
		if v.Port > 0 {
			v.To = fmt.Sprintf("http://127.0.0.1:%d/?%s", v.Port, url.Values{"code": {code}, "check": {v.Check}}.Encode())
		}
		return err
	})
}

func (s *Server) terminal(w http.ResponseWriter, r *http.Request, do func(*terminalView) error) {
	u := callerOf(r.Context()).user
	v := terminalView{Name: u.Name, Role: string(u.Role), Check: r.FormValue("check")}
	port, err := strconv.ParseUint(cmp.Or(r.FormValue("port"), "0"), 10, 16)
	if v.Port = int(port); err != nil || !checks.MatchString(v.Check) {
		s.loginAnswer(w, http.StatusBadRequest, loginView{Error: "This is not the address that a terminal has printed: begin with blaise login."})
		return
	}
	if err := do(&v); err != nil {
		s.loginFailed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = terminalTemplate.Execute(w, v) // who asked is gone: nobody to tell
}

var terminalTemplate = template.Must(template.New("terminal").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
{{if .To}}<meta http-equiv="refresh" content="0; url={{.To}}">{{end}}
<title>Sign a terminal in · Blaise</title><link rel="stylesheet" href="/static/blaise.css"></head>
<body class="door"><main class="card">
<h1>Blaise</h1>
{{if .Link}}<p>{{if .To}}Your terminal is signed in as soon as <a href="{{.To}}">this</a> reaches it. If it does not,
paste{{else}}Paste{{end}} this into it; it works once, within 15 minutes:</p><pre class="copy">{{.Link}}</pre>
{{else}}<p>A terminal asks to be signed in as <strong><bdi>{{.Name}}</bdi></strong> ({{.Role}}). It shows</p>
<pre class="copy">{{.Check}}</pre><p>Go on only if yours does: whoever has it can do what you can.</p>
<form method="post" action="/login/terminal"><input type="hidden" name="check" value="{{.Check}}">
<input type="hidden" name="port" value="{{.Port}}"><button class="primary">Sign it in</button></form>{{end}}
</main></body></html>
`))
