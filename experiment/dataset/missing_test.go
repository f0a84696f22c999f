package dataset

import (
	"fmt"
	"strings"
	"testing"
)

const gaps = "a,b,c,y\n1,,3,1\nNA,2,4,2\n5,nan,?,3\n7,8,8,5\n" // 4 values in 3 rows

func TestMissingIsRefused(t *testing.T) {
	t.Parallel()
	for _, missing := range []string{"", "refuse"} {
		_, err := readString(gaps, "a.csv", Options{Missing: missing})
		wantError(t, err, "a.csv, line 2, column 1 (b): 4 missing values",
			"line 3, column 0 (a): 1;", "line 2, column 1 (b): 2;", "line 4, column 2 (c): 1;", "missing: mean", "missing: drop")
	}
}

func TestMissingInManyColumns(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for c := range 20 {
		fmt.Fprintf(&b, "a%d,", c)
	}
	b.WriteString("y\n" + strings.Repeat("?,", 20) + "1\n" + strings.Repeat("2,", 20) + "?\n")
	_, err := readString(b.String(), "a.csv", Options{})
	wantError(t, err, "line 2, column 0 (a0): 21 missing values", "column 4 (a4): 1; and 16 more columns")
	if strings.Contains(err.Error(), "a5") {
		t.Errorf("error %q lists too many columns", err)
	}
}

func TestMissingIsFilled(t *testing.T) {
	t.Parallel()
	d, err := readString(gaps, "a.csv", Options{Missing: "mean"})
	wantTable(t, d, err, Regression, []string{"a", "b", "c"},
		[]float64{1, 5, 3, 1}, []float64{13.0 / 3, 2, 4, 2}, []float64{5, 5, 5, 3}, []float64{7, 8, 8, 5})
	// The sum of these overflows, their mean does not.
	d, err = readString("1.5e308,1\n1.7e308,2\n?,3\n", "a.csv", Options{Missing: "mean"})
	wantTable(t, d, err, Regression, []string{"x0"}, []float64{1.5e308, 1}, []float64{1.7e308, 2}, []float64{1.5e308/2 + 1.7e308/2, 3})
}

func TestMissingRowsAreDropped(t *testing.T) {
	t.Parallel()
	d, err := readString(gaps+"9,9,9,?\n1,1,1,1\n", "a.csv", Options{Missing: "drop", Task: Regression})
	wantTable(t, d, err, Regression, []string{"a", "b", "c"}, []float64{7, 8, 8, 5}, []float64{1, 1, 1, 1})
	d, err = readString("1,u\n?,v\n2,\n3,v\n", "a.csv", Options{Missing: "drop"})
	wantTable(t, d, err, Classification, []string{"x0"}, []float64{1, -1}, []float64{3, 1})
}

func TestMissingInDroppedColumnsIsNoMatter(t *testing.T) {
	t.Parallel()
	d, err := readString("1,?,3\n4,,6\n7,NA,9\n", "a.csv", Options{Drop: []string{"1"}})
	wantTable(t, d, err, Regression, []string{"x0"}, []float64{1, 3}, []float64{4, 6}, []float64{7, 9})
}

func TestMissingErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, missing string
		words         []string
	}{
		"target filled":    {"1,2\n3,?\n", "mean", []string{"line 2, column 1: 1 missing values in the target", "drop"}},
		"nothing to fill":  {"1,?,2\n3,?,4\n", "mean", []string{"line 1, column 1: every value is missing"}},
		"every row":        {"1,?,2\n?,3,4\n", "drop", []string{"each of the 2 rows has a missing value"}},
		"one class left":   {"1,u\n2,u\n?,v\n", "drop", []string{"one class only"}},
		"target not there": {"1,2\n3,?\n", "", []string{"line 2, column 1: 1 missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readString(c.text, "a.csv", Options{Missing: c.missing})
			wantError(t, err, append(c.words, "a.csv")...)
		})
	}
}
