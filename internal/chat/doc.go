// Package chat is a live conversation with a session on a terminal: what was said
// and done scrolls by and stays in the terminal's own history; below it stand
// what is under way, what is asked, what waits its turn, and a line to write on.
// The same without that line is how a session is watched.
//
// One goroutine, bubbletea's, owns the model; a feed sends it what happens.
package chat
