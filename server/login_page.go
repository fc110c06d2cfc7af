package server

import (
	"html/template"
	"maps"
	"net/http"
	"net/url"
)

// loginFailed asks a browser to sign in, and says why it is not.
func (s *Server) loginFailed(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(r.Context(), s.log, err)
	maps.Copy(w.Header(), p.GetHeaders())
	v := loginView{Error: p.Detail, Quiet: p.Status == http.StatusUnauthorized}
	if r.Method == http.MethodGet && v.Quiet {
		v.Next = r.URL.RequestURI()
	}
	s.loginAnswer(w, p.Status, v)
}

type loginView struct {
	In       string // signed in: the page to go on to
	Go       string // where the link goes on, for a person to follow
	Next     string // where to go on to after signing in
	Provider string // what people call it, "" for none
	Begin    string // where signing in with it begins
	Quiet    bool   // being signed out is no error
	Error    string
}

func (s *Server) loginAnswer(w http.ResponseWriter, status int, v loginView) {
	if s.o.Provider != nil {
		v.Provider = s.o.Provider.Label()
		v.Begin = s.at("/login/provider?next=" + url.QueryEscape(v.Next))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = loginTemplate.Execute(w, v) // who asked is gone: nobody to tell
}

var loginTemplate = template.Must(template.New("login").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
{{if .In}}<meta http-equiv="refresh" content="0; url={{.In}}">{{end}}
<title>Sign in · Blaise</title><link rel="stylesheet" href="/static/blaise.css"></head>
<body class="door"><main class="card">
<h1>Blaise</h1>
{{if .In}}<p>You are signed in. <a href="{{.In}}">Go on to Blaise</a>.</p>
{{else if .Go}}<p>Another page sent you here with a sign-in link. It signs this browser in as whom it
was made for.</p><p><a class="button primary" href="{{.Go}}">Sign in with it</a></p>
{{else}}{{if and .Error (not .Quiet)}}<p class="error" role="alert">{{.Error}}</p>{{end}}
{{with .Provider}}<p><a class="button primary" href="{{$.Begin}}">Sign in with {{.}}</a></p>{{end}}
<p>Sign in with a link: it is printed when Blaise starts, and <code>blaise open</code>
makes a new one. Each works once.</p>{{end}}
</main></body></html>
`))
