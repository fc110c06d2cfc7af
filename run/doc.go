// Package run is one run of one session, from its first plug to its last word
// (A1). The daemon starts a process for it; [Do] is all that the process does.
//
// A run reads blaise.yml, opens the plugs, starts the agent inside them, takes
// up or begins the conversation, tells Blaise that it is open, and obeys
// directives until something ends it. Why it ends is the cause of its work
// context, and what follows stands in one switch, in ending.go:
//
//	Stopped{MayResume}                save, pause; the answer decides
//	Stopped{end}, Interrupted, failed save, pause, destroy
//	LostContact, Left                 save, pause; the report waits in the spool
//	Fenced                            kill the own tree, touch no layer, say nothing
//
// Two contexts live in it. The life of the run carries everything that has to
// go on while it ends (heartbeats, directives, shipping) and ends early only at
// the fence. The work is a child of it: opening, the agent, the turns.
//
// Everything the run says goes through its spool, redacted; nothing it is told
// is obeyed before Blaise has accepted the receipt. It decides nothing that the
// agent's policy settles, and holds no token but its lease's.
package run
