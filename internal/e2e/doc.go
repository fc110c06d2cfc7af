// Package e2e runs the scripts of testdata against the built programs: what a
// user sees is tested as a user would see it. It has no code of its own.
package e2e
