package main

import (
	"net/http"

	"blaise.dev/blaise/control"
	"blaise.dev/blaise/server"
)

// dashboardOf is the HTML face of a control plane.
func dashboardOf(*control.Control, *server.Views) http.Handler { return nil }
