package plug

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"runtime"
	"sync"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A remoteSandbox is a sandbox that others make somewhere else, reached by its
// id. The checkout goes there when it is made, and comes back at the end of
// every turn and at a pause: what is there wins.
type remoteSandbox struct {
	c remoteConfig

	turns  sync.WaitGroup // the bringing back that a turn's end began
	fetch  sync.Mutex     // held while the checkout comes back
	remote *remote        // nil before Open
	cancel context.CancelFunc
}

var (
	_ Plug     = (*remoteSandbox)(nil)
	_ Pauser   = (*remoteSandbox)(nil)
	_ Saver    = (*remoteSandbox)(nil)
	_ Bringer  = (*remoteSandbox)(nil)
	_ Filter   = (*remoteSandbox)(nil)
	_ Isolator = (*remoteSandbox)(nil)
)

// A remoteState is what Blaise keeps of it.
type remoteState struct {
	Key   string `json:"key"`             // ours, before there is an id
	ID    string `json:"id,omitempty"`    // theirs
	Dir   string `json:"dir,omitempty"`   // inside
	Home  string `json:"home,omitempty"`  // inside
	Outer string `json:"outer,omitempty"` // where the checkout comes back to
	Whole bool   `json:"whole,omitempty"` // the checkout has gone there
}

// Isolates says that nothing of the outer place is there but the checkout.
func (p *remoteSandbox) Isolates() bool { return true }

// Open makes the sandbox, or takes up the one whose id is known.
func (p *remoteSandbox) Open(ctx context.Context, s Scope, outer Env) (Env, error) {
	p.stopTurns()
	if !onHost(outer) {
		return nil, errors.New("open sandbox: driver command must come before plugs that leave this machine")
	}
	r, err := p.attach(ctx, s)
	if err != nil {
		return nil, err
	}
	if s.Opened && r.state.ID == "" {
		return nil, fmt.Errorf("open sandbox: no id is known: %w", ErrGone)
	}
	if r.state.ID == "" {
		if err := r.create(ctx, outer.Place().Dir); err != nil {
			return nil, err
		}
	}
	if err := r.bringShim(ctx); err != nil {
		return nil, err
	}
	if !r.state.Whole {
		if err := r.sendCheckout(ctx, outer.Place().Dir); err != nil {
			return nil, err
		}
	}
	p.remote = r
	place := outer.Place()
	place.Dir, place.Home, place.Shim = r.state.Dir, r.state.Home, r.shimInside()
	place.OS, place.Arch, place.Needs = "linux", r.arch(), nil
	return newReached(s, place, r.dial)
}

