// Package demoagent is a coding agent without a model that speaks the Agent
// Client Protocol over stdio: `blaise demo-agent` runs it, to try Blaise
// without an account and to test it with a real process. It does what a message
// says, keeps its conversations on disk, asks before it writes or runs, and can
// misbehave in the ways real agents do. It knows nothing of Blaise and imports
// only the standard library.
//
// A message is one command; its first word says which, with or without a slash:
//
//	hello               greets, and tells how many messages it remembers
//	recall              lists all earlier messages; also: what did I say
//	count               tells the number of turns so far
//	echo TEXT           says TEXT
//	write NAME TEXT     writes a file in the working directory; asks
//	append NAME TEXT    adds a line to it; asks
//	read NAME           says what is in it
//	run CMD...          runs a shell command, streams its output; asks
//	ask QUESTION        asks a question and says the answer
//	fsread NAME         has the client read a file, and says what is in it
//	fswrite NAME TEXT   has the client write a file
//	term CMD...         runs a shell command in a terminal of the client
//	elicit QUESTION     asks for a name, a number and a colour; or to visit https://
//	attachments         says what came with the message beside its text
//	mode [MODE]         changes the mode on its own, says which it is
//	model [MODEL]       changes the model on its own, says which it is
//	odd                 asks what no client knows, and for a session that nobody began
//	take-back QUESTION  asks a question and takes it back
//	plan                shows a plan, whose entries get done
//	think TEXT          thinks TEXT
//	usage               reports tokens and cost
//	secret NAME         says the value of an environment variable
//	sleep SECONDS       waits; can be cancelled
//	burst N [SIZE]      says N chunks of SIZE bytes, numbered
//	flood N             says N chunks of 10 KB
//	stderr TEXT         prints TEXT on stderr
//	junk                prints lines that are no JSON on stdout, then answers
//	refuse              ends the turn with the stop reason refusal
//	forget              makes every later session/load of this conversation fail
//	spawn               starts sleep 1000 in a session of its own, says its pid
//	ignore-term         from now on ignores SIGTERM and the end of stdin
//	crash               exits with 3 in the middle of the turn, after one chunk
//	die                 kills itself with SIGKILL
//	exit-after          answers, then exits
//	help                lists all this
//
// Any other text gets a friendly answer that repeats it.
//
// Three options are offered where it asks: allow_once, allow_always (for this
// kind, in this session, until the process ends) and reject_once. In the mode
// auto it does not ask.
//
// A conversation is a file of JSON lines, NAME.jsonl in Options.Home. A message
// is on disk before its turn begins, the answer when the turn ends: killed in
// between, the agent remembers the message and not the answer, as most do. Of a
// long answer the first 64 KB are kept.
package demoagent
