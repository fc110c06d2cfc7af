package run

import (
	"cmp"

	"blaise.dev/blaise/internal/trace"
)

// part begins a part of the run for its trace; parent "" is its process. The
// function that it returns ends it.
func (r *run) part(name, id, parent string, attrs map[string]string) (ended func(error)) {
	run := r.lease.Run
	end := r.deps.Tracer.Begin(trace.Span{
		Run: run, Name: name, ID: id, Parent: cmp.Or(parent, trace.ProcessSpan(run)), Attrs: attrs,
	})
	return func(err error) {
		if err == nil {
			end("")
			return
		}
		end(r.secrets.String(err.Error()))
	}
}

// whole is the part that the process of the run is.
func (r *run) whole() (ended func(error)) {
	run := r.lease.Run
	return r.part("process", trace.ProcessSpan(run), trace.RunSpan(run),
		map[string]string{"kind": string(r.lease.Kind), "version": r.spec.Version})
}

// layer is a part of the work of a plug.
func (r *run) layer(verb, plug, use string) (ended func(error)) {
	return r.part(verb+" plug "+plug, "", "", map[string]string{"plug": plug, "use": use})
}

// prompted is a prompt and its answer; the agent gets its place in the trace.
func (r *run) prompted(turn int) (meta map[string]string, ended func(error)) {
	run := r.lease.Run
	id := trace.AgentSpan(run, turn)
	if r.deps.Tracer != nil {
		meta = map[string]string{"traceparent": trace.Parent(run, id)}
	}
	return meta, r.part("prompt", id, trace.TurnSpan(run, turn), nil)
}
