package main

import (
	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/meter"
	"blaise.dev/blaise/internal/trace"
)

// A witness has what happens measured and traced.
type witness struct {
	*meter.Meter
	tracer *trace.Tracer
}

var _ control.Observer = witness{}

// Decided tells both.
func (w witness) Decided(p blaise.Plan) {
	w.Meter.Decided(p)
	w.tracer.Decided(p)
}
