// Package acp speaks the Agent Client Protocol (version 1) from the client's
// side: it starts conversations with a coding agent over the agent's stdin and
// stdout, sends prompts, and hands everything the agent says to a Handler, in
// the order of the wire and without losing a line. Package run calls it. It
// starts no process, keeps no record, decides no permission and knows nothing
// of plugs or Blaise.
//
// # The peer
//
// A Client has three goroutines, all owned by Run:
//
//	stdout -> reader -> (256 KiB of lines, blocks when full) -> dispatcher -> Handler
//	stdin  <- writer <- (cancels first, then calls and answers)
//
// The reader hands over what is there, one line or hundreds, so that a flood costs
// one hand-over for 64 KiB and a single line does not wait. The dispatcher handles
// one line at a time. An update is handled to its end,
// a request is started in a goroutine of its own, a response completes its
// call; all in wire order. So a call returns only after every line before its
// response was handled, and a permission request starts only after every
// update before it was handled. A slow handler blocks the reader, the pipe
// fills and the agent waits: nothing is dropped. At the end of stdout the queue
// is finished first; only then do the calls still open fail, with a DiedError.
//
// A Handler must not wait, inside Update, for an answer of the same agent.
//
// # A turn
//
//	idle --Prompt--> prompting --response--> idle
//	                 prompting --Cancel----> cancelling --response--> idle
//
// One prompt at a time per session (real agents answer a second one late,
// empty or never). Cancel while idle sends nothing, because an agent may keep
// it for the next turn. After Cancel every permission request of the session
// is answered "cancelled", those that arrive until the turn ends included, and
// the outcome is cancelled whatever stop reason or error the agent reports.
//
// # What is decoded
//
// One walk over a line checks it as encoding/json would, and finds its envelope,
// the session and the kind of an update; the rest is decoded when asked for.
// Raw JSON is kept verbatim and typed views are derived from it field by field:
// a capability may be a bool or an object, a number an integer or a float, a
// kind unknown. An odd field is skipped; it never costs the message around it.
package acp
