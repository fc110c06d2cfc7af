package transcript

import (
	"context"
	"encoding/json"
	"log/slog"
)

// An Entry is one line of the outbox.
type Entry struct {
	N    int64           `json:"n"`
	Kind EntryKind       `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// An EntryKind says what an entry carries.
type EntryKind string

// The kinds of entry.
const (
	EntryEvent  EntryKind = "event"
	EntryReport EntryKind = "report"
)

// SpoolOptions are the limits of a spool.
type SpoolOptions struct {
	Limit   int64
	Reserve int64
	Log     *slog.Logger
}

// A Spool is an outbox on disk.
type Spool struct{}

func OpenSpool(dir string, o SpoolOptions) (*Spool, error)                       { panic("soon") }
func (s *Spool) Append(kind EntryKind, data []byte, durable bool) (int64, error) { panic("soon") }
func (s *Spool) Sync() error                                                     { panic("soon") }
func (s *Spool) Read(from int64, maxEntries int, maxBytes int) ([]Entry, error)  { panic("soon") }
func (s *Spool) Wait(ctx context.Context, after int64) error                     { panic("soon") }
func (s *Spool) Acked() int64                                                    { panic("soon") }
func (s *Spool) Ack(n int64) error                                               { panic("soon") }
func (s *Spool) Last() int64                                                     { panic("soon") }
func (s *Spool) Empty() bool                                                     { panic("soon") }
func (s *Spool) Digest() (count int64, sum string)                               { panic("soon") }
func (s *Spool) Stop(cause error)                                                { panic("soon") }
func (s *Spool) Close() error                                                    { panic("soon") }