// attach finds the sandbox that is known, awake.
func (p *remoteSandbox) attach(ctx context.Context, s Scope) (*remote, error) {
	r := &remote{c: p.c, s: s}
	if _, err := s.State.Load(ctx, &r.state); err != nil {
		return nil, err
	}
	if r.state.ID == "" {
		return r, nil
	}
	state, err := r.probe(ctx)
	switch {
	case err != nil:
		return nil, err
	case state == remoteGone:
		return nil, fmt.Errorf("open sandbox %s: %w", r.state.ID, ErrGone)
	case state == remotePaused:
		if _, err := r.do(ctx, "resume", p.c.Resume); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Filter brings the checkout back at the end of every turn, beside what follows.
func (p *remoteSandbox) Filter(_ Scope, next transcript.Sink) transcript.Sink {
	return transcript.SinkFunc(func(e transcript.Event) error {
		err := next.Append(e)
		if e.Kind == transcript.KindTurnEnded && p.remote != nil {
			p.turnEnded(p.remote)
		}
		return err
	})
}

func (p *remoteSandbox) turnEnded(r *remote) {
	p.stopTurns()
	ctx, cancel := context.WithCancel(context.Background()) // Save, Pause and Destroy end it
	p.cancel = cancel
	p.turns.Go(func() {
		p.fetch.Lock()
		defer p.fetch.Unlock()
		if err := r.fetchCheckout(ctx); err != nil && ctx.Err() == nil {
			note(r.s, "The work in sandbox %s did not come back after the turn: %v.", r.state.ID, err)
		}
	})
}

// stopTurns ends a bringing back that is under way: a better one comes.
func (p *remoteSandbox) stopTurns() {
	if p.cancel != nil {
		p.cancel()
	}
	p.turns.Wait()
}

// Save brings the checkout back, for the layer outside to save.
func (p *remoteSandbox) Save(ctx context.Context, s Scope, _ Env) (blaise.SavedWork, error) {
	p.stopTurns()
	r, err := p.attach(ctx, s)
	if errors.Is(err, ErrGone) {
		note(s, "The sandbox is gone: what has not come back before is lost.")
		return blaise.SavedWork{}, nil
	}
	if err != nil || !r.state.Whole {
		return blaise.SavedWork{}, err
	}
	p.fetch.Lock()
	defer p.fetch.Unlock()
	return blaise.SavedWork{}, r.fetchCheckout(ctx)
}

// Bring brings the checkout back while the sandbox is open.
func (p *remoteSandbox) Bring(ctx context.Context, _ Scope) error {
	if p.remote == nil {
		return nil
	}
	p.fetch.Lock()
	defer p.fetch.Unlock()
	return p.remote.fetchCheckout(ctx)
}

// Pause has the sandbox paused, if it can be.
func (p *remoteSandbox) Pause(ctx context.Context, s Scope) error {
	p.stopTurns()
	r := &remote{c: p.c, s: s}
	if _, err := s.State.Load(ctx, &r.state); err != nil || r.state.ID == "" || len(p.c.Pause) == 0 {
		return err
	}
	if state, err := r.probe(ctx); err != nil || state != remoteRunning {
		return err
	}
	_, err := r.do(ctx, "pause", p.c.Pause)
	return err
}

// Destroy has the sandbox destroyed, and a probe say that it is gone.
func (p *remoteSandbox) Destroy(ctx context.Context, s Scope) error {
	p.stopTurns()
	r := &remote{c: p.c, s: s}
	if _, err := s.State.Load(ctx, &r.state); err != nil || r.state.Key == "" {
		return err
	}
	if _, err := r.do(ctx, "destroy", p.c.Destroy); err != nil {
		return err
	}
	state, err := r.probe(ctx)
	if err != nil {
		return err
	}
	if state != remoteGone {
		return fmt.Errorf("destroy sandbox %s: it is still %s", r.state.ID, state)
	}
	if err := s.Forget(ctx, r.resource()); err != nil {
		return err
	}
	return s.State.Save(ctx, nil)
}

// A remote is one sandbox of that kind.
type remote struct {
	c     remoteConfig
	s     Scope
	state remoteState
}

// ResourceRemote is the kind of a sandbox that others have made.
const ResourceRemote = "remote sandbox"

func (r *remote) resource() blaise.Resource {
	return blaise.Resource{Kind: ResourceRemote, Name: r.state.Key}
}

func (r *remote) arch() string {
	if r.c.Arch != "" {
		return r.c.Arch
	}
	return runtime.GOARCH
}

// create makes the sandbox. The key is kept before: asked again with it, after
// a crash, the provider answers with the same sandbox.
func (r *remote) create(ctx context.Context, outer string) error {
	if r.state.Key == "" {
		r.state.Key = r.s.Environment + "-" + rand.Text()[:12]
		if err := r.s.State.Save(ctx, r.state); err != nil {
			return err
		}
	}
	if err := r.s.Intend(ctx, r.resource()); err != nil {
		return fmt.Errorf("enter sandbox in the ledger: %w", err)
	}
	r.state.Dir, r.state.Home, r.state.Outer = r.c.Dir, r.c.Home, outer
	a, err := r.do(ctx, "create", r.c.Create)
	if err != nil {
		return err
	}
	if a.ID == "" {
		return errors.New("create sandbox: the answer has no id")
	}
	r.state.ID = a.ID
	if path.IsAbs(a.Dir) {
		r.state.Dir = a.Dir
	}
	if path.IsAbs(a.Home) {
		r.state.Home = a.Home
	}
	return r.s.State.Save(ctx, r.state)
}
