package results

import (
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
	t.Parallel()
	run := quickstart(2)
	first, second := writeRun(t, run), writeRun(t, run)
	mustWrite(t, first, Options{Formats: Formats})
	mustWrite(t, second, Options{Formats: Formats})
	files := filesIn(t, filepath.Join(first, reportFolder))
	if !maps.Equal(files, filesIn(t, filepath.Join(second, reportFolder))) {
		t.Error("equal runs have different reports")
	}
	if want := 6 + 3*22; len(files) != want {
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
	t.Parallel()
	dir := writeRun(t, quickstart(1))
	mustWrite(t, dir, Options{})
	folder := filepath.Join(dir, reportFolder)
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
	dir := writeRun(t, quickstart(1))
	r := mustWrite(t, dir, Options{Figures: 3})
	if len(r.Figures) != 3 || len(r.LeftOut) != 19 {
		t.Fatalf("%d figures, %d left out", len(r.Figures), len(r.LeftOut))
	}
	for i, kind := range figureKinds[1:4] { // there is nothing to rank
		if r.Figures[i].Kind != kind {
			t.Errorf("figure %d is of kind %s, want one of each", i, r.Figures[i].Kind)
		}
	}
	folder := filepath.Join(dir, reportFolder, figureFolder)
	keep := []string{"mine.svg", "path-notes.txt"}
	for _, name := range append([]string{"path-old.svg", "validation-curve-old.csv"}, keep...) {
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
	run := quickstart(3)
	run.cells = run.cells[:100]
	run.cells[7] = merge(run.cells[7], cellRow{"status": "timeout", "error": "after 1s", "test_at_best_test": nil, "test_at_best_validation": nil, "test_at_end": nil})
	run.knots, run.coefficients = experiment.Batch{}, experiment.Batch{}
	dir := writeRun(t, run)
	err := WriteManifest(dir, &Manifest{Name: "my grid", Run: "r1", Kind: experiment.SelfPaced, Cells: 174,
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
	facts := fmt.Sprint(append(r.Facts, r.Statuses...))
	for _, want := range []string{"{run r1}", "{version of agepath v1}", "{data set diabetes d1}", "{cells of the grid 174}", "{cells ok 99}", "{cells timeout 1}"} {
		if !strings.Contains(facts, want) {
			t.Errorf("%s is not among %s", want, facts)
		}
	}
	missing := strings.Join(r.Missing, "\n")
	for _, want := range []string{"74 of the grid's 174 cells", "rest on fewer than 2 repeats", "no knots.arrow", "coefficients were not kept"} {
		if !strings.Contains(missing, want) {
			t.Errorf("%q is not among\n%s", want, missing)
		}
	}
	want := Failure{Cell: testID(7), Status: experiment.Timeout, Error: "after 1s"}
	if len(r.Failures) != 1 || r.Failed != 1 {
		t.Fatalf("failures %+v", r.Failures)
	}
	got := r.Failures[0]
	if want.What = got.What; got != want || !strings.Contains(got.What, "diabetes, Lasso") || !strings.Contains(got.What, "repeat 1") {
		t.Errorf("failure %+v", got)
	}
	for _, f := range r.Figures {
		if f.Kind != SensitivityFigure {
			t.Errorf("there is a figure %s", f.Name)
		}
	}
}

func TestLoadCompleteRunMissesNothing(t *testing.T) {
	t.Parallel()
	run := quickstart(1)
	dir := writeRun(t, run)
	manifest := &Manifest{Name: "full", Kind: experiment.SelfPaced, Cells: int64(len(run.cells))}
	if err := WriteManifest(dir, manifest); err != nil {
		t.Fatal(err)
	}
	r, err := Load(t.Context(), dir, Options{})
	if err != nil || len(r.Missing) > 0 || r.Failed > 0 {
		t.Errorf("missing %q, failed %d, error %v", r.Missing, r.Failed, err)
	}
}

func TestLoadKeepsTheFirstFailures(t *testing.T) {
	t.Parallel()
	var rows []cellRow
	for i := range 60 * maxFailures {
		id := testID((i*7 + 3) % (60 * maxFailures)) // every one once
		rows = append(rows, cellRow{"cell": id, "method": "gaga", "status": "failed", "error": "of " + id})
	}
	r, err := Load(t.Context(), writeRun(t, runTables{cells: rows}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed != len(rows) || len(r.Failures) != maxFailures {
		t.Fatalf("%d failures of %d", len(r.Failures), r.Failed)
	}
	for i, f := range r.Failures {
		if f.Cell != testID(i) || f.Error != "of "+testID(i) {
			t.Errorf("failure %d is %+v", i, f)
		}
	}
}

func TestLoadNoCells(t *testing.T) {
	t.Parallel()
	dir := writeRun(t, runTables{})
	r := mustWrite(t, dir, Options{Formats: Formats})
	if len(r.Tables) != 0 || len(r.Figures) != 0 || !strings.Contains(strings.Join(r.Missing, "\n"), "there are no cells yet") {
		t.Errorf("report %+v", r)
	}
}

func TestLoadComputesPaths(t *testing.T) {
	t.Parallel()
	run := quickstart(2)
	run.coefficients = experiment.Batch{}
	dir := writeRun(t, run)
	var asked []string
	r, err := Load(t.Context(), dir, Options{Path: func(_ context.Context, cell string) (*AgePath, error) {
		asked = append(asked, cell)
		path := steppedPath()
		return &path, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	// The first repeat at the second of four values of α with noise 0.3.
	var want []string
	for i, cell := range run.cells {
		if cell["method"] == "gaga" && cell["repeat"] == 1 && cell["alpha"] == 0.003 && cell["noise_level"] == 0.3 {
			want = append(want, cell["cell"].(string), run.cells[i-1]["cell"].(string)) // behind acs
		}
	}
	if !slices.Equal(asked, want) || len(want) != 4 {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	at := slices.IndexFunc(r.Figures, func(f *Figure) bool { return f.Kind == PathFigure })
	last := r.Figures[at]
	if !strings.Contains(last.Caption, want[0]) || last.Y.Text != "multiplier of the sample" || last.Series[0].Name != "sample 0" {
		t.Errorf("figure %+v", last)
	}
	broken := errors.New("broken")
	_, err = Load(t.Context(), dir, Options{Path: func(context.Context, string) (*AgePath, error) { return nil, broken }})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), want[0]) {
		t.Errorf("error %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	dir := writeRun(t, quickstart(1))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(cancelled, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Load(t.Context(), t.TempDir(), Options{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), cellsFile) {
		t.Errorf("without files: %v", err)
	}
	whole := dirFiles(t, dir)
	for _, name := range []string{ManifestName, coefficientsFile, knotsFile, cellsFile} {
		writeDir(t, dir, map[string]string{name: "junk"})
		if _, err := Load(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, name)) {
			t.Errorf("junk in %s: %v", name, err)
		}
		if text, there := whole[name]; there {
			writeDir(t, dir, map[string]string{name: text})
		} else if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTargetScale(t *testing.T) {
	t.Parallel()
	const grid = `
name: g
data: [{name: diabetes}]
models: [{lasso: {alpha: [0.1]}}]
regularizers: [linear]
methods: [gaga]
scale: {target: %s}
`
	for target, want := range map[string]string{
		"minmax": "target scaled to [0, 1]", "standard": "target scaled to standard deviation 1", "none": "", "nonsense": "",
	} {
		m := &Manifest{Kind: experiment.SelfPaced, Grid: fmt.Sprintf(grid, target)}
		if got := targetScale(m); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	if targetScale(nil) != "" || targetScale(&Manifest{Kind: "other"}) != "" {
		t.Error("the scale of no grid")
	}
}
