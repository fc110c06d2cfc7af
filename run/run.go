package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/directive"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/redact"
	"blaise.dev/blaise/transcript"
)

// Do works one run to its end. The end of ctx ends the run, with the cause that
// ctx has: Interrupted or ErrLeft. Do returns nil when the run has ended as
// it was told to, otherwise why it did not; everything it started is gone then,
// and everything it had to say is in the spool.
func Do(ctx context.Context, s Spec, d Deps) (err error) {
	r, err := newRun(s, d)
	if err != nil {
		return err
	}
	defer r.close()
	ended := r.whole()
	defer func() { ended(err) }()
	life, work := r.contexts(ctx)
	if err := r.connect(work); err != nil {
		return err
	}
	defer r.serve(life)() // beats, directives, shipping: beside it all, to the end

	if r.lease.Kind == blaise.RunTeardown {
		return r.markDone(r.teardown(life))
	}
	cause := r.work(work)
	return r.markDone(r.end(life, cause))
}

// work is the run up to its ending; it returns the cause.
func (r *run) work(ctx context.Context) error {
	var cfg config.Config
	var err error
	if r.file, err = config.Read(r.spec.Config); err == nil {
		cfg, err = r.file.Fill(r.lease.Inputs)
	}
	if err != nil {
		return refusal{err}
	}
	if r.agentEnv, err = r.environ(cfg.Agent); err != nil {
		return refusal{err}
	}
	if r.stack, err = r.newStack(cfg, false); err != nil {
		return refusal{err}
	}
	if err := r.open(ctx); errors.Is(err, plug.ErrRefused) || err != nil && r.lease.Kind == blaise.RunShell {
		return ended(ctx, refusal{err}) // a shell is no reason to make an environment anew
	} else if err != nil {
		return ended(ctx, plugFailure{err})
	}
	if r.lease.Kind == blaise.RunShell {
		return ended(ctx, r.serveShells(ctx))
	}
	r.keepConfig()
	r.talk = newConversation(r, cfg.Agent)
	if err := r.talk.install(ctx); err != nil {
		return ended(ctx, err)
	}
	if err := r.talk.open(ctx); err != nil {
		return ended(ctx, err)
	}
	r.shells.open(r.stack.Env())
	r.looks.begin()
	r.say(api.Report{Event: blaise.EventOpened, Plugs: r.stack.Resumable()})
	return ended(ctx, r.talk.obey(ctx))
}

// ended is why work stopped: what ended ctx outranks the error it led to.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// A run is one run of one session while it lasts.
type run struct {
	spec   Spec
	deps   Deps
	lease  api.Lease
	log    *slog.Logger
	client *api.Client // with the lease's token
	beat   *pulse

	spool   *transcript.Spool
	ship    *transcript.Shipper
	record  *record
	secrets *redact.Redactor

	fence   *plug.Fence
	inbox   *directive.Inbox // all that Blaise says
	prompts *directive.Inbox // what waits for its turn
	asked   *questions
	shells  *shells
	looks   *looks
	turn    turns
	heard   atomic.Int64 // the highest number
	mute    atomic.Bool  // Blaise refuses what the run says (A21)

	file     config.Config // blaise.yml as it stands
	stack    *plug.Stack
	shims    *os.File // the list of ShimsFile
	agentEnv []string
	plainEnv []string      // of it, what is no secret: the agent's terminals have that
	talk     *conversation // nil before the layers are open
	works    []blaise.SavedWork

	life, cut func(error)    // end the life, the work, with a cause
	beside    sync.WaitGroup // directives that are being obeyed
}

func newRun(s Spec, d Deps) (*run, error) {
	d = d.withDefaults()
	secrets := redact.New()
	log := slog.New(cleanHandler{Handler: d.Log.Handler(), secrets: secrets})
	r := &run{
		spec: s, deps: d, lease: s.Lease, secrets: secrets,
		log:   log.With("session", s.Lease.Session, "run", s.Lease.Run),
		fence: &plug.Fence{},
		inbox: directive.NewInbox(), prompts: directive.NewInbox(),
		asked: newQuestions(),
	}
	r.shells = &shells{r: r, left: make(chan struct{}, 1)}
	r.looks = &looks{r: r}
	r.secrets.Add(s.Lease.Token)
	r.client = api.NewClient(s.URL, s.Lease.Token, api.ClientOptions{Version: s.Version})
	r.beat = r.newPulse()
	var err error
	r.spool, err = transcript.OpenSpool(filepath.Join(s.Dir, "spool"), transcript.SpoolOptions{Log: r.log})
	if err != nil {
		return nil, err
	}
	r.ship = transcript.NewShipper(r.spool, r.client, transcript.ShipperOptions{Log: r.log})
	r.record = newRecord(transcript.NewRecorder(r.spool, string(s.Lease.Run), nil), r.secrets)
	r.record.failed, r.record.patience = r.stopWork, s.Lease.Limits.Hook
	return r, nil
}

// markLimit is how long what has lost its shim may take to die at the end.
const markLimit = 10 * time.Second

func (r *run) close() {
	err := errors.Join(r.fence.Kill(), r.spool.Close())
	if left := plug.KillMarked(r.spec.Mark(), markLimit); left > 0 {
		err = errors.Join(err, fmt.Errorf("%d processes that it started live on", left))
	}
	if err != nil {
		r.log.Error("run not closed cleanly", "error", err)
	}
}

// contexts makes the two contexts of the run. Nothing from outside ends its
// life; what ends ctx ends the work.
func (r *run) contexts(ctx context.Context) (life, work context.Context) {
	life, r.life = context.WithCancelCause(context.WithoutCancel(ctx))
	work, r.cut = context.WithCancelCause(life)
	context.AfterFunc(ctx, func() { r.cut(context.Cause(ctx)) })
	// A run that ends waits for no space: its agent may be held by that.
	context.AfterFunc(work, func() { r.spool.Stop(context.Cause(work)) })
	return life, work
}

// stopWork ends the work; only the first cause counts.
func (r *run) stopWork(cause error) {
	if errors.Is(cause, ErrFenced) || blaise.CodeOf(cause) == blaise.CodeStale {
		r.fenceOff()
		return
	}
	r.cut(cause)
}

// fenceOff ends everything at once: another run may own the environment.
func (r *run) fenceOff() { r.life(ErrFenced) }
