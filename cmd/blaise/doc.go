// Command blaise is Blaise: the control plane (serve), the whole system in one
// process to try it (dev), and the command line of people and scripts.
//
// There is one file per subcommand. Each asks package api and prints; app.go
// holds what they share, exit.go what an error becomes, root.go the tree.
//
// Three commands are not for people and are taken before the tree is built, so
// that they start fast: shim, demo-agent and runner run.
package main
