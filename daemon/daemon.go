package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A Daemon takes runs until it is told to stop. Its methods are safe for
// concurrent use.
type Daemon struct {
	c   Config
	log *slog.Logger

	interrupt, reload chan struct{}
	drain             chan time.Duration // its timeout
	breaker           breaker
	tally             tally
	weights           weights
	rests             map[string]rest // of mirrors that could not be emptied; reconcile's alone
	began             time.Time

	state   *state
	program string

	mu          sync.Mutex // guards what follows
	client      *api.Client
	token       string
	about       Description
	children    map[blaise.RunID]*child
	burials     int           // runs that ended and of which something is still to be said
	changed     chan struct{} // closed when one of these two changed
	interrupted bool
	called      string        // what Blaise calls this runner
	outcome     error         // of the run of Once
	paused      string        // why no run is taken but teardowns, as Blaise was told
	leaving     bool          // nothing more is taken
	contact     time.Time     // when Blaise answered last
	trouble     string        // why it does not now
	ahead       time.Duration // our clock before Blaise's

	unborn    []*row        // of the daemon before: not accepted yet
	greeted   chan struct{} // closed when Blaise knows this boot
	greetOnce sync.Once
	watches   sync.WaitGroup
}

// New returns a daemon; Run makes it work.
func New(c Config) *Daemon {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Wait == 0 {
		c.Wait = 25 * time.Second
	}
	if c.Configs == nil {
		c.Configs = func() []string { return []string{c.ConfigFor("")} }
	}
	if c.GiveUp == 0 {
		c.GiveUp = 2 * time.Minute
	}
	return &Daemon{
		c: c, log: c.Log, began: time.Now(),
		interrupt: make(chan struct{}, 1), drain: make(chan time.Duration, 1),
		reload:   make(chan struct{}, 1),
		breaker:  breaker{tripped: make(chan struct{}, 1)},
		greeted:  make(chan struct{}),
		children: map[blaise.RunID]*child{}, changed: make(chan struct{}),
		rests: map[string]rest{},
	}
}

// Interrupt passes INT on to the runs; Run returns when they have ended (A20).
func (d *Daemon) Interrupt() { poke(d.interrupt) }

// Reload reads the token and the description again.
func (d *Daemon) Reload() { poke(d.reload) }

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // asked already
	}
}

// Run takes runs until Interrupt, Drain or Once have done their work. The end
// of ctx makes the daemon alone leave, at once: its runs go on, and the next
// daemon of the state directory adopts them. It returns nil then. An error is
// for a person: the directory in use, a token that is refused, another version.
func (d *Daemon) Run(ctx context.Context) (err error) {
	state, err := openState(d.c.StateDir)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.state = state
	d.mu.Unlock()
	defer func() { err = errors.Join(err, d.state.close()) }()
	if d.program, err = copyProgram(filepath.Join(d.state.dir, "bin")); err != nil {
		return err
	}
	if err := d.read(); err != nil {
		return err
	}
	socket, err := d.listen()
	if err != nil {
		return err
	}
	defer socket.close()

	leave, left := context.WithCancel(ctx)
	defer d.watches.Wait()
	defer left()
	d.watches.Go(func() { socket.serve(leave) })
	d.watches.Go(func() { d.reconcile(leave) })
	if err := d.adopt(leave); err != nil {
		return err
	}
	if d.c.Ready != nil {
		d.c.Ready()
	}
	return d.work(leave)
}

// work is the life of the daemon between birth and leaving.
func (d *Daemon) work(ctx context.Context) error {
	for {
		err := d.takeUntilTold(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, errAgain) {
			return d.finish(ctx, err)
		}
	}
}

// takeUntilTold takes runs until somebody says something else; it returns what.
func (d *Daemon) takeUntilTold(ctx context.Context) error {
	take, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	taking := make(chan error, 1)
	d.watches.Go(func() { taking <- d.take(take, ctx) })
	for {
		select {
		case <-d.interrupt:
			stop(errNoMore)
			d.signalAll(os.Interrupt)
		case timeout := <-d.drain:
			stop(errNoMore)
			d.watches.Go(func() { d.askDrain(ctx, timeout) })
		case <-d.reload:
			if d.reread() {
				stop(errAgain)
			}
		case err := <-taking:
			return err
		}
	}
}

var (
	errNoMore = errors.New("no more runs are taken")
	errAgain  = errors.New("token and configuration were read again")
)

// parting is how long what is left to say of ended runs may take when the
// daemon is to go: the next one says the rest.
const parting = 10 * time.Second

// finish waits for the runs there are.
func (d *Daemon) finish(ctx context.Context, why error) error {
	d.leave()
	var late <-chan time.Time
	for {
		live, burials, changed := d.live()
		if live == 0 && burials == 0 {
			break
		}
		if live == 0 && late == nil {
			late = time.After(parting)
		}
		select {
		case <-changed:
			continue
		case <-d.interrupt:
			d.signalAll(os.Interrupt)
			continue
		case timeout := <-d.drain:
			d.watches.Go(func() { d.askDrain(ctx, timeout) })
			continue
		case <-d.reload:
			d.reread()
			continue
		case <-late:
		case <-ctx.Done():
		}
		break
	}
	d.goodbye(ctx)
	if errors.Is(why, errNoMore) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.outcome
	}
	return why
}

func (d *Daemon) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leaving = true
}

// reread reads on demand; what cannot be read changes nothing.
func (d *Daemon) reread() bool {
	err := d.read()
	if err != nil {
		d.log.Error("token and configuration stay as they were", "error", err)
	}
	return err == nil
}

// read reads the token and the description.
func (d *Daemon) read() error {
	token, err := d.c.Token()
	if err != nil {
		return err
	}
	about, err := d.c.Describe()
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.client = api.NewClient(d.c.URL, token, api.ClientOptions{Version: d.c.Version})
	d.token, d.about = token, about
	return nil
}

func (d *Daemon) blaise() *api.Client {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.client
}

func (d *Daemon) tokenNow() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.token
}

func (d *Daemon) name() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.called
}

func (d *Daemon) hello() api.Hello {
	d.mu.Lock()
	defer d.mu.Unlock()
	host, _ := os.Hostname() // only shown
	return api.Hello{
		Instance: d.state.instance, Boot: d.state.boot, Machine: d.state.machine,
		Host: host, Version: d.c.Version, Protocol: api.Protocol,
		OS: runtime.GOOS, Arch: runtime.GOARCH,
		Slots: d.about.Slots, Labels: d.about.Labels, Agents: d.about.Agents,
		Probed: d.about.Probed,
		Once:   d.c.Once, Paused: d.paused, Time: time.Now().UTC(),
	}
}
