package needs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// recorder is a test that notes how it ends.
type recorder struct {
	testing.TB
	skipped, failed bool
	text            string
}

func (r *recorder) Helper()                         {}
func (r *recorder) Logf(format string, args ...any) { r.text = fmt.Sprintf(format, args...) }
func (r *recorder) SkipNow()                        { r.skipped = true; runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = true
	r.Logf(format, args...)
	runtime.Goexit()
}

// record runs what a test does and returns how it ended.
func record(do func(testing.TB)) *recorder {
	r, ended := &recorder{}, make(chan bool)
	go func() {
		defer close(ended)
		do(r)
	}()
	<-ended
	return r
}

// TestLacking wants what a machine lacks to be told, and to be a skip or, where
// nothing may be lacking, a failure.
func TestLacking(t *testing.T) {
	for _, all := range []string{"", "1"} {
		t.Setenv(requireAll, all)
		t.Setenv(datasets, filepath.Join(t.TempDir(), "none"))
		for name, do := range map[string]func(testing.TB){
			"no tea":      func(t testing.TB) { Lacking(t, "no %s", "tea") },
			"no-such-cup": func(t testing.TB) { Program(t, "drinking", "no-such-cup", "/none/either") },
			"none":        func(t testing.TB) { Datasets(t) },
		} {
			if r := record(do); r.skipped == (all == "1") || r.failed != (all == "1") || !strings.Contains(r.text, name) {
				t.Errorf("%s=%q: skipped %v, failed %v, %q", requireAll, all, r.skipped, r.failed, r.text)
			}
		}
		if r := record(func(t testing.TB) { Without(t, "no sugar") }); r.skipped || r.failed != (all == "1") || !strings.Contains(r.text, "no sugar") {
			t.Errorf("%s=%q: going on without: skipped %v, failed %v, %q", requireAll, all, r.skipped, r.failed, r.text)
		}
	}
}

// TestThere wants what is there to be found.
func TestThere(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got := Program(t, "testing", "no-such-cup", own); got != own {
		t.Errorf("found %s, want %s", got, own)
	}
	dir := t.TempDir()
	t.Setenv(datasets, filepath.Join(dir, "none"))
	if got := DatasetsFolder(t); got != filepath.Join(dir, "none") {
		t.Errorf("data sets are expected in %s", got)
	}
	t.Setenv(datasets, dir)
	if got := Datasets(t); got != dir {
		t.Errorf("data sets in %s, want %s", got, dir)
	}
	if text, err := os.ReadFile(filepath.Join(repository(t), "go.mod")); err != nil || !strings.Contains(string(text), "module github.com/agepath/agepath\n") {
		t.Errorf("go.mod of the repository: %v, %s", err, text)
	}
}
