package run

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// hear takes what Blaise says. Put and Void know what was there before.
func (r *run) hear(d api.Directives) {
	for _, one := range d.Directives {
		r.heard.Store(max(r.heard.Load(), one.N))
		r.inbox.Put(one)
	}
	for _, n := range d.Void {
		r.inbox.Void(n)
		r.prompts.Void(n)
	}
}

// catchUp polls once if a heartbeat tells of a directive that the stream has
// not brought: a proxy may hold it back.
func (r *run) catchUp(ctx context.Context, last int64) {
	if last <= r.heard.Load() {
		return
	}
	if d, err := r.client.Directives(ctx, r.heard.Load(), 0); err == nil {
		r.hear(d)
	}
}

// obeyAll obeys directives for the whole life of the run: a stop is heard while
// plugs open, save and pause. Each is obeyed beside the others, because the
// receipt of one may wait for Blaise.
func (r *run) obeyAll(ctx context.Context) {
	for {
		d, err := r.inbox.Next(ctx)
		if err != nil {
			return
		}
		if d.Kind == blaise.DirectivePrompt || d.Kind == blaise.DirectiveSet {
			r.prompts.Put(d) // received when its turn comes
			continue
		}
		r.beside.Go(func() { r.obey(ctx, d) })
	}
}

func (r *run) obey(ctx context.Context, d blaise.Directive) {
	if !r.receive(ctx, d) {
		return
	}
	switch d.Kind {
	case blaise.DirectiveStop:
		r.log.Info("stop received", "reason", d.Stop.Reason, "mayResume", d.Stop.MayResume)
		r.stopWork(Stopped{Stop: *d.Stop})
	case blaise.DirectiveCancel:
		r.turn.ask(d)
	case blaise.DirectiveAnswer:
		r.asked.answer(d)
	case blaise.DirectiveDiff:
		r.looks.asked(ctx)
	case blaise.DirectiveShell:
		r.shells.serve(ctx, d.Key)
	default:
		r.log.Warn("directive is unsupported", "kind", d.Kind, "n", d.N)
	}
}

// receive confirms a directive and says whether it binds: until then it can be
// taken back (A7). It tries until there is an answer.
func (r *run) receive(ctx context.Context, d blaise.Directive) bool {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		got, err := r.client.Received(ctx, d.N)
		switch code := blaise.CodeOf(err); {
		case err == nil && got.Verdict != blaise.VerdictVoid:
			return true
		case err == nil, code == blaise.CodeRefused, code == blaise.CodeNotFound:
			r.inbox.Void(d.N)
			return false
		case code == blaise.CodeStale:
			r.fenceOff()
			return false
		}
		if sleep(ctx, wait) != nil {
			return false
		}
	}
}
