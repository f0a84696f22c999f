package evaluation

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/experiment/selfpaced/published"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/report"
)

// table14Cells are cells of the paper's Table 14 for some noise levels.
func table14Cells(levels ...float64) []testrun.Row {
	var rows []testrun.Row
	base := testrun.Row{"dataset": "music", "alpha": 0.006, "noise_kind": "gaussian", "regularizer": "linear"}
	for _, level := range levels {
		for repeat := range 4 {
			at := testrun.Merge(base, testrun.Row{"noise_level": level, "repeat": repeat + 1})
			rows = append(rows,
				testrun.Merge(at, testrun.Row{"method": "gaga", "test_at_best_test": 0.214 + 0.002*float64(repeat%2)}),
				testrun.Merge(at, testrun.Row{"method": "acs", "test_at_best_test": 0.3 + 0.002*float64(repeat%2)}))
		}
	}
	return rows
}

func paperReport(t *testing.T, name string, rows []testrun.Row) ([]*PaperTable, string) {
	t.Helper()
	dir := testrun.Write(t, testrun.Tables{Cells: rows})
	grid := "name: " + name + "\ndata: [{name: music}]\nprotocol: paper\nmodels: [{lasso: {alpha: [0.006]}}]\nregularizers: [linear]\nmethods: [gaga]\n"
	if err := results.WriteManifest(dir, &results.Manifest{Name: name, Kind: selfpaced.Name, Cells: int64(len(rows)), Grid: grid}); err != nil {
		t.Fatal(err)
	}
	r, err := report.Write(t.Context(), dir, report.Options{Paper: true, Figures: -1, Formats: report.Formats})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := PaperTables(r.Run)
	if err != nil {
		t.Fatal(err)
	}
	return tables, dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "report", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPaper(t *testing.T) {
	t.Parallel()
	tables, dir := paperReport(t, "table14", table14Cells(0.1, 0.6))
	if len(tables) != 1 || tables[0].Table.Number != 14 || tables[0].Words != nil || len(tables[0].Rows) != 8*3 {
		t.Fatalf("%+v", tables)
	}
	rows := map[float64]map[string]*PaperRow{}
	for _, row := range tables[0].Rows {
		if rows[row.Published.Noise] == nil {
			rows[row.Published.Noise] = map[string]*PaperRow{}
		}
		rows[row.Published.Noise][row.Score.Method] = row
	}
	gaga := rows[0.1]["gaga"] // 0.214 ± 0.002 published, 0.215 ± 0.00115 ours
	if gaga.Ours.N != 4 || math.Abs(gaga.Difference()-0.001) > 1e-12 || !gaga.Within() {
		t.Errorf("%+v", gaga)
	}
	if want := 0.001 / math.Sqrt(4e-6/3/4+4e-6/20); math.Abs(gaga.Errors()-want) > 1e-9 {
		t.Errorf("%v standard errors, want %v", gaga.Errors(), want)
	}
	if acs := rows[0.1]["acs"]; acs.Within() || acs.Errors() < 2 {
		t.Errorf("%+v", acs)
	}
	if mospl := rows[0.1]["mospl"]; mospl.Ours.N != 0 || mospl.Cells != 0 || !math.IsNaN(mospl.Errors()) {
		t.Errorf("%+v", mospl)
	}
	if row := rows[0.6]["gaga"]; row.Published.Note == "" || row.Ours.N != 4 {
		t.Errorf("%+v", row)
	}
	text := read(t, dir, "report.md")
	for _, want := range []string{
		"## Published", "### Table 14 of the paper: Sensitivity to noise: music",
		"| 0.1 | GAGA | 0.214 ± 0.002 | 0.2150 ± 0.0012 | 4 | +0.0010 | +1.4 | yes |  |",
		"| 0.1 | MOSPL | 0.219 ± 0.003 | missing | 0 | - | - | - |  |",
		"Note 1: the row repeats Table 13's for ailerons, another data set.",
		"Of the table's 24 numbers 4 are in this run.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "does not follow the paper's protocol") {
		t.Error("the protocol is the paper's")
	}
	lines, err := csv.NewReader(strings.NewReader(read(t, dir, "paper.csv"))).ReadAll()
	if err != nil || len(lines) != 1+24 {
		t.Errorf("paper.csv: %d lines, %v", len(lines), err)
	}
	// Without --paper the file goes.
	if _, err := report.Write(t.Context(), dir, report.Options{Figures: -1, Formats: report.Formats}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "report", "paper.csv")); err == nil {
		t.Error("paper.csv remains")
	}
}

