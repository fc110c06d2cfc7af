package plug

import "context"

// An addedEnv is outer with more variables, and another directory if dir is
// set: what plugs make that bring something into a place and no place of their
// own. The variables stand in Place, so that a layer further in which starts
// nothing through outer can take them along.
type addedEnv struct {
	outer Env
	dir   string // "": outer's
	vars  []string
}

var _ Env = addedEnv{}

func (e addedEnv) Place() Place {
	p := e.outer.Place()
	p.Env = mergeEnv(p.Env, e.vars)
	if e.dir != "" {
		p.Dir = e.dir
	}
	return p
}

func (e addedEnv) Start(ctx context.Context, c Cmd) (Process, error) {
	c.Env = mergeEnv(e.vars, c.Env)
	if e.dir != "" {
		return dirEnv{outer: e.outer, dir: e.dir}.Start(ctx, c)
	}
	return e.outer.Start(ctx, c)
}

// OnHost says that paths in it are paths of this machine.
func (e addedEnv) OnHost() bool { return onHost(e.outer) }
