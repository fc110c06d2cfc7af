// Package house holds the rules of the codebase as tests: who may import whom,
// how long files and functions may be, that every package says what it is for.
// It has no code of its own; docs/architecture.md says why the rules are as
// they are.
package house
