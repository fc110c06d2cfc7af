// Package control decides: who runs what, what a message does, what a clock
// does, what a report means. Packages server and dashboard are its faces and
// cmd/blaise runs it.
//
// Every decision goes one way: load the session's snapshot under its lock, ask
// blaise.Decide, write the plan, commit, wake whoever waits. A wake-up is a
// hint: who is woken reads rows. Control knows no HTTP (package webhook does what
// webhooks need of it). What it keeps in memory (heartbeats, who waits, what was offered
// of late) a restart may lose: no run is lost for a beat that Blaise could not hear.
package control
