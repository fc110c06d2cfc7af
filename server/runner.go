package server

import (
	"context"
	"net/http"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// maxWait bounds what a poll may ask to wait: proxies give up after 30 s.
const maxWait = 25 * time.Second

// waiting reads the wait of a poll.
func waiting(wait string) (time.Duration, error) {
	if wait == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(wait)
	if err != nil || d < 0 {
		return 0, blaise.Errorf(blaise.CodeInvalid, "wait is %q, no duration", wait).WithHint("write wait=25s")
	}
	return min(d, maxWait), nil
}

func (s *Server) runnerRoutes() {
	handle(s, route{
		id: "hello", method: http.MethodPost, path: "/api/runner/hello", kind: kindRunner, loose: true,
		says: "An instance says what it is",
	}, s.hello)
	handle(s, route{
		id: "offers", method: http.MethodGet, path: "/api/runner/offers", kind: kindRunner,
		says: "Runs that the instance may accept; waits for the first",
	}, s.offers)
	handle(s, route{
		id: "accept", method: http.MethodPost, path: "/api/runner/runs/{run}/accept", kind: kindRunner, loose: true,
		says: "Take an offered run, and get its lease",
	}, s.accept)
	handle(s, route{
		id: "drain", method: http.MethodPost, path: "/api/runner/drain", kind: kindRunner, loose: true,
		says: "Take the instance out of service: stop its runs so that they can be resumed",
	}, s.drain)
	act(s, route{
		id: "goodbye", method: http.MethodPost, path: "/api/runner/goodbye", kind: kindRunner, loose: true,
		says: "An instance says that it has stopped, and that no run of it lives",
	}, s.goodbye)
	act(s, route{
		id: "spawn-failed", method: http.MethodPost, path: "/api/runner/runs/{run}/spawn-failed",
		kind: kindRunner, loose: true, says: "The process of an accepted run could not be started",
	}, s.spawnFailed)
	act(s, route{
		id: "dead", method: http.MethodPost, path: "/api/runner/runs/{run}/dead", kind: kindRunner, loose: true,
		says: "A run and all it started are gone, proved by its own instance",
	}, s.dead)
}

func (s *Server) hello(ctx context.Context, in *struct{ Body api.Hello }) (api.Welcome, error) {
	h, r := in.Body, callerOf(ctx).runner
	if h.Instance == "" || h.Boot == "" {
		return api.Welcome{}, blaise.Errorf(blaise.CodeInvalid, "hello: instance and boot are needed")
	}
	if err := s.protocol(h.Protocol, h.Version); err != nil {
		return api.Welcome{}, err
	}
	err := s.control.Hello(ctx, store.Instance{
		ID: h.Instance, Runner: r.ID, Boot: h.Boot, Machine: h.Machine, Host: h.Host, Version: h.Version,
		OS: h.OS, Arch: h.Arch, Slots: h.Slots, Labels: h.Labels, Agents: h.Agents,
		Once: h.Once, PausedWhy: h.Paused, Probed: h.Probed, Ahead: aheadOf(h),
	})
	return api.Welcome{
		Runner: r.ID, Name: r.Name, Time: time.Now().UTC(), Version: s.o.Version, Protocol: api.Protocol,
	}, err
}

func (s *Server) goodbye(ctx context.Context, in *struct{ Body api.Goodbye }) error {
	return s.control.Goodbye(ctx, callerOf(ctx).runner, in.Body.Instance, in.Body.Boot)
}

// aheadOf is how far the clock of an instance is ahead of ours, the way of its
// hello included; zero if it told no time.
func aheadOf(h api.Hello) time.Duration {
	if h.Time.IsZero() {
		return 0
	}
	return time.Until(h.Time).Round(time.Millisecond)
}

type offersIn struct {
	Instance string `query:"instance" required:"true" doc:"the instance that asks, known by its hello"`
	Boot     string `query:"boot" required:"true"`
	Slots    int    `query:"slots" doc:"how many runs it has room for"`
	Wait     string `query:"wait" doc:"a duration such as 25s, the most there is"`
}

func (s *Server) offers(ctx context.Context, in *offersIn) (api.Offers, error) {
	wait, err := waiting(in.Wait)
	if err != nil {
		return api.Offers{}, err
	}
	r := callerOf(ctx).runner
	i, err := s.control.Heard(ctx, r, blaise.InstanceID(in.Instance), in.Boot)
	if err != nil {
		return api.Offers{}, err
	}
	slots, drains := in.Slots, i.Draining && r.Leaving == nil // who leaves has teardowns to do
	if drains {
		slots = 0
	}
	list, err := s.control.Offers(ctx, control.Asker{Runner: r, Instance: i, Slots: slots}, wait)
	out := api.Offers{Offers: []api.Offer{}, Drain: drains}
	for _, o := range list {
		out.Offers = append(out.Offers, api.Offer{Run: o.Run.ID, Session: o.Session, Kind: o.Run.Kind, Agent: o.Agent})
	}
	return out, err
}

type acceptIn struct {
	Run  string `path:"run"`
	Body api.Accept
}

func (s *Server) accept(ctx context.Context, in *acceptIn) (api.Lease, error) {
	r := callerOf(ctx).runner
	id, a := blaise.RunID(in.Run), in.Body
	i, err := s.control.Heard(ctx, r, a.Instance, a.Boot)
	if err != nil {
		return api.Lease{}, err
	}
	if i.Draining && r.Leaving == nil {
		return api.Lease{}, blaise.Errorf(blaise.CodeRefused, "instance %s drains", i.ID)
	}
	l, err := s.control.Accept(ctx, r, id, control.Accept{
		Instance: i.ID, Machine: i.Machine, Boot: a.Boot, Nonce: a.Nonce, Once: i.Once || r.SingleUse,
	})
	if err != nil {
		return api.Lease{}, err
	}
	return leaseOf(id, l)
}

type runEndIn struct {
	Run  string `path:"run"`
	Body api.RunEnd
}

func (s *Server) spawnFailed(ctx context.Context, in *runEndIn) error {
	return s.control.SpawnFailed(ctx, callerOf(ctx).runner, blaise.RunID(in.Run), in.Body.Reason)
}

// dead checks that it is the run's own instance that speaks: another one
// cannot know (X2).
func (s *Server) dead(ctx context.Context, in *runEndIn) error {
	r, id := callerOf(ctx).runner, blaise.RunID(in.Run)
	run, err := s.control.RunOf(ctx, id)
	if err != nil {
		return err
	}
	if run.Runner == r.ID && run.Instance != in.Body.Instance {
		return blaise.Errorf(blaise.CodeDenied,
			"run %s is of instance %s: another cannot prove that it is gone", id, run.Instance)
	}
	return s.control.Dead(ctx, r, id, in.Body.Reason)
}

// leaseOf is all that a run needs to work. The run is the live one of the
// snapshot, or it has ended since it was accepted.
func leaseOf(id blaise.RunID, l control.Lease) (api.Lease, error) {
	snap := l.Snapshot
	if snap.Run == nil || snap.Run.ID != id {
		return api.Lease{}, blaise.Errorf(blaise.CodeStale, "run %s has ended", id)
	}
	ses, env, p := snap.Session, snap.Environment, snap.Policy
	return api.Lease{
		Run: id, Session: ses.ID, Environment: env.ID, Kind: snap.Run.Kind, Attempt: snap.Run.Attempt,
		Agent: ses.Agent, Token: l.Token,
		Beat: p.Beat, Misses: p.Misses, Limits: p.Limits,
		OnContextLoss: p.OnContextLoss, OnInterruptedTurn: p.OnInterruptedTurn,
		Inputs: ses.Inputs, Opened: env.Plugs, Resources: env.Resources, Clean: env.Clean && !snap.Unsent(),
		NextSave: ses.Saves + 1, Saved: snap.Save,
		Ephemeral:    snap.Run.Ephemeral || snap.Run.Leaves,
		Restore:      snap.Run.Kind == blaise.RunStart && snap.Save.N > 0,
		Conversation: ses.Conversation, Wanted: ses.Wanted, Turns: ses.Turns, Config: l.Config,
		Forced: env.Forced, ForcedWhy: env.ForcedWhy,
	}, nil
}
