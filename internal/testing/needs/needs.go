// Package needs checks what tests need and a machine can lack. A test that lacks something skips
// with the reason, or fails with AGEPATH_REQUIRE_ALL=1.
package needs

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
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
