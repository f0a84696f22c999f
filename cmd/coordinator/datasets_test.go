package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/command"
)

func TestDatasetsList(t *testing.T) {
	t.Parallel()
	o := must(t, "datasets", "list", "--cache", t.TempDir())
	for _, entry := range dataset.Catalog() {
		where := "absent"
		if entry.Embedded {
			where = "embedded"
		}
		if !hasLine(o.out, entry.Name+" ", where) {
			t.Errorf("no line with %s and %s in\n%s", entry.Name, where, o.out)
		}
	}
	if o := must(t, "datasets", "list", "Music", "--cache", t.TempDir()); strings.Count(o.out, "\n") != 2 || !hasLine(o.out, "music", "OpenML 4544") {
		t.Errorf("list of one prints\n%s", o.out)
	}
}

func hasLine(text, begin, part string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, begin) && strings.Contains(line, part) {
			return true
		}
	}
	return false
}

// TestDatasetsCheck wants what is there to pass, what was asked for by name
// and is absent or damaged not to, and the exit status to say so.
func TestDatasetsCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if o := must(t, "datasets", "check", "--cache", dir); !hasLine(o.out, "diabetes", "ok") || strings.Contains(o.out, "music") {
		t.Errorf("check prints\n%s", o.out)
	}
	absent := do(t, "datasets", "check", "diabetes", "music", "--cache", dir)
	if absent.code != command.ExitFailed || !hasLine(absent.out, "music", "bad") || !strings.Contains(absent.err, "1 of 2 data sets do not pass") {
		t.Errorf("absent: exit status %d\n%s%s", absent.code, absent.out, absent.err)
	}
	entry, _ := dataset.Lookup("music")
	write(t, dir, entry.Files[0].Path, "1,2,3\n4,5,6\n")
	damaged := do(t, "datasets", "check", "--datasets", dir, "--cache", dir)
	if damaged.code != command.ExitFailed || !hasLine(damaged.out, "music", "bad") {
		t.Errorf("damaged: exit status %d\n%s%s", damaged.code, damaged.out, damaged.err)
	}
}

// TestMissingDataFolder wants a mistyped data folder to be refused, also where
// nothing would be read from it.
func TestMissingDataFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for folder, want := range map[string]string{filepath.Join(dir, "none"): "data folder: stat", write(t, dir, "a.csv", "1,2\n"): "is not a folder"} {
		for _, args := range [][]string{{"datasets", "list"}, {"datasets", "check", "diabetes"}, {"plan", filepath.Join("..", "..", "grids", "quickstart.yaml")}} {
			o := do(t, append(args, "--datasets", folder, "--cache", dir)...)
			wantRefusal(t, o, []string{want, folder, "--datasets DIR"})
		}
	}
}

// TestDatasetsFetch wants the failure of a download to be told; what a fetch
// survives is tested with the fetcher.
func TestDatasetsFetch(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		http.NotFound(w, r)
	}))
	defer server.Close()
	cache := filepath.Join(t.TempDir(), "cache")
	o := do(t, "datasets", "fetch", "music", "--openml", server.URL, "--cache", cache)
	if o.code != command.ExitFailed || !strings.Contains(o.err, "fetch data set music") || !strings.Contains(o.err, "404") {
		t.Errorf("exit status %d: %s", o.code, o.err)
	}
	if path := <-asked; path != "/api/v1/json/data/4544" {
		t.Errorf("asked for %s", path)
	}
	if o := do(t, "datasets", "fetch", "diabetes", "--cache", cache); o.code != command.ExitFailed || !strings.Contains(o.err, "embedded") {
		t.Errorf("embedded: exit status %d: %s", o.code, o.err)
	}
}
