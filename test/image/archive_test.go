package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"strings"
	"testing"
)

// archive is an OCI image layout in a tar file: its files by path
// (opencontainers/image-spec, image-layout.md).
type archive map[string][]byte

// descriptor points to a blob and may say which platform it is for.
type descriptor struct {
	Digest   string
	Platform platform
}

// platform is as Go writes it: linux, arm64.
type platform struct{ OS, Architecture string }

// contents is one platform's image.
type contents struct {
	Listed   platform // what the list of platforms says it is for
	platform          // what its own configuration says
	Config   struct {
		User         string
		Entrypoint   []string
		Cmd          []string
		ExposedPorts map[string]struct{}
		Labels       map[string]string
		Volumes      map[string]struct{}
	}
	files []file
}

// file is an entry of a layer.
type file struct {
	tar.Header
	body []byte
}

// openImages returns the images of the list that an archive holds.
func openImages(t *testing.T, file string) []contents {
	t.Helper()
	whole, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	a := archive{}
	for _, f := range untar(t, whole) {
		a[path.Clean(f.Name)] = f.body
	}
	var top, list struct{ Manifests []descriptor }
	a.decode(t, "index.json", &top)
	if len(top.Manifests) != 1 {
		t.Fatalf("%s holds %d lists, want 1", file, len(top.Manifests))
	}
	a.decode(t, blob(top.Manifests[0]), &list)
	var images []contents
	for _, d := range list.Manifests {
		images = append(images, a.image(t, d))
	}
	return images
}

func (a archive) image(t *testing.T, d descriptor) contents {
	t.Helper()
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	a.decode(t, blob(d), &manifest)
	image := contents{Listed: d.Platform}
	a.decode(t, blob(manifest.Config), &image)
	for _, layer := range manifest.Layers {
		unzipped, err := gzip.NewReader(bytes.NewReader(a[blob(layer)]))
		if err != nil {
			t.Fatalf("layer %s: %v", layer.Digest, err)
		}
		image.files = append(image.files, untar(t, unzipped)...)
	}
	return image
}

func (a archive) decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(a[name], into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// blob is the path of what a descriptor points to: sha256:12ab is at
// blobs/sha256/12ab.
func blob(d descriptor) string {
	return path.Join("blobs", strings.Replace(d.Digest, ":", "/", 1))
}

func untar(t *testing.T, r io.Reader) (files []file) {
	t.Helper()
	for entries := tar.NewReader(r); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatalf("tar: %v", err)
		}
		body, err := io.ReadAll(entries)
		if err != nil {
			t.Fatalf("tar: %s: %v", header.Name, err)
		}
		files = append(files, file{*header, body})
	}
}
