package dashboard

import "blaise.dev/blaise/control"

// Routes are the patterns of the pages, and what a user needs to be.
func Routes() map[string]control.Role {
	all := map[string]control.Role{}
	for _, r := range (&dashboard{}).table() {
		all[r.pattern] = r.needs
	}
	return all
}
