package main

import (
	"cmp"
	"os"
	"os/user"
	"path/filepath"

	"blaise.dev/blaise/internal/service"

	"github.com/spf13/cobra"
)

func serviceCommand(a *app) *cobra.Command {
	var o startOptions
	var as string
	return service.Command{
		Program: "runner", Name: "blaise-runner", Out: a.out,
		Example: "--url https://blaise.example.org --token-file ~/.config/blaise/laptop.token --config ~/src/app/blaise.yml",
		Flags: func(c *cobra.Command) {
			c.Flags().StringVar(&o.url, "url", "", "where Blaise is (BLAISE_URL)")
			c.Flags().StringVar(&o.tokenFile, "token-file", "", "a file with the runner token")
			c.Flags().StringVar(&as, "as", "", "with --system: the `user` whose repositories and agents it uses (default: who asks)")
		},
		Unit: func(system bool) (service.Unit, error) { return a.unit(o, as, system) },
	}.Make()
}

// unit is `runner start` as a service. A stop drains: what runs is paused, and
// resumed after the start. What cannot be paused in time lives on, and so does
// everything over a crash: systemd ends the daemon alone, never the runs.
func (a *app) unit(o startOptions, as string, system bool) (service.Unit, error) {
	o.url = cmp.Or(o.url, os.Getenv("BLAISE_URL"))
	if o.url == "" || o.tokenFile == "" {
		return service.Unit{}, usage("a service needs an address and a token").
			WithHint("say them with --url and --token-file")
	}
	program, err := os.Executable()
	if err != nil {
		return service.Unit{}, err
	}
	kept := a.state
	if system {
		if as == "" {
			as = asker()
		}
		if kept, err = a.stateOf(as); err != nil {
			return service.Unit{}, err
		}
	}
	paths := []string{program, o.tokenFile, a.config, kept}
	for i, p := range paths {
		if paths[i], err = filepath.Abs(p); err != nil {
			return service.Unit{}, err
		}
	}
	folder, err := service.Path("WorkingDirectory", filepath.Dir(paths[2]))
	if err != nil {
		return service.Unit{}, err
	}
	state := []string{"--state", paths[3]}
	u := service.Unit{
		About: "Blaise runner",
		After: []string{"blaise.service"}, // a drain asks it, where it is on this machine
		Start: append([]string{paths[0], "start", "--url", o.url, "--token-file", paths[1], "--config", paths[2]}, state...),
		Stop:  append([]string{paths[0], "drain"}, state...),
		Env:   []string{"PATH=" + os.Getenv("PATH")}, // where agents and their tools are found
		Settings: []string{
			"ExecReload=/bin/kill -HUP $MAINPID",
			folder,
			"KillMode=process", "KillSignal=SIGUSR2", "SendSIGKILL=no",
			"TimeoutStopSec=35min", // a drain gives turns 30
			"Restart=on-failure", "RestartSec=5", "RestartPreventExitStatus=2 4",
			"Delegate=yes", // sandboxes get control groups of their own
			"TasksMax=infinity", "LimitNOFILE=65536", "UMask=0077",
		},
	}
	if system {
		u.Settings = append(u.Settings, "User="+as, "ProtectSystem=full", "ProtectClock=yes", "ProtectKernelModules=yes")
	}
	return u, nil
}

// stateOf is the state directory of the service of a user: that user's own,
// where --state says nothing else.
func (a *app) stateOf(name string) (string, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return "", usage("there is no user %s on this machine", name).
			WithHint("name with --as whose repositories and agents the runner uses")
	}
	if a.state != defaultState() {
		return a.state, nil
	}
	if me, err := user.Current(); err == nil && me.Uid == u.Uid {
		return a.state, nil
	}
	return stateBelow(u.HomeDir), nil
}

// asker is who asks, also through sudo.
func asker() string {
	if name := os.Getenv("SUDO_USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "root"
}
