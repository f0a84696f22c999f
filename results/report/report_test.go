package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	_ "github.com/agepath/agepath/experiment/selfpaced/evaluation"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
)

// filesIn reads every file below a folder.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func mustWrite(t *testing.T, dir string, options Options) *Report {
	t.Helper()
	r, err := Write(t.Context(), dir, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWriteIsDeterministic(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	run := testrun.Quickstart(2)
	first, second := testrun.Write(t, run), testrun.Write(t, run)
	mustWrite(t, first, Options{Formats: Formats, Figures: 24})
	mustWrite(t, second, Options{Formats: Formats, Figures: 24})
	files := filesIn(t, filepath.Join(first, results.ReportFolder))
	if !maps.Equal(files, filesIn(t, filepath.Join(second, results.ReportFolder))) {
		t.Error("equal runs have different reports")
	}
	if want := 12 + 3*22; len(files) != want {
		t.Errorf("%d files, want %d: %v", len(files), want, slices.Sorted(maps.Keys(files)))
	}
	// Every figure is in report.md, and every link of it leads somewhere.
	links := 0
	for _, part := range strings.Split(files["report.md"], "](")[1:] {
		target, _, _ := strings.Cut(part, ")")
		if _, ok := files[filepath.FromSlash(target)]; !ok {
			t.Errorf("report.md links to %s, which is not there", target)
		}
		links++
	}
	if links != 3*22 {
		t.Errorf("report.md has %d links", links)
	}
	for name, text := range files {
		if strings.Contains(text, first) {
			t.Errorf("%s holds the path of the folder", name)
		}
	}
}

func TestWriteLeavesEqualFilesAlone(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	dir := testrun.Write(t, testrun.Quickstart(1))
	mustWrite(t, dir, Options{})
	folder := filepath.Join(dir, results.ReportFolder)
	old := time.Unix(1_000_000_000, 0)
	changed := filepath.Join(folder, "report.md")
	files := filesIn(t, folder)
	for name := range files {
		if err := os.Chtimes(filepath.Join(folder, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(changed, []byte("edited"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, Options{})
	for name := range files {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if touched := !info.ModTime().Equal(old); touched != (name == "report.md") {
			t.Errorf("%s was written: %v", name, touched)
		}
	}
	if !maps.Equal(files, filesIn(t, folder)) {
		t.Error("the second report differs")
	}
}

func TestWriteRemovesStaleFigures(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Quickstart(1))
	r := mustWrite(t, dir, Options{Figures: 3})
	if len(r.Figures) != 3 || len(r.LeftOut) != 19 {
		t.Fatalf("%d figures, %d left out", len(r.Figures), len(r.LeftOut))
	}
	for i, kind := range figure.Kinds(r.Layout)[1:4] { // there is nothing to rank
		if r.Figures[i].Kind != kind {
			t.Errorf("figure %d is of kind %s, want one of each", i, r.Figures[i].Kind)
		}
	}
	folder := filepath.Join(dir, results.ReportFolder, figureFolder)
	keep := []string{"mine.svg", "path-notes.txt"}
	for _, name := range keep {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mustWrite(t, dir, Options{Figures: -1})
	if got := slices.Sorted(maps.Keys(filesIn(t, folder))); !slices.Equal(got, keep) {
		t.Errorf("left are %v, want %v", got, keep)
	}
}

func TestLoadSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	run := testrun.Quickstart(3)
	run.Cells = run.Cells[:100]
	run.Cells[7] = testrun.Merge(run.Cells[7], testrun.Row{"status": "timeout", "error": "after 1s", "test_at_best_test": nil, "test_at_best_validation": nil, "test_at_end": nil})
	run.Knots, run.Coefficients = experiment.Batch{}, experiment.Batch{}
	dir := testrun.Write(t, run)
	err := results.WriteManifest(dir, &results.Manifest{Name: "my grid", Run: "r1", Kind: selfpaced.Name, Cells: 174,
		Versions: map[string]string{"agepath": "v1"}, Data: map[string]string{"diabetes": "d1"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Load(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "my grid" {
		t.Errorf("name %s", r.Name)
	}
	facts := fmt.Sprint(r.Facts)
	for _, want := range []string{"{run r1}", "{version of agepath v1}", "{data set diabetes d1}", "{cells of the grid 174}", "{cells ok 99}", "{cells timeout 1}"} {
		if !strings.Contains(facts, want) {
			t.Errorf("%s is not among %s", want, facts)
		}
	}
	missing := strings.Join(r.Missing, "\n")
	for _, want := range []string{"74 of the grid's 174 cells", "no knots.arrow"} {
		if !strings.Contains(missing, want) {
			t.Errorf("%q is not among\n%s", want, missing)
		}
	}
	if strings.Contains(missing, "oefficients") { // the grid did not ask for them
		t.Error(missing)
	}
	want := analysis.Reason{Method: "GAGA", Status: experiment.Timeout, Text: "after 1s", Like: "after …s", Cells: 1, Cell: testrun.ID(7)}
	if len(r.Reasons) != 1 || r.Failed != 1 {
		t.Fatalf("reasons %+v", r.Reasons)
	}
	got := r.Reasons[0]
	if want.What, want.Method = got.What, got.Method; got != want || !strings.Contains(got.What, "diabetes, Lasso") || !strings.Contains(got.What, "repeat 1") {
		t.Errorf("reason %+v", got)
	}
	for _, f := range r.Figures {
		if f.Kind != figure.Sensitivity {
			t.Errorf("there is a figure %s", f.Name)
		}
	}
}

func TestLoadCompleteRunMissesNothing(t *testing.T) {
	t.Parallel()
	run := testrun.Quickstart(1)
	dir := testrun.Write(t, run)
	manifest := &results.Manifest{Name: "full", Kind: selfpaced.Name, Cells: int64(len(run.Cells))}
	if err := results.WriteManifest(dir, manifest); err != nil {
		t.Fatal(err)
	}
	r, err := Load(t.Context(), dir, Options{})
	if err != nil || len(r.Missing) > 0 || r.Failed > 0 {
		t.Errorf("missing %q, failed %d, error %v", r.Missing, r.Failed, err)
	}
}

func TestLoadKeepsTheFirstFailures(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for i := range 60 * analysis.MaxFailures {
		id := testrun.ID((i*7 + 3) % (60 * analysis.MaxFailures)) // every one once
		rows = append(rows, testrun.Row{"cell": id, "method": "gaga", "status": "failed", "error": "of " + id})
	}
	r, err := Load(t.Context(), testrun.Write(t, testrun.Tables{Cells: rows}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed != len(rows) || len(r.Failures) != analysis.MaxFailures {
		t.Fatalf("%d failures of %d", len(r.Failures), r.Failed)
	}
	for i, f := range r.Failures {
		if f.Cell != testrun.ID(i) || f.Error != "of "+testrun.ID(i) {
			t.Errorf("failure %d is %+v", i, f)
		}
	}
}

// TestReasons wants cells that differ in numbers and names alone to be one reason, with the first
// of them, and what a command wrote last to be part of it.
func TestReasons(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for i := range 40 {
		rows = append(rows, testrun.Row{"cell": testrun.ID(100 - i), "method": "gaga", "dataset": fmt.Sprintf("set-%d", i%3), "status": "failed",
			"error": fmt.Sprintf("no step at age %g of set-%d\n\tsecond line", 0.5*float64(i), i%3)})
	}
	for i := range 7 {
		rows = append(rows, testrun.Row{"cell": testrun.ID(200 + i), "method": "forest", "status": "diverged",
			"error": "the command ended without an answer: exit status 1\nstandard error:\nTraceback\n  File x, line 3\nModuleNotFoundError: No module named 'numpy'\n"})
	}
	rows = append(rows, testrun.Row{"cell": testrun.ID(300), "method": "forest", "status": "diverged", "error": "another"})
	r := loaded(t, rows)
	want := []analysis.Reason{
		{Method: "GAGA", Status: "failed", Text: "no step at age … of …", Cells: 40, Cell: testrun.ID(61)},
		{Method: "forest", Status: "diverged", Text: "ModuleNotFoundError: No module named 'numpy'", Cells: 7, Cell: testrun.ID(200)},
		{Method: "forest", Status: "diverged", Text: "another", Cells: 1, Cell: testrun.ID(300)},
	}
	if r.Failed != 48 || len(r.Reasons) != len(want) {
		t.Fatalf("%d failed, reasons %+v", r.Failed, r.Reasons)
	}
	for i, got := range r.Reasons {
		if want[i].What, want[i].Like = got.What, got.Like; got != want[i] {
			t.Errorf("%+v, want %+v", got, want[i])
		}
	}
}

func TestLoadNoCells(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Tables{})
	r := mustWrite(t, dir, Options{Formats: Formats})
	if len(r.Tables) != 0 || len(r.Figures) != 0 || !strings.Contains(strings.Join(r.Missing, "\n"), "there are no cells yet") {
		t.Errorf("report %+v", r)
	}
}

// TestPathsOfMultipliers wants the paths of the first repeat, at the second of four values of α with
// noise 0.3, and coefficients that are not as many as features to be called those of samples.
func TestPathsOfMultipliers(t *testing.T) {
	t.Parallel()
	run := testrun.Quickstart(2)
	want := ""
	for _, cell := range run.Cells {
		cell["n_features"] = 99
		if want == "" && cell["method"] == "gaga" && cell["repeat"] == 1 && cell["alpha"] == 0.003 && cell["noise_level"] == 0.3 {
			want = cell["cell"].(string)
		}
	}
	r, err := Load(t.Context(), testrun.Write(t, run), Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Figures, func(f *figure.Figure) bool { return f.Kind == selfpaced.FigurePath })
	if at < 0 {
		t.Fatalf("no path of %s: %q", want, r.Missing)
	}
	if f := r.Figures[at]; !strings.Contains(f.Caption, want) || f.Y.Text != "multiplier of the sample" || f.Series[0].Name != "sample 0" {
		t.Errorf("figure %+v, want that of %s", f, want)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Quickstart(1))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(cancelled, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Load(t.Context(), t.TempDir(), Options{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), results.CellsFile) {
		t.Errorf("without files: %v", err)
	}
	whole := filesIn(t, dir)
	for _, name := range []string{results.ManifestName, "coefficients.arrow", "knots.arrow", results.CellsFile} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("junk"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("junk in %s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if text, there := whole[name]; there {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAbsentData wants a row for a data set that was skipped, in every format.
func TestAbsentData(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Quickstart(1))
	err := results.WriteManifest(dir, &results.Manifest{Kind: selfpaced.Name, Cells: 1, Absent: []results.ManifestData{{Name: "hiva_agnostic", Task: "classification", Rows: 4229, Features: 1617}}})
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, Options{Figures: -1, Formats: Formats})
	files := filesIn(t, dir+"/"+results.ReportFolder)
	for _, name := range []string{"report.md", "tables.tex", "report.html"} {
		text := strings.ReplaceAll(files[name], `\_`, "_")
		if !strings.Contains(text, "hiva_agnostic") || !strings.Contains(text, "4229") {
			t.Errorf("%s has no row of hiva_agnostic", name)
		}
	}
}

// TestLoadRefuses wants no report of damaged files and of those of another version.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Quickstart(1))
	for _, name := range []string{results.CellsFile, "knots.arrow", "coefficients.arrow"} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(text); at += 1 + len(text)/20 {
			text[at] ^= 1 << (at % 8)
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("a report of %s with another bit in byte %d: %v", name, at, err)
			}
			text[at] ^= 1 << (at % 8)
		}
		version := bytes.ReplaceAll(text, fmt.Appendf(nil, "\x02\x00\x00\x00%d", experiment.SchemaVersion), fmt.Appendf(nil, "\x02\x00\x00\x00%d", experiment.SchemaVersion+1))
		if err := os.WriteFile(path, version, 0o666); err != nil {
			t.Fatal(err)
		}
		var other *results.VersionError
		if _, err := Load(t.Context(), dir, Options{}); !errors.As(err, &other) {
			t.Errorf("a report of %s of another version: %v", name, err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
