package service

import (
	"log/slog"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Ready tells systemd, where the program is a service of it, that it works: a
// start waits for this, and one that never says so has failed (sd_notify(3)).
// Processes that are started later cannot say it.
func Ready(log *slog.Logger) {
	if _, err := daemon.SdNotify(true, daemon.SdNotifyReady); err != nil {
		log.Warn("systemd was not told that the service is ready", "error", err)
	}
}
