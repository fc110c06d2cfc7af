package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/internal/shim"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/run"
)

// Premises are what a runner has of a machine: a state directory, and the
// places where the plugs of its blaise.yml make things. Looking needs no daemon
// and no Blaise.
type Premises struct {
	StateDir string
	Configs  []string // blaise.yml files
}

// The kinds of thing that are found without a plug.
const (
	kindDirectory = "directory"
	kindBundle    = "bundle"
	kindProcess   = "processes"
	kindRun       = "run"
)

// lookFor bounds how long one plug looks: an engine may hang.
const lookFor = 20 * time.Second

var errSilent = fmt.Errorf("no answer within %s", lookFor)

// look lists all that is there. What it could not look at it says.
func (p Premises) look(ctx context.Context) (found []blaise.Resource, unseen []string) {
	id, err := p.machine()
	if err != nil {
		unseen = append(unseen, err.Error())
	}
	for _, list := range []func() ([]blaise.Resource, error){p.directories, p.held, p.runs} {
		some, err := list()
		for _, r := range some {
			r.Machine = id
			found = append(found, r)
		}
		if err != nil {
			unseen = append(unseen, err.Error())
		}
	}
	mirrors, err := plug.Mirrors(ctx, p.StateDir, p.keepMirrors())
	if err != nil {
		unseen = append(unseen, err.Error())
	}
	found = append(found, mirrors...)
	for _, r := range p.processes() {
		r.Machine = id
		found = append(found, r)
	}
	for _, file := range p.Configs {
		some, wrong := p.plugs(ctx, file)
		found = append(found, some...)
		unseen = withNew(unseen, wrong)
	}
	return unique(found), unseen
}

func (p Premises) machine() (blaise.MachineID, error) {
	if _, err := os.Stat(p.StateDir); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return machine(p.StateDir)
}

// directories are what plugs keep beside their layers, and the work in them.
func (p Premises) directories() (found []blaise.Resource, err error) {
	root := filepath.Join(p.StateDir, environments)
	dirs, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range dirs {
		env := blaise.EnvironmentID(d.Name())
		kept, more := contents(filepath.Join(root, d.Name()))
		for _, bundle := range kept {
			found = append(found, blaise.Resource{Kind: kindBundle, Name: bundle, Where: p.StateDir,
				Environment: env, Kept: "saved work"})
		}
		if more || len(kept) == 0 {
			found = append(found, blaise.Resource{Kind: kindDirectory, Name: filepath.Join(root, d.Name()),
				Where: p.StateDir, Environment: env})
		}
	}
	return found, nil
}

// contents are the bundles in the directory of an environment, and whether
// there is more in it.
func contents(dir string) (bundles []string, more bool) {
	plugs, _ := os.ReadDir(dir)
	for _, one := range plugs {
		entries, _ := os.ReadDir(filepath.Join(dir, one.Name()))
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".bundle" {
				bundles = append(bundles, filepath.Join(dir, one.Name(), e.Name()))
				continue
			}
			more = true
		}
	}
	return bundles, more
}

// held is what plugs say that they made, where no other look finds it.
func (p Premises) held() (found []blaise.Resource, err error) {
	dirs, _ := os.ReadDir(filepath.Join(p.StateDir, environments)) // directories says why not
	for _, d := range dirs {
		env := blaise.EnvironmentID(d.Name())
		recorded, readErr := plug.RecordedOf(p.StateDir, env)
		err = errors.Join(err, readErr)
		for _, r := range recorded {
			if thing, ok := r.Holds(); ok {
				thing.Environment = env
				found = append(found, thing)
			}
		}
	}
	return found, err
}

// runs are those that the ledger of this machine has: their last words are
// shipped when the runner runs.
func (p Premises) runs() (found []blaise.Resource, err error) {
	dirs, err := os.ReadDir(filepath.Join(p.StateDir, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range dirs {
		if !strings.HasPrefix(d.Name(), ".") {
			found = append(found, blaise.Resource{Kind: kindRun, Name: d.Name(), Where: p.StateDir,
				Environment: blaise.EnvironmentID(blaise.RunID(d.Name()).Session())})
		}
	}
	return found, nil
}

// processes are those that carry the mark of a run of this state directory.
func (p Premises) processes() (found []blaise.Resource) {
	for mark, pids := range shim.Marks() {
		id, _, _ := strings.Cut(mark, ".")
		name := mark[:max(0, strings.LastIndexByte(mark, '.'))]
		if p.mark(name) != mark {
			continue // another runner's
		}
		found = append(found, blaise.Resource{Kind: kindProcess, Name: mark,
			Where: fmt.Sprint(pids), Environment: blaise.EnvironmentID(id)})
	}
	return found
}

// mark is that of a run of this state directory.
func (p Premises) mark(name string) string {
	s := run.Spec{Dir: filepath.Join(p.StateDir, "runs", name)}
	s.Lease.Run = blaise.RunID(name)
	return s.Mark()
}

// plugs asks the plugs of a blaise.yml for all that carries their labels.
func (p Premises) plugs(ctx context.Context, file string) (found []blaise.Resource, unseen []string) {
	unseen = eachPlug(file, func(id string, one plug.Plug, host plug.Env) error {
		lister, ok := one.(plug.Lister)
		if !ok {
			return nil
		}
		ctx, stop := context.WithTimeoutCause(ctx, lookFor, errSilent)
		defer stop()
		some, err := lister.List(ctx, host)
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		for _, r := range some {
			r.Plug = id
			found = append(found, r)
		}
		return err
	})
	return found, unseen
}

// eachPlug does something with all plugs of a blaise.yml, and says what went
// wrong with which.
func eachPlug(file string, do func(id string, one plug.Plug, host plug.Env) error) (wrong []string) {
	cfg, err := config.Read(file)
	if err != nil {
		return []string{fmt.Sprintf("what the plugs made: %v", err)}
	}
	host := &plug.Local{Dir: filepath.Dir(file)}
	for _, spec := range cfg.Plugs {
		one, err := plug.New(spec)
		if err == nil {
			err = do(spec.ID, one, host)
		}
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("plug %s: %v", spec.ID, err))
		}
	}
	return wrong
}

// weigh asks the plugs what their things take on disk.
func (p Premises) weigh(ctx context.Context, things []blaise.Resource) (weights map[blaise.Resource]int64, unseen []string) {
	weights = map[blaise.Resource]int64{}
	for _, file := range p.Configs {
		unseen = append(unseen, eachPlug(file, func(_ string, one plug.Plug, _ plug.Env) error {
			weigher, ok := one.(plug.Weigher)
			if !ok {
				return nil
			}
			rest := slices.DeleteFunc(slices.Clone(things), func(r blaise.Resource) bool {
				_, done := weights[r]
				return done
			})
			some, err := weigher.Weigh(ctx, rest)
			maps.Copy(weights, some)
			if err != nil {
				return fmt.Errorf("weigh what it made: %w", err)
			}
			return nil
		})...)
	}
	return weights, unseen
}

// withNew adds to what could not be seen what is not said yet: several files may
// have the same plug.
func withNew(unseen, more []string) []string {
	for _, what := range more {
		if !slices.Contains(unseen, what) {
			unseen = append(unseen, what)
		}
	}
	return unseen
}

// unique leaves out what several plugs of one place found.
func unique(all []blaise.Resource) []blaise.Resource {
	seen := map[[3]string]bool{}
	return slices.DeleteFunc(all, func(r blaise.Resource) bool {
		key := [3]string{r.Kind, r.Name, r.Where}
		double := seen[key]
		seen[key] = true
		return double
	})
}
