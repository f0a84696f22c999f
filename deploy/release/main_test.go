package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// TestRelease builds the committed checkout twice, in clones with different names, wants the same
// sums, and runs the quickstart with nothing but the archive, and with nothing but the image.
// AGEPATH_LONG=1 builds for all platforms.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs for a release: minutes")
	}
	chosen := []platform{{"linux", "amd64"}, {"linux", "arm64"}}
	if os.Getenv("AGEPATH_LONG") == "1" {
		chosen = platforms
	}
	var sums []string
	var out string
	for _, name := range []string{"one", "another"} {
		clone := filepath.Join(t.TempDir(), name)
		if _, err := output(t.Context(), "../..", nil, "git", "clone", "-q", ".", clone); err != nil {
			t.Fatal(err)
		}
		out = filepath.Join(t.TempDir(), "release")
		if err := build(t.Context(), clone, "0.0.1", out, chosen); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(data))
	}
	if sums[0] != sums[1] || strings.Count(sums[0], "\n") != 2*len(chosen)+3 {
		t.Errorf("two builds have the sums\n%s\nand\n%s", sums[0], sums[1])
	}
	if text, err := output(t.Context(), out, nil, "sha256sum", "--check", "SHA256SUMS"); err != nil {
		t.Error(text, err)
	}
	t.Run("archive", func(t *testing.T) {
		root := t.TempDir()
		unpack(t, filepath.Join(out, "agepath_0.0.1_linux_amd64.tar.gz"), root)
		folder := "/agepath_0.0.1_linux_amd64"
		quickstart(t, root, folder+"/coordinator", folder+"/grids/quickstart.yaml")
		for _, name := range []string{"README.md", "LICENSE", "completions/worker.zsh"} {
			if _, err := os.Stat(filepath.Join(root, folder, name)); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("image", func(t *testing.T) {
		at := t.TempDir()
		unpack(t, filepath.Join(out, "agepath_0.0.1_image.tar"), at)
		root := t.TempDir()
		image := imageFor(t, at, runtime.GOARCH)
		layers, err := image.Layers()
		if err != nil || len(layers) != 1 {
			t.Fatalf("%d layers, %v", len(layers), err)
		}
		content, err := layers[0].Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		defer content.Close()
		extract(t, content, root)
		config, err := image.ConfigFile()
		if err != nil || config.Config.User != "65532:65532" {
			t.Fatalf("the image runs as %q, %v", config.Config.User, err)
		}
		grid, err := os.ReadFile("../../grids/quickstart.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "grid.yaml"), grid, 0o644); err != nil {
			t.Fatal(err)
		}
		quickstart(t, root, config.Config.Entrypoint[0], "/grid.yaml")
	})
}

// quickstart runs a grid in root as user 65532, who can write into /out alone.
func quickstart(t *testing.T, root, program, grid string) {
	t.Helper()
	if os.Getuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("needs root on Linux, to change the root")
	}
	for _, name := range []string{"proc", "out"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(filepath.Join(root, "out"), 65532, 65532); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	script := `mount -t proc proc "$0/proc" && mount --bind "$0" "$0" && mount --bind "$0/out" "$0/out" && mount -t proc proc "$0/proc" &&
		mount -o remount,ro,bind "$0" && exec env -i "$(command -v chroot)" --userspec=65532:65532 "$0" "$1" run "$2" --out /out/quickstart --figures 0`
	began := time.Now()
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-c", script, root, program, grid)
	text, err := cmd.CombinedOutput()
	t.Logf("the quickstart took %v", time.Since(began).Round(time.Millisecond))
	if err != nil || !bytes.Contains(text, []byte("failed=0")) && !bytes.Contains(text, []byte("264 ok")) {
		t.Errorf("%v\n%s", err, text)
	}
}

// imageFor returns the image for an architecture from a layout in a folder.
func imageFor(t *testing.T, dir, architecture string) v1.Image {
	t.Helper()
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := outer.IndexManifest()
	if err != nil || len(list.Manifests) != 1 {
		t.Fatal(list, err)
	}
	index, err := outer.ImageIndex(list.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if list, err = index.IndexManifest(); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Manifests {
		if m.Platform.Architecture == architecture {
			image, err := index.Image(m.Digest)
			if err != nil {
				t.Fatal(err)
			}
			return image
		}
	}
	t.Fatal("no image for " + architecture)
	return nil
}

// unpack extracts a tar archive, compressed where its name says so.
func unpack(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var content io.Reader = in
	if strings.HasSuffix(from, ".gz") {
		if content, err = gzip.NewReader(in); err != nil {
			t.Fatal(err)
		}
	}
	extract(t, content, to)
}

func extract(t *testing.T, content io.Reader, to string) {
	t.Helper()
	for archive := tar.NewReader(content); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(to, filepath.FromSlash(header.Name))
		if header.Typeflag == tar.TypeDir {
			if err := os.MkdirAll(at, header.FileInfo().Mode()); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, os.FileMode(header.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}
