// Package transcript is the record of a session, in order and once: its
// events, the recorder that numbers them, the spool (an outbox on disk) that a
// run writes before anything leaves the process, and the shipper that takes
// the spool to Blaise.
//
// Package run records and ships; package daemon ships what a dead run left;
// package store keeps; package control and the faces read. It knows no HTTP
// and never drops an event: where there is no space, the writer waits.
package transcript
