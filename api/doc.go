// Package api is the HTTP contract between Blaise and everything outside it,
// and the client of it: what runners and runs say to Blaise (runner.go,
// run.go), what people and scripts do (session.go, agent.go), and the streams
// of both (stream.go). docs/protocol.md describes it for those who write
// another runner.
//
// Package server answers it; packages daemon and run and the commands call it.
// It decides nothing. Durations are Go duration strings on the user's side and
// nanoseconds on the runner's; times are RFC 3339 in UTC.
package api
