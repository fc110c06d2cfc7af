package server

import "blaise.dev/blaise/control"

// A Bare is a route beside the API, as tests see it.
type Bare struct {
	Pattern, Kind string
	Role          control.Role
}

// BareRoutes are the routes beside the API.
func BareRoutes() []Bare {
	var all []Bare
	for _, b := range (&Server{}).bareRoutes() {
		all = append(all, Bare{b.pattern, string(b.kind), b.user})
	}
	return all
}
