// Package blaise holds the words of the domain (session, environment, run,
// message, question, policy, clock) and the rules between their states.
//
// Everything else imports it; it imports the standard library alone. It is
// pure: no I/O, no clock of its own, no goroutine. What an event means for a
// session, its environment, its runs, messages, questions and clocks together
// is one function, [Decide], over the tables in environment_state.go; package
// control loads a [Snapshot], asks Decide, and writes the [Plan] down.
//
// The numbers in comments (A7, X2) are those of the requirements in
// docs/requirements.md.
package blaise
