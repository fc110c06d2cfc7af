package plug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blaise.dev/blaise"
)

type secretsConfig struct {
	Env   secretSources `yaml:"env" doc:"variables: NAME: {env: ...}, or file, command, op, vault or sops"`
	Files secretSources `yaml:"files" doc:"the same, given as files: NAME is the variable that holds the path"`
}

// A secretsPlug gives the agent secret values: in variables, or in files that
// are its own and lie beside its home's, never in a checkout. They are read
// anew in each run, and the files are gone while the session sleeps.
type secretsPlug struct {
	c     secretsConfig
	outer Env // of the last Open
}

var (
	_ Plug       = (*secretsPlug)(nil)
	_ Pauser     = (*secretsPlug)(nil)
	_ hostRunner = (*secretsPlug)(nil)
	_ needer     = (*secretsPlug)(nil)
)

func newSecrets(c secretsConfig) (Plug, error) {
	if len(c.Env)+len(c.Files) == 0 {
		return nil, errors.New("it gives nothing: list values under env or files")
	}
	for name := range c.Files {
		if _, both := c.Env[name]; both {
			return nil, fmt.Errorf("%s stands under env and under files", name)
		}
	}
	return &secretsPlug{c: c}, nil
}

func (p *secretsPlug) commands() []commandLine {
	var all []commandLine
	for _, sources := range []secretSources{p.c.Env, p.c.Files} {
		for _, name := range slices.Sorted(maps.Keys(sources)) {
			all = append(all, sources[name].command)
		}
	}
	return all
}

func (p *secretsPlug) missing(host Place) []string {
	return append(p.c.Env.missing(host), p.c.Files.missing(host)...)
}

// Open reads the values; each is known to the run before it goes anywhere.
func (p *secretsPlug) Open(ctx context.Context, s Scope, outer Env) (Env, error) {
	p.outer = outer
	vars, err := p.c.Env.read(ctx, s)
	if err != nil {
		return nil, err
	}
	files, err := p.c.Files.read(ctx, s)
	if err != nil {
		return nil, err
	}
	given := map[string]string{}
	for name, value := range vars {
		given[name] = strings.TrimSuffix(value, "\n")
	}
	if len(files) > 0 {
		v, err := p.begin(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			given[name] = v.Dir + "/" + name
			if err := v.put(ctx, outer, name, files[name]); err != nil {
				return nil, err
			}
		}
	}
	return addedEnv{outer: outer, vars: pairs(given)}, nil
}

// Pause takes the files away.
func (p *secretsPlug) Pause(ctx context.Context, s Scope) error {
	v, err := loadVault(s)
	if err != nil || v == nil {
		return err
	}
	return v.wipe(ctx, s, p.outer)
}

// Destroy does the same, and forgets that there were any. Where it never
// opened, only files of this machine can be reached; any other place goes with
// all that is in it, when the layer that made it is destroyed.
func (p *secretsPlug) Destroy(ctx context.Context, s Scope) error {
	v, err := loadVault(s)
	if err != nil || v == nil {
		return err
	}
	if err := v.wipe(ctx, s, p.outer); err != nil {
		return err
	}
	if err := s.Forget(ctx, v.resource()); err != nil {
		return err
	}
	return os.Remove(filepath.Join(s.Dir, vaultFile))
}

// A vault is the directory that holds the files, as seen inside. It is written
// down in Scope.Dir before it is made.
type vault struct {
	Home string `json:"home"`
	Dir  string `json:"dir"`
	Host bool   `json:"host"` // its paths are paths of this machine

	Entered bool `json:"entered"` // in the ledger; nothing is made before
}

const vaultFile = "vault.json"

// begin writes down the vault, and that the ledger has it, and has it empty: a run
// that died left its files.
func (p *secretsPlug) begin(ctx context.Context, s Scope) (*vault, error) {
	home := p.outer.Place().Home
	v := &vault{Home: home, Dir: home + "/.blaise-secrets-" + s.Environment + "-" + s.ID, Host: onHost(p.outer)}
	if err := writeDown(s.Dir, vaultFile, v); err != nil {
		return nil, err
	}
	if err := s.Intend(ctx, v.resource()); err != nil {
		return nil, fmt.Errorf("enter directory in the ledger: %w", err)
	}
	v.Entered = true
	if err := writeDown(s.Dir, vaultFile, v); err != nil {
		return nil, err
	}
	return v, v.wipe(ctx, s, p.outer)
}

// loadVault answers nil if nothing was written down.
func loadVault(s Scope) (*vault, error) { return readDown[vault](s.Dir, vaultFile) }

func (v *vault) resource() blaise.Resource {
	return blaise.Resource{Kind: "directory", Name: v.Dir, Where: v.Home}
}

// put writes one file, for its owner alone. The value goes in on stdin.
func (v *vault) put(ctx context.Context, e Env, name, value string) error {
	err := serveFile(ctx, e, Cmd{
		Args:  []string{e.Place().Shim, "shim", "put", "--private", v.Home, v.Dir + "/" + name},
		Stdin: bytes.NewReader([]byte(value)),
	})
	if err != nil {
		return fmt.Errorf("write secret %s: %w", name, err)
	}
	return nil
}

// wipe removes the directory, through the place it is in.
func (v *vault) wipe(ctx context.Context, s Scope, outer Env) error {
	if v.Host {
		outer = s.Host
	}
	if outer == nil {
		return nil
	}
	err := serveFile(ctx, outer, Cmd{Args: []string{outer.Place().Shim, "shim", "remove", v.Home, v.Dir}})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("wipe secrets: %w", err)
	}
	return nil
}
