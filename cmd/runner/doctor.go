package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/internal/bundle"
	"blaise.dev/blaise/internal/check"
	"blaise.dev/blaise/internal/doctor"

	"github.com/spf13/cobra"
)

func doctorCommand(a *app) *cobra.Command {
	var o ledgerOptions
	var file string
	c := a.jsonFlag(&cobra.Command{
		Use: "doctor", Short: "Look at all that a runner needs, and say what is wrong and what to do",
		Long: `Look at all that a runner needs: the machine, its disk and git, the way to Blaise
(proxy, certificates, clock, token), the daemon, blaise.yml, Docker, what a
sandbox can enforce, and which agents are here. It changes nothing, here or in
Blaise, and starts no agent. It exits with 1 if something has failed.

--bundle writes the same into an archive, with the state of the daemon, the end
of the logs of its runs and blaise.yml, for somebody who helps. Tokens, leases,
keys, the values of variables and the shapes of known secrets are taken out; of
blaise.yml its keys, numbers and harmless values like images and paths are left.
Look at it before you send it.`,
		Example: "  runner doctor --url https://blaise.example --token-file token\n  runner doctor --json | jq '.[] | select(.result != \"ok\")'\n" +
			"  runner doctor --bundle runner.tar.gz",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), o, file) },
	})
	o.flags(c)
	c.Flags().StringVar(&file, "bundle", "", "write what was found, and more, into this `FILE` (.tar.gz)")
	return c
}

func (a *app) doctor(ctx context.Context, o ledgerOptions, file string) error {
	state, err := filepath.Abs(a.state)
	if err != nil {
		return err
	}
	config, err := filepath.Abs(a.config)
	if err != nil {
		return err
	}
	url := cmp.Or(o.url, os.Getenv("BLAISE_URL"))
	if face, err := daemon.ReadFace(state); err == nil {
		url = cmp.Or(url, face.URL)
		if _, err := os.Stat(config); err != nil && a.config == defaultConfig && len(face.Configs) > 0 {
			config = face.Configs[0] // asked from another folder than the runner's
		}
	}
	found := doctor.Look(ctx, doctor.Options{
		URL: strings.TrimRight(url, "/"), Config: config, State: state, Version: programVersion(),
		Token: func() (string, error) { return token(o.tokenFile) }, TokenFile: o.tokenFile,
	})
	if file != "" {
		if err := a.bundle(ctx, file, sick{found: found, config: config, state: state, tokenFile: o.tokenFile}); err != nil {
			return err
		}
	}
	if a.json {
		err = a.print(found)
	} else {
		_, err = fmt.Fprint(a.out, written(found))
	}
	if n := doctor.Count(found, doctor.Fail); err == nil && n > 0 {
		return blaise.Errorf(blaise.CodeInternal, "%s failed", check.Plural(n, "check"))
	}
	return err
}

func written(found []doctor.Line) string {
	var b strings.Builder
	for _, l := range found {
		fmt.Fprintf(&b, "%-5s %s: %s\n", l.Result, printable(l.What), printable(l.Text))
		if l.Do != "" && l.Result != doctor.OK {
			fmt.Fprintf(&b, "      -> %s\n", printable(l.Do))
		}
	}
	return b.String()
}

// A sick runner is what its bundle tells of.
type sick struct {
	found                    []doctor.Line
	config, state, tokenFile string
}

func (a *app) bundle(ctx context.Context, file string, s sick) error {
	b, err := bundle.Create(file)
	if errors.Is(err, fs.ErrExist) {
		return blaise.Errorf(blaise.CodeRefused, "%s is there already", file).WithHint("name another file")
	}
	if err != nil {
		return err
	}
	if secret, err := token(s.tokenFile); err == nil {
		b.Hide(secret)
	}
	runs := s.hideLeases(b)
	b.YAML("blaise.yml", s.config)
	b.Text("doctor.txt", written(s.found))
	b.JSON("doctor.json", s.found)
	if status, err := daemon.StatusOf(ctx, s.state); err == nil {
		b.JSON("status.json", status)
	}
	if probes, err := acp.LoadProbes(acp.ProbesDir(s.state)); err == nil && len(probes) > 0 {
		b.JSON("probes.json", probes)
	}
	for _, run := range runs {
		name := filepath.Base(run)
		b.Tail("runs/"+name+"/stderr", filepath.Join(run, "stderr"))
	}
	if err := b.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.err, "runner: wrote %s; look at it before you send it\n", file)
	return err
}

// hideLeases has the bundle hide the tokens of all leases, and answers the
// directories of their runs.
func (s sick) hideLeases(b *bundle.Bundle) []string {
	runs, _ := fs.Glob(os.DirFS(s.state), "runs/*/row.json") // the pattern is good
	for i, name := range runs {
		path := filepath.Join(s.state, name)
		var row struct {
			Spec struct {
				Lease struct{ Token string }
			}
		}
		if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &row) == nil {
			b.Hide(row.Spec.Lease.Token)
		}
		runs[i] = filepath.Dir(path)
	}
	return runs
}
