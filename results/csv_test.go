package results

import (
	"bytes"
	"encoding/csv"
	"slices"
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
	out := NewCSV(&buffer)
	out.Add(row)
	out.Add(row)
	if err := out.Flush(); err != nil {
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
