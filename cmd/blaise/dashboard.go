package main

import (
	"log/slog"
	"net/http"

	"blaise.dev/blaise/control"
	"blaise.dev/blaise/dashboard"
	"blaise.dev/blaise/server"
)

// dashboardOf is the HTML face of a control plane.
func dashboardOf(c *control.Control, views *server.Views, log *slog.Logger) http.Handler {
	return dashboard.New(dashboard.Options{
		Control: c, Views: views, User: server.UserOf, Log: log, Version: programVersion(),
	})
}
