package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// TestNumbersThatLookAlike has 0.3 and what a range makes of it as levels of noise, as α and as
// settings of a method: rows and methods of different numbers have different words, others the
// usual ones.
func TestNumbersThatLookAlike(t *testing.T) {
	t.Parallel()
	step := 0.1
	from := 3 * step // 0.30000000000000004
	var rows []testrun.Row
	add := func(row testrun.Row) {
		row["noise_kind"], row["test_at_best_test"] = "gaussian", float64(len(rows)+1)
		rows = append(rows, row)
	}
	for _, level := range []float64{0.1, 0.3, from, 7 * step} {
		add(testrun.Row{"method": "gaga", "noise_level": level})
	}
	for _, params := range []string{`{"delta":0.3}`, `{"delta":0.30000000000000004}`, `{"delta":0.7000000000000001}`} {
		add(testrun.Row{"method": "huber-lasso", "method_params": params, "noise_level": 0.1})
	}
	r, err := Load(t.Context(), testrun.Write(t, testrun.Tables{Cells: rows}), Options{Figures: -1})
	if err != nil {
		t.Fatal(err)
	}
	s := scoreSheet(r.Tables[0], analysis.TestAtBestTest)
	var levels []string
	for _, row := range s.Rows {
		levels = append(levels, row[0].Text)
	}
	if want := []string{"gaussian 0.1", "gaussian 0.3", "gaussian 0.30000000000000004", "gaussian 0.7"}; !slices.Equal(levels, want) {
		t.Errorf("levels %q, want %q", levels, want)
	}
	var heads []string
	for _, column := range s.Columns {
		heads = append(heads, column.Head)
	}
	if want := []string{"noise", "GAGA", "Huber Lasso delta=0.3", "Huber Lasso delta=0.30000000000000004", "Huber Lasso delta=0.7"}; !slices.Equal(heads, want) {
		t.Errorf("columns %q, want %q", heads, want)
	}
	var file bytes.Buffer
	if err := csvFiles[0].Write(&file, r); err != nil || strings.Count(file.String(), ",0.30000000000000004,") != 1 {
		t.Errorf("%v\n%s", err, file.String())
	}
}
