package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
)

// A Manager is the systemd of the machine, or of the user.
type Manager struct{ System bool }

// Path is where the unit of a service is kept.
func (m Manager) Path(name string) (string, error) {
	if m.System {
		return filepath.Join("/etc/systemd/system", name+".service"), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the folder of units: %w", err)
	}
	return filepath.Join(dir, "systemd", "user", name+".service"), nil
}

// Install writes the unit and starts it, now and at every boot, and says where
// the unit is, as soon as it is ready. One that is there is replaced, and
// restarted. CodeRefused: there is no systemd here, or the service has ended
// before it was ready: the unit stays, and systemd tries again.
func (m Manager) Install(ctx context.Context, u Unit, of string) (path string, err error) {
	if err := m.reach(ctx); err != nil {
		return "", err
	}
	if path, err = m.Path(u.Name); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("write unit: %w", err)
	}
	_, err = os.Stat(path)
	start := []string{"enable", "--now", u.Name}
	if err == nil {
		start = []string{"restart", u.Name}
	}
	if err := os.WriteFile(path, []byte(u.Text(m.System, of)), 0o644); err != nil {
		return "", fmt.Errorf("write unit: %w", err)
	}
	_, err = m.ctl(ctx, "daemon-reload")
	if err != nil {
		return path, err
	}
	if _, err = m.ctl(ctx, start...); err != nil && ctx.Err() == nil {
		return path, m.unready(ctx, u, path, err)
	}
	return path, err
}

// unready says what a service that does not start has said itself.
func (m Manager) unready(ctx context.Context, u Unit, path string, err error) error {
	whole, args := "journalctl -u "+u.Name, []string{"--output=cat", "--no-pager", "--lines=2"}
	if !m.System {
		whole, args = "journalctl --user -u "+u.Name, append(args, "--user")
	}
	if id, failed := m.ctl(ctx, "show", u.Name, "--property=InvocationID", "--value"); failed == nil {
		args = append(args, "_SYSTEMD_INVOCATION_ID="+strings.TrimSpace(id), "SYSLOG_IDENTIFIER="+filepath.Base(u.Start[0]))
		said, _ := exec.CommandContext(ctx, "journalctl", args...).Output() // what systemctl said is there without it
		if text := strings.TrimSpace(string(said)); text != "" {
			err = errors.New(strings.ReplaceAll(text, "\n", "; "))
		}
	}
	return blaise.Errorf(blaise.CodeRefused, "%s does not start: %v", u.Name, err).
		WithHint("mend it and install again; more may be in `%s`; the unit is %s", whole, path)
}

// Uninstall stops the service, as its unit says, and takes the unit away. It
// waits for that. CodeNotFound: there is no such unit.
func (m Manager) Uninstall(ctx context.Context, name string) error {
	path, err := m.installed(name)
	if err != nil {
		return err
	}
	if err := m.reach(ctx); err != nil {
		return err
	}
	if _, err := m.ctl(ctx, "disable", "--now", name); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove unit: %w", err)
	}
	_, err = m.ctl(ctx, "daemon-reload")
	return err
}

// A Status is how a service is, in systemd's words.
type Status struct {
	Unit    string `json:"unit"`
	Active  string `json:"active"`  // active, inactive, failed
	Sub     string `json:"sub"`     // running, dead, stop: it drains
	Enabled string `json:"enabled"` // it starts at boot
	PID     string `json:"pid"`     // "0" for none
}

// Status asks systemd. CodeNotFound: there is no such unit; CodeRefused: systemd
// does not answer.
func (m Manager) Status(ctx context.Context, name string) (Status, error) {
	path, err := m.installed(name)
	if err == nil {
		err = m.reach(ctx)
	}
	if err != nil {
		return Status{}, err
	}
	out, err := m.ctl(ctx, "show", name, "--property=ActiveState,SubState,UnitFileState,MainPID")
	if err != nil {
		return Status{}, err
	}
	said := map[string]string{}
	for l := range strings.SplitSeq(out, "\n") {
		if k, v, ok := strings.Cut(l, "="); ok {
			said[k] = strings.TrimSpace(v)
		}
	}
	return Status{Unit: path, Active: said["ActiveState"], Sub: said["SubState"],
		Enabled: said["UnitFileState"], PID: said["MainPID"]}, nil
}

func (m Manager) installed(name string) (string, error) {
	path, err := m.Path(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", blaise.Errorf(blaise.CodeNotFound, "there is no service %s: %s is not there", name, path)
	}
	return path, nil
}

// reach sees that systemd answers.
func (m Manager) reach(ctx context.Context) error {
	hint := "print the unit with `service install --dry-run`, or start the program with what this machine has"
	if _, err := exec.LookPath("systemctl"); err != nil {
		return blaise.Errorf(blaise.CodeRefused, "there is no systemd on this machine").WithHint("%s", hint)
	}
	if _, err := m.ctl(ctx, "show", "--property=Version"); err != nil {
		return blaise.Errorf(blaise.CodeRefused, "systemd does not answer: %v", err).WithHint("%s", hint)
	}
	return nil
}

func (m Manager) ctl(ctx context.Context, args ...string) (string, error) {
	if !m.System {
		args = append([]string{"--user"}, args...)
	}
	c := exec.CommandContext(ctx, "systemctl", args...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("systemctl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
