package main

import (
	"net/http"

	"blaise.dev/blaise/dashboard"
	"blaise.dev/blaise/server"
)

// dashboard is the HTML face of the control plane.
func (p *plane) dashboard(views *server.Views) http.Handler {
	return dashboard.New(dashboard.Options{
		Control: p.control, Views: views, User: server.UserOf, Log: p.log, URL: p.url,
		Version: programVersion(),
	})
}
