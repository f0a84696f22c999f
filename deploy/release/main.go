// Program release builds the files of a release from a committed checkout:
//
//	cd deploy/release && go run . 0.1.0 ../../out/release
//
// For Linux, macOS and Windows on amd64 and arm64 it writes an archive with both programs, shell
// completions, a first grid, LICENSE and README.md, and a wheel for Python; also a multi-platform
// Linux image as a tar archive of the OCI layout, a bill of materials (CycloneDX) and SHA256SUMS. The
// same commit gives the same bytes in any folder.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

type platform struct{ system, architecture string }

func (p platform) String() string { return p.system + "_" + p.architecture }

var (
	platforms = []platform{
		{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
	}
	programs = []string{"coordinator", "worker"}
	shells   = []string{"bash", "zsh", "fish", "powershell"}
)

type file struct {
	name string
	mode fs.FileMode
	data []byte
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "release: give a version and a folder, as in: go run . 0.1.0 ../../out/release")
		os.Exit(2)
	}
	if err := build(ctx, "../..", os.Args[1], os.Args[2], platforms); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func build(ctx context.Context, root, version, out string, platforms []platform) error {
	status, err := output(ctx, root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		return fmt.Errorf("%s has changes that are not committed:\n%s", root, status)
	}
	seconds, err := output(ctx, root, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
	if err != nil {
		return fmt.Errorf("reading the time of the commit: %w", err)
	}
	committed := time.Unix(unix, 0).UTC()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	name := "agepath_" + version
	common, err := commonFiles(ctx, root)
	if err != nil {
		return err
	}
	binaries := map[platform][]file{}
	for _, p := range platforms {
		if binaries[p], err = compile(ctx, root, p); err != nil {
			return err
		}
		files := append(slices.Clone(binaries[p]), common...)
		suffix := ".tar.gz"
		if p.system == "windows" {
			suffix = ".zip"
		}
		folder := name + "_" + p.String()
		data, err := pack(suffix, folder, files, committed)
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		if err := os.WriteFile(filepath.Join(out, folder+suffix), data, 0o644); err != nil {
			return err
		}
		if err := writeWheel(root, out, version, p, committed, binaries[p]); err != nil {
			return fmt.Errorf("writing the wheel of %s: %w", p, err)
		}
	}
	if err := writeImage(out, name+"_image.tar", version, committed, binaries); err != nil {
		return fmt.Errorf("writing the image: %w", err)
	}
	if err := writeBill(filepath.Join(out, name+".cdx.json"), version, committed, slices.Concat(slices.Collect(maps.Values(binaries))...)); err != nil {
		return fmt.Errorf("writing the bill of materials: %w", err)
	}
	return writeSums(out)
}

func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	data, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, complaint.String())
	}
	return string(data), nil
}

// compile builds both programs for a platform. They name their commit, and no folder of this
// machine, and fuse no operations, so that arm64 computes the bits of amd64.
func compile(ctx context.Context, root string, p platform) ([]file, error) {
	dir, err := os.MkdirTemp("", "agepath-release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOOS=" + p.system, "GOARCH=" + p.architecture}
	var files []file
	for _, program := range programs {
		suffix := ""
		if p.system == "windows" {
			suffix = ".exe"
		}
		at := filepath.Join(dir, program+suffix)
		if _, err := output(ctx, root, env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-gcflags=all=-d=fmahash=qn", "-o", at, "./cmd/"+program); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(at)
		if err != nil {
			return nil, err
		}
		files = append(files, file{program + suffix, 0o755, data})
	}
	return files, nil
}

func commonFiles(ctx context.Context, root string) ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "grids/quickstart.yaml"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, data})
	}
	dir, err := os.MkdirTemp("", "agepath-release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if _, err := output(ctx, root, nil, "go", "build", "-o", dir+string(filepath.Separator), "./cmd/..."); err != nil {
		return nil, err
	}
	for _, program := range programs {
		for _, shell := range shells {
			text, err := output(ctx, root, nil, filepath.Join(dir, program), "completion", shell)
			if err != nil {
				return nil, err
			}
			files = append(files, file{"completions/" + program + "." + shell, 0o644, []byte(text)})
		}
	}
	return files, nil
}

