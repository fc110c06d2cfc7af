package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"blaise.dev/blaise/internal/service"

	"github.com/spf13/cobra"
)

func serviceCommand(a *app) *cobra.Command {
	var flags []string
	return service.Command{
		Program: "blaise", Name: "blaise", Out: a.out, Example: "--arg=--as=https://blaise.example.org",
		Flags: func(c *cobra.Command) {
			c.Flags().StringArrayVar(&flags, "arg", nil, "an `argument` for 'blaise serve', as --arg=--listen=0.0.0.0:4420; repeatable")
		},
		Unit: func(system bool) (service.Unit, error) { return a.unit(flags, system) },
	}.Make()
}

// systemData is the data folder of a service of the machine.
const systemData = "/var/lib/blaise"

// unit is `blaise serve` as a service that may do what it needs and no more. A
// stop takes seconds: runs go on without Blaise.
func (a *app) unit(flags []string, system bool) (service.Unit, error) {
	program, err := os.Executable()
	if err != nil {
		return service.Unit{}, err
	}
	data := cmp.Or(a.data, os.Getenv("BLAISE_DATA"))
	own := system && systemdKeeps(data)
	if own {
		data = systemData
	}
	if data, err = filepath.Abs(cmp.Or(data, defaultData())); err != nil {
		return service.Unit{}, err
	}
	u := service.Unit{
		About: "Blaise",
		Start: append([]string{program, "serve", "--data", data}, flags...),
		Settings: []string{
			"Restart=on-failure", "RestartSec=2", "RestartPreventExitStatus=2", "TimeoutStopSec=30", "LimitNOFILE=65536",
			"UMask=0077", "NoNewPrivileges=yes", "LockPersonality=yes", "MemoryDenyWriteExecute=yes", "RestrictNamespaces=yes",
			"RestrictRealtime=yes", "RestrictSUIDSGID=yes", "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
			"SystemCallArchitectures=native", "SystemCallFilter=@system-service",
		},
	}
	if !system {
		return u, nil // a user's systemd can wall off no more
	}
	u.Settings = append(u.Settings, "ProtectSystem=strict", "PrivateTmp=yes", "PrivateDevices=yes", "ProtectClock=yes",
		"ProtectControlGroups=yes", "ProtectHostname=yes", "ProtectKernelLogs=yes", "ProtectKernelModules=yes",
		"ProtectKernelTunables=yes", "ProtectProc=invisible", "CapabilityBoundingSet=")
	if own {
		u.Settings = append(u.Settings, "DynamicUser=yes", "StateDirectory=blaise", "StateDirectoryMode=0700", "ProtectHome=yes")
	} else {
		as, err := ownerOf(data)
		if err != nil {
			return service.Unit{}, err
		}
		writes, err := service.Path("ReadWritePaths", data)
		if err != nil {
			return service.Unit{}, err
		}
		u.Settings = append(u.Settings, "User="+as, writes)
	}
	return u, nil
}

// systemdKeeps says that systemd makes the data folder, for a user that it makes:
// also when it has, and the folder is named.
func systemdKeeps(data string) bool {
	if data == "" {
		return true
	}
	info, err := os.Lstat(systemData)
	return filepath.Clean(data) == systemData && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink != 0)
}

// ownerOf is who a data folder belongs to, and so who the service acts as: root
// only where the folder is root's.
func ownerOf(data string) (string, error) {
	info, err := os.Stat(data)
	if err != nil || !info.IsDir() {
		return "", usage("there is no data folder %s", data).
			WithHint("make it for the user whom the service shall act as, or leave --data and BLAISE_DATA out: "+
				"systemd then makes %s, and a user for it", systemData)
	}
	id := strconv.FormatUint(uint64(info.Sys().(*syscall.Stat_t).Uid), 10)
	u, err := user.LookupId(id)
	if err != nil {
		return "", usage("the data folder %s belongs to nobody whom this machine knows (%s)", data, id).
			WithHint("give it to the user whom the service shall act as: chown -R USER %s", data)
	}
	return u.Username, nil
}
