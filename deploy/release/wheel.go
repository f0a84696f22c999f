package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// wheelTags are the platforms of wheels in the words of PEP 425. The programs are static, so that
// one file is for glibc and musl. macOS 12 is the first that Go supports.
var wheelTags = map[platform]string{
	{"linux", "amd64"}:   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	{"linux", "arm64"}:   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	{"darwin", "amd64"}:  "macosx_12_0_x86_64",
	{"darwin", "arm64"}:  "macosx_12_0_arm64",
	{"windows", "amd64"}: "win_amd64",
	{"windows", "arm64"}: "win_arm64",
}

const wheelMetadata = `Metadata-Version: 2.1
Name: agepath
Version: %s
Summary: Self-paced learning: exact age paths, models that bad rows do not mislead, suspect rows, experiments in bulk
Project-URL: Source, https://github.com/agepath/agepath
License: Apache-2.0
Requires-Python: >=3.8
Description-Content-Type: text/markdown

`

// writeWheel writes the wheel (PEP 427) of a platform: the package agepath, which is
// experiment/outside/agepath.py, and the programs as the commands agepath and agepath-worker.
func writeWheel(root, out, version string, p platform, at time.Time, binaries []file) error {
	var texts [3][]byte
	for i, name := range []string{"experiment/outside/agepath.py", "docs/python.md", "LICENSE"} {
		var err error
		if texts[i], err = os.ReadFile(filepath.Join(root, name)); err != nil {
			return err
		}
	}
	begin, tags := "agepath-"+version, "py3-none-"+wheelTags[p]
	wheel := bytes.NewBufferString("Wheel-Version: 1.0\nGenerator: agepath\nRoot-Is-Purelib: false\n")
	_, systems, _ := strings.Cut(tags, "none-")
	for system := range strings.SplitSeq(systems, ".") {
		fmt.Fprintf(wheel, "Tag: py3-none-%s\n", system)
	}
	files := []file{
		{"agepath/__init__.py", 0o644, texts[0]}, {"agepath/__main__.py", 0o644, []byte("import subprocess, sys, agepath\nsys.exit(subprocess.call([agepath._program(), *sys.argv[1:]]))\n")}, {"agepath/py.typed", 0o644, nil},
	}
	for _, f := range binaries {
		command := strings.Replace(strings.Replace(f.name, "coordinator", "agepath", 1), "worker", "agepath-worker", 1)
		files = append(files, file{begin + ".data/scripts/" + command, 0o755, f.data})
	}
	info := begin + ".dist-info/"
	files = append(files, file{info + "LICENSE", 0o644, texts[2]},
		file{info + "METADATA", 0o644, fmt.Appendf(nil, wheelMetadata+"%s", version, texts[1])}, file{info + "WHEEL", 0o644, wheel.Bytes()})
	var record bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	var data bytes.Buffer
	archive := zip.NewWriter(&data)
	for _, f := range append(files, file{info + "RECORD", 0o644, record.Bytes()}) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		w, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, begin+"-"+tags+".whl"), data.Bytes(), 0o644)
}
