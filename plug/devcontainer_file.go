package plug

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const devcontainerFile = "devcontainer.json" // in Scope.Dir: what was read

// A devFile is what is used of a devcontainer.json.
type devFile struct {
	Image           string            `json:"image"`
	Build           devBuild          `json:"build"`
	ContainerEnv    map[string]string `json:"containerEnv"`
	RemoteEnv       map[string]string `json:"remoteEnv"`
	RemoteUser      string            `json:"remoteUser"`
	ContainerUser   string            `json:"containerUser"`
	WorkspaceFolder string            `json:"workspaceFolder"`
	Mounts          []devMount        `json:"mounts"`
	OnCreate        devCommand        `json:"onCreateCommand"`
	UpdateContent   devCommand        `json:"updateContentCommand"`
	PostCreate      devCommand        `json:"postCreateCommand"`
	PostStart       devCommand        `json:"postStartCommand"`

	Commit   string `json:"blaiseCommit"`   // that it was read from
	Prepared bool   `json:"blaisePrepared"` // the commands that run once have
}

type devBuild struct {
	Dockerfile string            `json:"dockerfile"`
	Context    string            `json:"context"`
	Target     string            `json:"target"`
	Args       map[string]string `json:"args"`
}

// refused are the keys that would do something on the runner's machine, or that
// the environment would be wrong without.
var refused = map[string]string{
	"initializeCommand": "it runs on the runner's machine, where a repository decides nothing: take it out of the file, " +
		"or do it in an exec plug",
	"features":          "features are not served yet (%s): put them into a Dockerfile",
	"dockerComposeFile": "Docker Compose is not served: name an image or a Dockerfile",
	"privileged":        "a privileged container has the runner's machine",
	"capAdd":            "capabilities are not added",
}

// unused are keys that change what is inside, and are left out.
var unused = []string{"runArgs", "workspaceMount", "securityOpt", "postAttachCommand", "init"}

// parseDevFile reads the file, comments and all, and says what of it is left
// out.
func parseDevFile(text []byte, c devcontainerConfig) (*devFile, []string, error) {
	plain, err := hujson.Standardize(text)
	if err != nil {
		return nil, nil, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(plain, &keys); err != nil {
		return nil, nil, err
	}
	if err := refuse(keys); err != nil {
		return nil, nil, err
	}
	var f devFile
	if err := json.Unmarshal(plain, &f); err != nil {
		return nil, nil, err
	}
	if old := keys["dockerFile"]; old != nil && f.Build.Dockerfile == "" {
		_ = json.Unmarshal(old, &f.Build.Dockerfile) // no string: as if it were not there
	}
	f.Commit, f.Prepared = "", false // ours, whatever the file says
	if f.Image == "" && f.Build.Dockerfile == "" {
		return nil, nil, errors.New("it names neither an image nor a Dockerfile")
	}
	var ignored []string
	for _, key := range unused {
		if keys[key] != nil {
			ignored = append(ignored, key+" is left out: say it in blaise.yml")
		}
	}
	more, err := f.fill()
	return &f, append(ignored, more...), err
}

func refuse(keys map[string]json.RawMessage) error {
	for _, key := range slices.Sorted(maps.Keys(refused)) {
		value := string(keys[key])
		if value == "" || value == "false" || value == "{}" || value == "[]" {
			continue
		}
		why := refused[key]
		if key == "features" {
			var named map[string]json.RawMessage
			_ = json.Unmarshal(keys[key], &named) // only for the message
			why = fmt.Sprintf(why, strings.Join(slices.Sorted(maps.Keys(named)), ", "))
		}
		return fmt.Errorf("%s is refused: %s", key, why)
	}
	return nil
}

var devVariable = regexp.MustCompile(`\$\{([^}]*)\}`)

// fill puts in what ${...} stands for, and answers what it does not know. The
// runner's own variables are none of a repository's business.
func (f *devFile) fill() (ignored []string, err error) {
	folder := f.WorkspaceFolder
	if folder == "" {
		folder = defaultContainerConfig().Workdir
	}
	known := map[string]string{
		"localWorkspaceFolder": folder, "localWorkspaceFolderBasename": path.Base(folder),
		"containerWorkspaceFolder": folder, "containerWorkspaceFolderBasename": path.Base(folder),
	}
	replace := func(text string) string {
		return devVariable.ReplaceAllStringFunc(text, func(v string) string {
			name := v[2 : len(v)-1]
			if value, ok := known[name]; ok {
				return value
			}
			kind, rest, _ := strings.Cut(name, ":")
			_, fallback, _ := strings.Cut(rest, ":")
			if kind == "containerEnv" {
				key, _, _ := strings.Cut(rest, ":")
				if value, ok := f.ContainerEnv[key]; ok {
					return value
				}
			}
			ignored = append(ignored, fmt.Sprintf("%s is taken for %q: say it in agent.env", v, fallback))
			return fallback
		})
	}
	f.WorkspaceFolder = replace(f.WorkspaceFolder)
	for _, env := range []map[string]string{f.ContainerEnv, f.RemoteEnv, f.Build.Args} {
		for _, k := range slices.Sorted(maps.Keys(env)) {
			env[k] = replace(env[k])
		}
	}
	for i := range f.Mounts {
		if m := &f.Mounts[i]; m.Type != "volume" {
			return nil, fmt.Errorf("mounts: %s is refused: what is seen of the runner's machine is said in blaise.yml, "+
				"as mounts", m.Source)
		}
		f.Mounts[i].Target = replace(f.Mounts[i].Target)
	}
	return ignored, nil
}

// user is who works inside, "" for the runner's own ids.
func (f *devFile) user() string {
	if f.RemoteUser != "" {
		return f.RemoteUser
	}
	return f.ContainerUser
}

func (f *devFile) volumes() (targets []string) {
	for _, m := range f.Mounts {
		targets = append(targets, m.Target)
	}
	return targets
}

type devStep struct {
	key   string
	lines []string
}

// once are the commands for a new environment, in their order.
func (f *devFile) once() []devStep {
	return []devStep{
		{"onCreateCommand", f.OnCreate.lines}, {"updateContentCommand", f.UpdateContent.lines},
		{"postCreateCommand", f.PostCreate.lines},
	}
}