// TestPaperOfScripts wants a run of the published scripts beside rows of other kernels and of
// the data set that it reads, and the share of numbers that agree.
func TestPaperOfScripts(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for repeat := range 4 {
		base := testrun.Row{"dataset": "pendigits", "model": "svm", "kernel": "rbf", "kernel_gamma": nil, "c": 1.0, "alpha": nil,
			"metric": "accuracy", "regularizer": "linear", "noise_kind": "flip-boundary", "noise_level": 0.1, "repeat": repeat + 1}
		rows = append(rows,
			testrun.Merge(base, testrun.Row{"method": "gaga", "test_at_best_test": 0.994 + 0.002*float64(repeat%2)}),
			testrun.Merge(base, testrun.Row{"method": "acs", "test_at_best_test": 0.9 + 0.002*float64(repeat%2)}))
	}
	dir := testrun.Write(t, testrun.Tables{Cells: rows})
	write := func(protocol string) string {
		grid := "name: table16-scripts\ndata: [{name: pendigits}]\nprotocol: " + protocol +
			"\nmodels: [{svm: {c: 1, kernel: rbf}}]\nregularizers: [linear]\nmethods: [gaga]\n"
		if err := results.WriteManifest(dir, &results.Manifest{Name: "table16-scripts", Kind: selfpaced.Name, Cells: 8, Grid: grid}); err != nil {
			t.Fatal(err)
		}
		if _, err := report.Write(t.Context(), dir, report.Options{Paper: true, Figures: -1, Formats: report.Formats}); err != nil {
			t.Fatal(err)
		}
		return read(t, dir, "report.md")
	}
	text := write("scripts")
	for _, want := range []string{
		"| 0.1 | GAGA | 0.994 ± 0.004 | 0.9950 ± 0.0012 | 4 | +0.0010 | +0.9 | yes |",
		"This run follows the published scripts (protocol: scripts in the grid)",
		`whatever they state of kernel and kernel\_gamma`,
		"Of the table's 21 numbers 2 are in this run. Within two standard errors are 1 of 2 that can be compared, 50 %.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "does not follow") {
		t.Error("the scripts' protocol is that of the published numbers")
	}
	if text := write("paper"); !strings.Contains(text, "Of the table's 21 numbers 0 are in this run.") {
		t.Errorf("another kernel stands beside the linear one:\n%s", text)
	}
}

func TestPaperFindsTables(t *testing.T) {
	t.Parallel()
	// Noise 0.3 and α = 0.006 are in Tables 10 and 14.
	tables, _ := paperReport(t, "my-grid", table14Cells(0.3))
	var numbers []int
	for _, p := range tables {
		numbers = append(numbers, p.Table.Number)
	}
	if len(numbers) != 3 || numbers[0] != 7 || numbers[1] != 10 || numbers[2] != 14 {
		t.Errorf("tables %v, want 7, 10 and 14", numbers)
	}
	// Another α is in none, and that is said.
	rows := table14Cells(0.9)
	tables, dir := paperReport(t, "my-grid", rows)
	if len(tables) != 0 || !strings.Contains(read(t, dir, "report.md"), "so none is shown") {
		t.Errorf("%+v", tables)
	}
	// A grid that is named after a table shows it whatever it has.
	tables, _ = paperReport(t, "table09-honest", rows)
	if len(tables) != 1 || tables[0].Table.Number != 9 || !strings.HasPrefix(tables[0].Coverage(), "Of the table's 45 numbers 0") {
		t.Errorf("%+v", tables)
	}
}

func TestPaperSeveralSettings(t *testing.T) {
	t.Parallel()
	rows := table14Cells(0.3)
	for _, row := range table14Cells(0.3) {
		rows = append(rows, testrun.Merge(row, testrun.Row{"alpha": 0.01}))
	}
	tables, _ := paperReport(t, "table07", rows) // which states no α
	s := paperSheet(tables[0])
	at := -1
	for j, c := range s.Columns {
		if c.Head == "setting" {
			at = j
		}
	}
	if at < 0 {
		t.Fatalf("columns %+v", s.Columns)
	}
	var settings []string
	for _, row := range s.Rows {
		if row[at].Text != "" {
			settings = append(settings, row[at].Text)
		}
	}
	if len(settings) != 2 || !strings.Contains(settings[0], "α=0.006") || !strings.Contains(settings[1], "α=0.01") {
		t.Errorf("settings %q", settings)
	}
}

// TestPaperColumns wants each published row to name its data set and its model.
func TestPaperColumns(t *testing.T) {
	t.Parallel()
	tables, err := published.Tables()
	if err != nil || len(tables) != 14 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		for i := range table.Rows {
			if row := &table.Rows[i]; PaperColumns[0].Text(row) == "" || PaperColumns[1].Text(row) == "" {
				t.Errorf("%s: %+v", table.Name(), row)
			}
		}
	}
}
