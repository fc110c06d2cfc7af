// Package engine is the Docker Engine API as the container plugs use it, and
// the one place that knows the client of it. Podman's socket serves, too. It
// knows nothing of sessions: it makes what it is told to, with the labels it is
// given.
package engine
