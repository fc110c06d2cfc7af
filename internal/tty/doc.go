// Package tty makes what people read on a terminal: text that fits its width, in
// colours where they are wanted, Markdown painted, and a transcript told as a
// story. Whatever agents and repositories wrote comes out harmless: no control
// character and no escape sequence of theirs reaches the terminal. It writes
// nothing itself.
package tty
