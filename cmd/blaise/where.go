package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A place says where Blaise is and how to be let in.
type place struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// where finds Blaise: flags and BLAISE_URL, else the data folder that was
// named, else what `blaise login` saved, else a `blaise dev` that runs on the
// default data folder.
func (a *app) where() (place, error) {
	p := place{URL: cmp.Or(a.url, os.Getenv("BLAISE_URL")), Token: cmp.Or(a.token, os.Getenv("BLAISE_TOKEN"))}
	if p.URL != "" && p.Token != "" {
		return p, nil
	}
	dir := cmp.Or(a.data, os.Getenv("BLAISE_DATA"))
	for _, find := range []func() (place, error){
		func() (place, error) { return readDev(dir) },
		func() (place, error) { return readLogin(dir) },
		func() (place, error) { return readDev(cmp.Or(dir, defaultData())) },
	} {
		found, err := find()
		if err != nil {
			return p, err
		}
		if found.URL == "" || (p.URL != "" && p.URL != found.URL) {
			continue
		}
		p.URL, p.Token = found.URL, cmp.Or(p.Token, found.Token)
		return p, nil
	}
	if p.URL != "" {
		return p, nil // the server says what it thinks of no token
	}
	err := blaise.Errorf(blaise.CodeUnreachable, "no Blaise is known here").
		WithHint("start one with `blaise dev`; name the data folder of one that runs with --data DIR or " +
			"BLAISE_DATA; sign in with `blaise login LINK`; or set BLAISE_URL and BLAISE_TOKEN")
	if dir != "" {
		err = blaise.Errorf(blaise.CodeUnreachable, "no Blaise is running on data folder %s", dir).
			WithHint("start one there with `blaise dev` or `blaise serve`, or name another with --data or BLAISE_DATA")
	}
	return p, err
}

// readDev reads what `blaise dev` or `serve` says of itself in its data folder;
// nothing if none runs.
func readDev(dir string) (place, error) {
	if dir == "" {
		return place{}, nil
	}
	for _, name := range []string{devFile, serveFile} {
		var d api.Dev
		err := readJSON(filepath.Join(dir, name), &d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return place{URL: d.URL, Token: d.Token}, err
	}
	return place{}, nil
}

// readLogin reads what `blaise login` saved, unless a data folder was named.
func readLogin(dir string) (place, error) {
	if dir != "" {
		return place{}, nil
	}
	var p place
	err := readJSON(loginFile(), &p)
	if errors.Is(err, fs.ErrNotExist) {
		return place{}, nil
	}
	return p, err
}

// loginFile is where `blaise login` saves.
func loginFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "blaise", "login.json")
}

// defaultData is the data folder of dev and serve when none is named.
func defaultData() string {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "blaise")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "blaise")
	}
	return filepath.Join(home, ".local", "state", "blaise")
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// writePrivate puts data into path, whole or not at all, for the owner alone.
func writePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // renamed already when all went well
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}

func writePrivateJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writePrivate(path, append(b, '\n'))
}
