package main

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// imageUser is nobody in particular: a volume must be writable for it.
const imageUser = "65532:65532"

// An imageConfig is what an engine must know to run an image.
type imageConfig struct {
	Architecture string    `json:"architecture"`
	OS           string    `json:"os"`
	Created      time.Time `json:"created"`
	Config       any       `json:"config"`
	RootFS       any       `json:"rootfs"`
}

// image is the control plane as a container image with nothing else in it, as
// `docker load` and `podman load` read it.
func (r *release) image(programsIn, arch string) ([]byte, error) {
	layer, err := r.layer(programsIn)
	if err != nil {
		return nil, err
	}
	digest := hashOf(layer)
	config, err := json.Marshal(imageConfig{
		Architecture: arch, OS: "linux", Created: r.at,
		Config: map[string]any{
			"User": imageUser, "Entrypoint": []string{"/blaise"},
			"Cmd":          []string{"serve", "--listen", "0.0.0.0:4420"},
			"Env":          []string{"BLAISE_DATA=/data"},
			"ExposedPorts": map[string]any{"4420/tcp": struct{}{}},
			"Volumes":      map[string]any{"/data": struct{}{}},
		},
		RootFS: map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal([]map[string]any{{
		"Config": hashOf(config) + ".json", "Layers": []string{digest + "/layer.tar"},
		"RepoTags": []string{"blaise:" + r.version},
	}})
	if err != nil {
		return nil, err
	}
	t := newTarball(r.at)
	t.put(&tar.Header{Typeflag: tar.TypeReg, Name: hashOf(config) + ".json", Mode: 0o644}, config)
	t.put(&tar.Header{Typeflag: tar.TypeReg, Name: digest + "/layer.tar", Mode: 0o644}, layer)
	t.put(&tar.Header{Typeflag: tar.TypeReg, Name: "manifest.json", Mode: 0o644}, manifest)
	return t.zipped()
}

// layer is the whole file system: the program, a place for temporary files, and
// the data folder, which a volume takes over with its owner.
func (r *release) layer(programsIn string) ([]byte, error) {
	t := newTarball(r.at)
	t.file("blaise", filepath.Join(programsIn, "blaise"), 0o755)
	var uid, gid int
	if _, err := fmt.Sscanf(imageUser, "%d:%d", &uid, &gid); err != nil {
		return nil, err
	}
	t.put(&tar.Header{Typeflag: tar.TypeDir, Name: "data/", Mode: 0o700, Uid: uid, Gid: gid}, nil)
	t.put(&tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777}, nil)
	return t.plain()
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
