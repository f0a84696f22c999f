package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// wheelOf builds the wheel of this platform.
func wheelOf(t *testing.T) string {
	t.Helper()
	here := platform{runtime.GOOS, runtime.GOARCH}
	binaries, err := compile(t.Context(), "../..", here)
	if err != nil {
		t.Fatal(err)
	}
	var sums [2][sha256.Size]byte
	var path string
	for i := range sums { // in two folders
		out := t.TempDir()
		if err := writeWheel("../..", out, "0.0.1", here, time.Unix(1_700_000_000, 0).UTC(), binaries); err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(out, "agepath-0.0.1-py3-none-"+wheelTags[here]+".whl")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = sha256.Sum256(data)
	}
	if sums[0] != sums[1] {
		t.Error("two wheels of the same programs differ")
	}
	return path
}

// TestWheel installs the wheel of this platform in environments of their own, without a network: one
// that has nothing else, where it computes the quickstart, and one with Debian's numpy and pandas,
// where it runs every line of docs/python.md.
func TestWheel(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds and installs a wheel: a minute, on Unix")
	}
	const python = "/usr/bin/python3"
	if text, err := exec.CommandContext(t.Context(), python, "-c", "import ensurepip").CombinedOutput(); err != nil {
		t.Skipf("no environments of Python, Debian's python3-venv: %v\n%s", err, text)
	}
	wheel := wheelOf(t)
	checkWheel(t, wheel)
	page, err := filepath.Abs("../../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	grid, err := os.ReadFile("../../grids/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"alone": `python -m venv env && env/bin/pip install --no-index WHEEL && . env/bin/activate
agepath run quickstart.yaml --figures 1 && agepath-worker --help && python -m agepath version | grep "^agepath "
python -c 'import agepath
results = agepath.read("out/quickstart")
print(results.verdict, results.table()[0]["dataset"], len(results.figure(results.figures[0])), agepath.run("quickstart.yaml").summary["computed"])'`,
		"with numpy and pandas": `python -m venv --system-site-packages env && env/bin/pip install --no-index WHEEL && . env/bin/activate
python -c 'import numpy, pandas, sklearn' || { echo LACKING; exit; }
python -m doctest -o ELLIPSIS -o NORMALIZE_WHITESPACE PAGE && echo every line`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "quickstart.yaml"), grid, 0o600); err != nil {
				t.Fatal(err)
			}
			script := strings.NewReplacer("python -m venv", python+" -m venv", "WHEEL", wheel, "PAGE", page).Replace(script)
			cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "AGEPATH_LOG_LEVEL=error", "PIP_DISABLE_PIP_VERSION_CHECK=1")
			text, err := cmd.CombinedOutput()
			if strings.Contains(string(text), "LACKING") {
				t.Skipf("Debian's python3-sklearn and python3-pandas:\n%s", text)
			}
			want := map[bool]string{true: "breast_cancer ", false: "every line"}[name == "alone"]
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// checkWheel wants what twine and PyPI check: the names of PEP 427, the fields of METADATA, and a
// RECORD with every file and its sum.
func checkWheel(t *testing.T, path string) {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string]string{}
	for _, f := range archive.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(content)
		if err != nil || content.Close() != nil || strings.HasSuffix(f.Name, "/") {
			t.Fatal(f.Name, err)
		}
		if _, twice := files[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		files[f.Name] = string(data)
	}
	record, err := csv.NewReader(strings.NewReader(files["agepath-0.0.1.dist-info/RECORD"])).ReadAll()
	if err != nil || len(record) != len(files) {
		t.Fatalf("%d lines of RECORD for %d files, %v", len(record), len(files), err)
	}
	for _, line := range record {
		data, found := files[line[0]]
		sum := sha256.Sum256([]byte(data))
		want := fmt.Sprintf("sha256=%s,%d", base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		if strings.HasSuffix(line[0], "/RECORD") {
			want = ","
		}
		if got := line[1] + "," + line[2]; !found || got != want {
			t.Errorf("RECORD says %v, want %s", line, want)
		}
	}
	for _, name := range []string{"agepath/__init__.py", "agepath/__main__.py", "agepath/py.typed", "agepath-0.0.1.data/scripts/agepath", "agepath-0.0.1.data/scripts/agepath-worker"} {
		if _, found := files[name]; !found {
			t.Errorf("no %s in %v", name, slices.Sorted(maps.Keys(files)))
		}
	}
	source, err := os.ReadFile("../../experiment/outside/agepath.py")
	if err != nil || files["agepath/__init__.py"] != string(source) {
		t.Errorf("the package is not what coordinator python prints: %v", err)
	}
	head, description, _ := strings.Cut(files["agepath-0.0.1.dist-info/METADATA"], "\n\n")
	for _, line := range []string{"Metadata-Version: 2.1", "Name: agepath", "Version: 0.0.1", "Description-Content-Type: text/markdown"} {
		if !slices.Contains(strings.Split(head, "\n"), line) {
			t.Errorf("METADATA has no line %s", line)
		}
	}
	if !strings.HasPrefix(description, "# agepath\n") {
		t.Errorf("the description begins %.50q", description)
	}
	tags := strings.Split(strings.TrimSuffix(filepath.Base(path), ".whl"), "-")[4]
	for tag := range strings.SplitSeq(tags, ".") {
		if !strings.Contains(files["agepath-0.0.1.dist-info/WHEEL"], "\nTag: py3-none-"+tag+"\n") {
			t.Errorf("WHEEL has no tag %s", tag)
		}
	}
}
