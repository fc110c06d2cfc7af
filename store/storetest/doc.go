// Package storetest is the conformance suite of package store: the same tests
// on SQLite and on PostgreSQL, and a PostgreSQL to run them on.
package storetest
