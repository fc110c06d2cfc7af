package service_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/service"
)

var unit = service.Unit{
	Name: "blaise-test", About: "A test",
	Start:    []string{"/opt/my programs/blaise", "serve", "--as", "https://x/100%$HOME"},
	Stop:     []string{"/bin/true"},
	Env:      []string{`PATH=/a b:"c"`, "PRICE=5$"},
	Settings: []string{"KillMode=process"},
}

// What is in a word reaches the program as it is: systemd expands and splits
// nothing of it.
func TestUnitText(t *testing.T) {
	t.Parallel()
	text := unit.Text(true, "blaise service install")
	for _, want := range []string{
		`ExecStart="/opt/my programs/blaise" serve --as https://x/100%%$$HOME`, "ExecStop=/bin/true",
		`Environment="PATH=/a b:\"c\""`, "Environment=PRICE=5$", "KillMode=process", "WantedBy=multi-user.target",
	} {
		if !slices.Contains(strings.Split(text, "\n"), want) {
			t.Errorf("no line %s in:\n%s", want, text)
		}
	}
	if text := unit.Text(false, ""); !strings.Contains(text, "WantedBy=default.target") {
		t.Errorf("a user's unit:\n%s", text)
	}
}

// A path is one setting, and no other: what systemd would read as more is refused.
func TestPathIsOneSetting(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"WorkingDirectory", "ReadWritePaths"} {
		for _, path := range []string{"/a\nExecStartPre=/bin/evil", "/a\rUser=root", `/a\`} {
			if got, err := service.Path(name, path); blaise.CodeOf(err) != blaise.CodeInvalid {
				t.Errorf("%q, %v", got, err)
			}
		}
	}
	if got, err := service.Path("WorkingDirectory", "/my work/100%"); err != nil || got != "WorkingDirectory=/my work/100%%" {
		t.Errorf("%q, %v", got, err)
	}
}

// systemctl stands in for systemd: it writes down what it is told.
const systemctl = `#!/bin/sh
echo "$*" >>"$SYSTEMCTL_LOG"
case "$*" in *"show blaise-test"*) printf 'ActiveState=active\nSubState=running\nUnitFileState=enabled\nMainPID=7\n';; esac
`

func TestInstallStatusUninstall(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	if err := os.WriteFile(filepath.Join(dir, "systemctl"), []byte(systemctl), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("SYSTEMCTL_LOG", log)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	var m service.Manager
	if _, err := m.Status(t.Context(), unit.Name); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("status of none: %v", err)
	}
	for range 2 { // the second replaces the first
		path, err := m.Install(t.Context(), unit, "blaise service install")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != unit.Text(false, "blaise service install") {
			t.Errorf("unit %s: %s, %v", path, text, err)
		}
	}
	s, err := m.Status(t.Context(), unit.Name)
	if err != nil || s.Active != "active" || s.Sub != "running" || s.Enabled != "enabled" || s.PID != "7" {
		t.Errorf("status %+v, %v", s, err)
	}
	if err := m.Uninstall(t.Context(), unit.Name); err != nil {
		t.Fatal(err)
	}
	if err := m.Uninstall(t.Context(), unit.Name); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("uninstall of none: %v", err)
	}
	told, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var acts []string
	for l := range strings.Lines(string(told)) {
		if !strings.Contains(l, " show ") {
			acts = append(acts, strings.TrimSpace(l))
		}
	}
	want := []string{
		"--user daemon-reload", "--user enable --now blaise-test", "--user daemon-reload", "--user restart blaise-test",
		"--user disable --now blaise-test", "--user daemon-reload",
	}
	if !slices.Equal(acts, want) {
		t.Errorf("systemd was told %q, want %q", acts, want)
	}
}

// A service that ends before it is ready is no success, and the answer has what
// the program has said of it.
func TestInstallSaysWhyNothingStarts(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{
		"systemctl": `case "$*" in *InvocationID*) echo 1f;; *enable*) echo "Job failed." >&2; exit 1;; esac`,
		"journalctl": `case "$*" in *_SYSTEMD_INVOCATION_ID=1f*SYSLOG_IDENTIFIER=blaise*)
			printf 'blaise: the folder is in use\nhint: use it\n';; esac`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	path, err := service.Manager{}.Install(t.Context(), unit, "")
	if blaise.CodeOf(err) != blaise.CodeRefused || !strings.Contains(err.Error(), "blaise: the folder is in use; hint: use it") {
		t.Errorf("install: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the unit is gone: %v", err)
	}
}

// Without systemd the answer says so, and nothing is written.
func TestNoSystemd(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	_, err := service.Manager{}.Install(t.Context(), unit, "")
	if blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("install: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "config")); err == nil {
		t.Error("a unit was written")
	}
}

// systemd itself reads what is written.
func TestSystemdReadsTheUnit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	u := unit
	u.Start = append([]string{"/bin/echo"}, unit.Start...)
	path := filepath.Join(t.TempDir(), "blaise-test.service")
	if err := os.WriteFile(path, []byte(u.Text(true, "x")), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", "--man=no", path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
