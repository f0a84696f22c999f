package report

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
	"github.com/agepath/agepath/results/layout"
)

// TestReportsAreNoFormulas writes every file of CSV of a report on data sets
// whose names are formulas.
func TestReportsAreNoFormulas(t *testing.T) {
	t.Parallel()
	rows := formatCells()
	for i, name := range []string{"=cmd|' /C calc'!A0", "+x", "-x", "@x"} {
		for _, row := range formatCells() {
			rows = append(rows, testrun.Merge(row, testrun.Row{"dataset": name, "repeat": i + 1}))
		}
	}
	report := formatReport(t)
	report.Tables = tablesOf(t, rows)
	report.Selected = []analysis.Selected{{Method: "@method"}}
	report.Selected[0].Setting[0].Text = "=setting"
	format, err := FormatNamed("csv")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range format.Files {
		var b strings.Builder
		if err := file.Write(&b, report); err != nil {
			t.Fatal(err)
		}
		texts[file.Name] = b.String()
	}
	figure := figure.Figure{Figure: layout.Figure{Series: []layout.Series{{Name: "=series", Pieces: [][]layout.Point{{{X: -1, Y: -0.5}}}}}}}
	figure.X.Text, figure.Y.Text = "-x", "@y"
	numbers, err := figure.CSV()
	if err != nil {
		t.Fatal(err)
	}
	texts["figure"] = string(numbers)
	dir := t.TempDir()
	if err := writeFile(report, dir, selectedFile); err != nil {
		t.Fatal(err)
	}
	selected, err := os.ReadFile(filepath.Join(dir, analysis.SelectedFile))
	if err != nil {
		t.Fatal(err)
	}
	texts[analysis.SelectedFile] = string(selected)
	formulas := 0
	for name, text := range texts {
		lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, line := range lines {
			for _, field := range line {
				if plain, ok := strings.CutPrefix(field, "'"); ok && formula(t, plain) != plain {
					formulas++
				}
				if formula(t, field) != field {
					t.Errorf("%s: a field is %s", name, field)
				}
			}
		}
	}
	if formulas < 4*5 || !strings.Contains(texts["tables.csv"], "'=cmd|") || !strings.Contains(texts["figure"], ",-1,-0.5,") {
		t.Errorf("%d fields were formulas; tables.csv is\n%s\nand that of a figure\n%s", formulas, texts["tables.csv"], texts["figure"])
	}
}

// formula returns a text as it is written to a table of comma-separated values.
func formula(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	out := results.NewCSV(&b)
	out.Add(text, "x")
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines[0][0]
}
