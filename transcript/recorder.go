package transcript

import "time"

// A Recorder numbers events and writes them to a spool.
type Recorder struct{}

func NewRecorder(s *Spool, run string, now func() time.Time) *Recorder { panic("soon") }
func (r *Recorder) Append(e Event) error                               { panic("soon") }
func (r *Recorder) SetTurn(id string)                                  { panic("soon") }
