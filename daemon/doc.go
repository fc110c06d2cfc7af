// Package daemon takes runs from Blaise and starts a process for each (A1); it
// adopts them after a restart (X3), ships the spool of the dead, and says of a
// run what the run cannot say itself: that its process could not be started
// (A25), or that it and all it started are gone (X2).
//
// It holds the runner token; a run holds only its own lease. cmd/runner and
// cmd/blaise (dev) call it. It opens no plug, starts no agent, decides nothing.
//
// # The order of birth
//
// Every step is on disk before the next, so that a daemon killed between any
// two leaves nothing that the next one cannot finish:
//
//	row with nonce -> accept -> row with lease and spec -> the child holds run.lock
//	and waits on stdin -> row with pid, start time, boot id -> spec on stdin
//
// At boot, for each row: no lease: accept again with the same nonce. Lock held:
// adopt. Lock free: it never started, or is dead, and that is said.
//
// # A state directory
//
//	daemon.lock        held by the daemon; daemon.json says its pid and socket
//	instance           the instance's id, outlives restarts
//	machine            the machine's, where it has none of its own
//	bin/DIGEST/NAME    the program that daemon, children and shims run from
//	runs/RUN/          row.json, run.lock, spool/, stdout, stderr, done
//	environments/      what plugs keep beside their layers
//	mirrors/           repositories that are fetched by URL, for all environments
//	probes/            what `runner probe` found out about agents
//
// It belongs to one machine.
package daemon
