package transcript

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// A Sender takes entries to their receiver.
type Sender interface {
	Send(ctx context.Context, entries []Entry) (Receipt, error)
}

// A Receipt is what the receiver answers.
type Receipt struct {
	Acked   int64                     `json:"acked"`
	Answers map[int64]json.RawMessage `json:"answers,omitempty"`
}

// ShipperOptions are the settings of a shipper.
type ShipperOptions struct {
	Flush      time.Duration
	MaxEntries int
	MaxBytes   int
	BackoffMin time.Duration
	BackoffMax time.Duration
	Now        func() time.Time
	Log        *slog.Logger
}

// A Shipper takes a spool to its receiver.
type Shipper struct{}

func NewShipper(s *Spool, to Sender, o ShipperOptions) *Shipper                      { panic("soon") }
func (sh *Shipper) Run(ctx context.Context) error                                    { panic("soon") }
func (sh *Shipper) Report(ctx context.Context, data []byte) (json.RawMessage, error) { panic("soon") }
func (sh *Shipper) Drain(ctx context.Context) error                                  { panic("soon") }
func (sh *Shipper) LastAck() time.Time                                               { panic("soon") }
