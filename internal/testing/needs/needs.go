// Package needs checks what tests need and a machine can lack. A test that lacks something skips
// with the reason, or fails with AGEPATH_REQUIRE_ALL=1.
package needs

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const (
	requireAll = "AGEPATH_REQUIRE_ALL"
	datasets   = "AGEPATH_DATASETS"
)

// Lacking skips or fails a test.
func Lacking(t testing.TB, format string, args ...any) {
	t.Helper()
	Without(t, format, args...)
	t.SkipNow()
}

// Without logs what a test lacks that continues with less.
func Without(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv(requireAll) == "1" {
		t.Fatalf(format+" ("+requireAll+" is set)", args...)
	}
	t.Logf(format, args...)
}

// Patience skips a test that mostly waits or repeats, for the given time, with -short unless
// nothing may be lacking.
func Patience(t testing.TB, takes string) {
	t.Helper()
	if testing.Short() && os.Getenv(requireAll) != "1" {
		t.Skipf("takes %s, which -short leaves out", takes)
	}
}

// Waiting runs n tests of a package at a time unless -parallel is given, instead of one per
// processor: for TestMain of packages whose tests mostly wait.
func Waiting(n int) {
	if err := flag.Set("test.parallel", strconv.Itoa(n)); err != nil {
		panic(err)
	}
}

// Long reports whether AGEPATH_LONG=1 asks tests to repeat for minutes.
func Long() bool { return os.Getenv("AGEPATH_LONG") == "1" }

// Program returns the path of the first program that exists, by path or in the PATH.
func Program(t testing.TB, purpose string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	Lacking(t, "%s: none of %q is installed", purpose, names)
	return ""
}

// DatasetsFolder returns the folder of real data sets, which may not exist: AGEPATH_DATASETS, else
// ../shared/datasets from the repository.
func DatasetsFolder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(datasets); dir != "" {
		return dir
	}
	return filepath.Join(repository(t), "..", "shared", "datasets")
}

// Datasets is [DatasetsFolder] if it exists.
func Datasets(t testing.TB) string {
	t.Helper()
	dir := DatasetsFolder(t)
	if _, err := os.Stat(dir); err != nil {
		Lacking(t, "no real data sets, set %s to their folder: %v", datasets, err)
	}
	return dir
}

func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
	}
	t.Fatalf("no go.mod in %s or above", dir)
	return ""
}

// From 32768 on systems assign ports: another process may take one before the server listens.
const first, last = 10240, 32767

// FreePorts returns n different free addresses 127.0.0.1:PORT that the system does not assign, for
// servers whose ports must be known before they listen.
func FreePorts(t testing.TB, n int) []string {
	t.Helper()
	var list []string
	for tries := 0; len(list) < n; tries++ {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(last-first+1)))
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err != nil {
			if tries > 100 {
				t.Fatalf("looking for free ports: %v", err)
			}
			continue
		}
		defer listener.Close() // at the end: all are different
		list = append(list, address)
	}
	return list
}

// Polars returns a folder with nodejs-polars and DuckDB, installed once into the user's
// cache as the files in source say.
func Polars(t testing.TB, source string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		Program(t, "reading by polars", tool)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		Lacking(t, "no folder to keep polars in: %v", err)
	}
	hash := sha256.New()
	names := []string{"package.json", "package-lock.json"}
	for _, name := range append(names, "check.mjs") {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(text)
	}
	dir := filepath.Join(cache, "agepath-test", fmt.Sprintf("polars-%x", hash.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		Lacking(t, "no folder to keep polars in: %v", err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "new-") //nolint:usetesting // on the disk where it goes
	if err != nil {
		Lacking(t, "no folder to keep polars in: %v", err)
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it is renamed by then
	if err := os.CopyFS(fresh, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// npm ci requires every optional package of the lock file, some of which were never published.
	install := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = fresh
	if out, err := install.CombinedOutput(); err != nil {
		Lacking(t, "polars cannot be installed: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil && !os.IsExist(err) { // another process may be faster
		t.Fatal(err)
	}
	return dir
}
