package results

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoFormulas wants texts that a spreadsheet takes for formulas to begin with an
// apostrophe, and all else, numbers above all, to be as it was.
func TestNoFormulas(t *testing.T) {
	t.Parallel()
	wants := map[string]string{
		"=1+1": "'=1+1", "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", `=HYPERLINK("http://x","y")`: `'=HYPERLINK("http://x","y")`,
		"+a": "'+a", "-a": "'-a", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\n=1": "'\n=1", "-1+1": "'-1+1", "-": "'-", "+": "'+", "--1": "'--1",
		"＝1": "'＝1", "－a": "'－a", "-1,5": "'-1,5", "-2+3+cmd|' /C calc'!D2": "'-2+3+cmd|' /C calc'!D2",
		"": "", "a": "a", "a=b": "a=b", "1": "1", "-1": "-1", "-0.5e-3": "-0.5e-3", "+2": "+2", "-Inf": "-Inf", "'": "'", "é=": "é=", "<b>": "<b>",
	}
	var row, want []string
	for text, plain := range wants {
		row, want = append(row, text), append(want, plain)
	}
	var buffer bytes.Buffer
	if err := NewCSV(&buffer).WriteAll([][]string{row, row}); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&buffer).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 2 || !slices.Equal(lines[0], want) || !slices.Equal(lines[1], want) {
		t.Errorf("have %q\nwant %q", lines, want)
	}
}

// TestReportsAreNoFormulas writes every file of CSV of a report on data sets
// whose names are formulas.
func TestReportsAreNoFormulas(t *testing.T) {
	t.Parallel()
	rows := formatCells()
	for i, name := range []string{"=cmd|' /C calc'!A0", "+x", "-x", "@x"} {
		for _, row := range formatCells() {
			rows = append(rows, merge(row, cellRow{"dataset": name, "repeat": i + 1}))
		}
	}
	report := formatReport(t)
	report.Tables = tablesOf(t, rows)
	report.Selected = []Selected{{Method: "@method"}}
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
	figure := Figure{Series: []Series{{Name: "=series", Pieces: [][]Point{{{X: -1, Y: -0.5}}}}}}
	figure.X.Text, figure.Y.Text = "-x", "@y"
	numbers, err := figure.CSV()
	if err != nil {
		t.Fatal(err)
	}
	texts["figure"] = string(numbers)
	dir := t.TempDir()
	if err := report.writeSelected(dir); err != nil {
		t.Fatal(err)
	}
	selected, err := os.ReadFile(filepath.Join(dir, selectedFile))
	if err != nil {
		t.Fatal(err)
	}
	texts[selectedFile] = string(selected)
	formulas := 0
	for name, text := range texts {
		lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, line := range lines {
			for _, field := range line {
				if plain, ok := strings.CutPrefix(field, "'"); ok && plainField(plain) != plain {
					formulas++
				}
				if plainField(field) != field {
					t.Errorf("%s: a field is %s", name, field)
				}
			}
		}
	}
	if formulas < 4*5 || !strings.Contains(texts["tables.csv"], "'=cmd|") || !strings.Contains(texts["figure"], ",-1,-0.5,") {
		t.Errorf("%d fields were formulas; tables.csv is\n%s\nand that of a figure\n%s", formulas, texts["tables.csv"], texts["figure"])
	}
}