// pack makes a .zip, .tar or .tar.gz of files, below a folder unless it is "".
func pack(suffix, folder string, files []file, at time.Time) ([]byte, error) {
	tree := fstest.MapFS{}
	for _, f := range files {
		name := path.Join(folder, f.name)
		tree[name] = &fstest.MapFile{Data: f.data, Mode: f.mode, ModTime: at}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			tree[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: at}
		}
	}
	var out bytes.Buffer
	switch suffix {
	case ".zip":
		archive := zip.NewWriter(&out)
		err := errors.Join(archive.AddFS(tree), archive.Close())
		return out.Bytes(), err
	case ".tar":
		archive := tar.NewWriter(&out)
		err := errors.Join(archive.AddFS(tree), archive.Close())
		return out.Bytes(), err
	}
	unzipped, err := pack(".tar", folder, files, at)
	zip := gzip.NewWriter(&out)
	_, failed := zip.Write(unzipped)
	err = errors.Join(err, failed, zip.Close())
	return out.Bytes(), err
}

// writeImage writes the image of deploy/Dockerfile: the programs and Mozilla's CA certificates.
func writeImage(out, name, version string, at time.Time, binaries map[platform][]file) error {
	var certificates bytes.Buffer
	for root := range bundle.Roots() {
		if err := pem.Encode(&certificates, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return err
		}
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		if p.system != "linux" || binaries[p] == nil {
			continue
		}
		files := append([]file{{"etc/ssl/certs/ca-certificates.crt", 0o644, certificates.Bytes()}}, binaries[p]...)
		layer, err := pack(".tar", "", files, at)
		if err != nil {
			return err
		}
		compressed, err := partial.UncompressedToLayer(static.NewLayer(layer, types.OCILayer))
		if err != nil {
			return err
		}
		image, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), compressed)
		if err != nil {
			return err
		}
		config, err := image.ConfigFile()
		if err != nil {
			return err
		}
		config = config.DeepCopy()
		config.OS, config.Architecture, config.Created = p.system, p.architecture, v1.Time{Time: at}
		config.Config = v1.Config{User: "65532:65532", Entrypoint: []string{"/coordinator"}, Cmd: []string{"--help"}, Labels: map[string]string{
			"org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.source": "https://github.com/agepath/agepath",
		}}
		if image, err = mutate.ConfigFile(image, config); err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.system, Architecture: p.architecture}}})
	}
	dir, err := os.MkdirTemp("", "agepath-image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	whole, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := whole.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version})); err != nil {
		return err
	}
	var files []file
	tree := os.DirFS(dir)
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		files = append(files, file{name, 0o644, data})
		return err
	})
	if err != nil {
		return err
	}
	archive, err := pack(".tar", "", files, at)
	if err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "image.digest"), []byte(digest.String()+"\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, name), archive, 0o644)
}

// writeBill writes the bill of materials of programs.
func writeBill(to, version string, at time.Time, programs []file) error {
	modules, goVersion := map[string]*debug.Module{}, ""
	for _, f := range programs {
		info, err := buildinfo.Read(bytes.NewReader(f.data))
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		goVersion = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			modules[m.Path] = m
		}
	}
	components := []cyclonedx.Component{{
		BOMRef: "go", Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: goVersion, PackageURL: "pkg:golang/std@" + strings.TrimPrefix(goVersion, "go"),
	}}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		url := "pkg:golang/" + path + "@" + m.Version
		component := cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: m.Version, PackageURL: url}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == sha256.Size {
			component.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
		}
		components = append(components, component)
	}
	bill := cyclonedx.NewBOM()
	bill.Components = &components
	bill.Metadata = &cyclonedx.Metadata{Timestamp: at.Format(time.RFC3339), Component: &cyclonedx.Component{
		BOMRef: "agepath", Type: cyclonedx.ComponentTypeApplication, Name: "agepath", Version: version,
		PackageURL: "pkg:golang/github.com/agepath/agepath@v" + version,
		Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
	}}
	var text bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&text, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill, cyclonedx.SpecVersion1_6); err != nil {
		return err
	}
	return os.WriteFile(to, text.Bytes(), 0o644)
}

func writeSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, entry := range entries {
		if entry.Name() == "SHA256SUMS" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), entry.Name())
	}
	fmt.Printf("%s built on %s/%s:\n%s", dir, runtime.GOOS, runtime.GOARCH, text.String())
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(text.String()), 0o644)
}
