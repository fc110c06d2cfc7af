package transcript

import (
	"io"
	"iter"
)

func Read(r io.Reader) iter.Seq2[Event, error] { panic("soon") }
func Line(e Event) string                      { panic("soon") }
