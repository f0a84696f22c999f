package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
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

// gone is the text of a file that a server describes and does not have.
const gone = ""

// openML starts a server that has the data sets of an address and file each, as OpenML answers.
func openML(t *testing.T, files map[int]string) string {
	t.Helper()
	mux := http.NewServeMux()
	for id, text := range files {
		mux.HandleFunc(fmt.Sprintf("/api/v1/json/data/%d", id), func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"data_set_description":{"id":"%d","url":"http://%s/file/%[1]d"}}`, id, r.Host)
		})
		if text != gone {
			mux.HandleFunc(fmt.Sprintf("/file/%d", id), func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
		}
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// TestRemediesOfDatasets tries each remedy of the messages about data sets of the catalog, the download from a server
// in place of OpenML.
func TestRemediesOfDatasets(t *testing.T) {
	t.Parallel()
	var tracks strings.Builder // as many as music has
	tracks.WriteString("@relation music\n")
	for column := range 118 {
		fmt.Fprintf(&tracks, "@attribute a%d numeric\n", column)
	}
	tracks.WriteString("@data\n")
	for row := range 1059 {
		for column := range 118 {
			fmt.Fprintf(&tracks, "%d,", (row*column)%97)
		}
		tracks.WriteString("\n")
	}
	music := strings.ReplaceAll(tracks.String(), ",\n", "\n")
	url, dir := openML(t, map[int]string{4544: music}), t.TempDir()
	cache := filepath.Join(dir, "cache")
	at := func(args ...string) []string { return append(args, "--cache", cache) }
	grid := write(t, dir, "grid.yaml", "name: absent\ndata: [music]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\n")
	unknown := do(t, at("datasets", "list", "musci")...)
	meant := regexp.MustCompile(`did you mean (\w+)\?`).FindStringSubmatch(unknown.err)
	if unknown.code != command.ExitRefused || meant == nil {
		t.Fatalf("exit status %d: %s", unknown.code, unknown.err)
	}
	if o := must(t, at("datasets", "list", meant[1])...); !hasLine(o.out, "music", "absent") {
		t.Error(o.out)
	}
	for _, refused := range [][]string{at("plan", grid), at("datasets", "check", "music")} {
		absent := do(t, refused...)
		lines := advised(absent.out+absent.err, nil)
		if absent.code == command.ExitDone || len(lines) != 1 {
			t.Fatalf("exit status %d, %d command lines: %s%s", absent.code, len(lines), absent.out, absent.err)
		}
		if o := do(t, at(append(lines[0], "--openml", url)...)...); o.code != command.ExitDone {
			t.Fatalf("%q: exit status %d: %s", lines[0], o.code, o.err)
		}
		must(t, refused...)
		if o := must(t, at("datasets", "list", "music")...); !hasLine(o.out, "music", filepath.Join(cache, "music")) {
			t.Error(o.out)
		}
		if err := os.RemoveAll(cache); err != nil {
			t.Fatal(err)
		}
	}
	for name, server := range map[string]string{"no description": openML(t, nil), "no file": openML(t, map[int]string{4544: gone})} {
		failed := do(t, at("datasets", "fetch", "music", "--openml", server)...)
		place := regexp.MustCompile(`404 Not Found; a copy of the file from elsewhere goes to (\S+)\n`).FindStringSubmatch(failed.err)
		if failed.code != command.ExitFailed || place == nil {
			t.Fatalf("%s: exit status %d: %s", name, failed.code, failed.err)
		}
		write(t, filepath.Dir(place[1]), filepath.Base(place[1]), music)
		must(t, at("plan", grid)...)
		must(t, at("datasets", "check", "music")...)
		if err := os.RemoveAll(cache); err != nil {
			t.Fatal(err)
		}
	}
	folder := do(t, at("datasets", "list", "--datasets", filepath.Join(dir, "gone"))...)
	if folder.code != command.ExitRefused || !strings.Contains(folder.err, "--datasets DIR names an existing folder") {
		t.Errorf("exit status %d: %s", folder.code, folder.err)
	}
	must(t, at("datasets", "list", "--datasets", dir)...)

	lost := process(t.Context(), "datasets", "fetch", "music", "--openml", url)
	text, err := homeless(lost).CombinedOutput()
	if err == nil || !strings.Contains(string(text), "--cache DIR names it") {
		t.Errorf("without a home: %v: %s", err, text)
	}
	if text, err := homeless(process(t.Context(), at(lost.Args[1:]...)...)).CombinedOutput(); err != nil {
		t.Errorf("without a home: %v: %s", err, text)
	}
}
