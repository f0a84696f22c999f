package dataset

import (
	"context"
	"strings"
	"testing"
)

func TestOneHot(t *testing.T) {
	t.Parallel()
	no := false
	for name, c := range map[string]struct {
		text     string
		o        Options
		features string
		rows     [][]float64
	}{
		"values in their order": {
			"a,c,y\n1,red,1\n2,blue,2\n3,red,5\n", Options{Encode: "onehot"}, "a c=blue c=red",
			[][]float64{{1, 0, 1, 1}, {2, 1, 0, 2}, {3, 0, 1, 5}},
		},
		"columns of text at both ends": {
			"p,a,q,y\nu,1,v,1\nv,2,v,2\nw,3,u,5\n", Options{Encode: "onehot"}, "p=u p=v p=w a q=u q=v",
			[][]float64{{1, 0, 0, 1, 0, 1, 1}, {0, 1, 0, 2, 0, 1, 2}, {0, 0, 1, 3, 1, 0, 5}},
		},
		"text in the first line without names": {
			"red,1,1\nblue,3,2\nred,5,9\n", Options{Encode: "onehot", Header: &no}, "x0=blue x0=red x1",
			[][]float64{{0, 1, 1, 1}, {1, 0, 3, 2}, {0, 1, 5, 9}},
		},
		"tabs and no text": {
			"1\t2\t3\n4\t5\t6\n7\t8\t10\n", Options{Encode: "onehot"}, "x0 x1",
			[][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}},
		},
		"text may be infinite, where it is a value": {
			"c,y\nlow,1\ninf,2\n,3\nlow,9\n", Options{Encode: "onehot", Missing: "drop"}, "c=inf c=low",
			[][]float64{{0, 1, 1}, {1, 0, 2}, {0, 1, 9}},
		},
		"a column of codes": {
			"c,a,y\n10,1,1\n3+,2,2\n9,3,5\n10.0,4,7\n", Options{OneHot: []string{"c"}}, "c=9 c=10 c=3+ a",
			[][]float64{{0, 1, 0, 1, 1}, {0, 0, 1, 2, 2}, {1, 0, 0, 3, 5}, {0, 1, 0, 4, 7}},
		},
		"a column by its index": {
			"4,1,1\n3,2,2\n4,3,5\n", Options{OneHot: []string{"0"}, Header: &no}, "x0=3 x0=4 x1",
			[][]float64{{0, 1, 1, 1}, {1, 0, 2, 2}, {0, 1, 3, 5}},
		},
		"the mean of a missing one": {
			"c,y\nu,1\nv,2\nu,3\n?,4\nu,9\n", Options{Encode: "onehot", Missing: "mean"}, "c=u c=v",
			[][]float64{{1, 0, 1}, {0, 1, 2}, {1, 0, 3}, {0.75, 0.25, 4}, {1, 0, 9}},
		},
		"a value in dropped rows only": {
			"c,a,y\nu,1,1\nv,,2\nw,3,3\n", Options{Encode: "onehot", Missing: "drop"}, "c=u c=w a",
			[][]float64{{1, 0, 1, 1}, {0, 1, 3, 3}},
		},
		"a dropped column of text": {
			"c,a,y\nu,1,1\n5,2,2\nw,3,3\n", Options{Encode: "onehot", Drop: []string{"c"}}, "a",
			[][]float64{{1, 1}, {2, 2}, {3, 3}},
		},
	} {
		if c.o.Task == "" {
			c.o.Task = Regression
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := readString(c.text, "a.csv", c.o)
			wantTable(t, d, err, Regression, strings.Fields(c.features), c.rows...)
		})
	}
}

// The attribute's values of an ARFF file and the column of a CSV file are the same
// features, whatever the target.
func TestOneHotAsNominal(t *testing.T) {
	t.Parallel()
	arff := "@relation r\n@attribute c {blue,red}\n@attribute a real\n@attribute y {g,h}\n@data\n"
	rows := "red,1,h\nblue,2,g\nred,3,g\n"
	want, err := readString(arff+rows, "a.arff", Options{Encode: "onehot"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := readString("c,a,y\n"+rows, "a.csv", Options{Encode: "onehot"})
	wantTable(t, got, err, Classification, want.Features, []float64{0, 1, 1, 1}, []float64{1, 0, 2, -1}, []float64{0, 1, 3, -1})
	if got.Digest() != want.Digest() {
		t.Error("the digests of the ARFF and the CSV file differ")
	}
}

func TestOneHotErrors(t *testing.T) {
	t.Parallel()
	hot := Options{Encode: "onehot", Task: Regression}
	listed := func(column string) Options { return Options{OneHot: []string{column}} }
	for name, c := range map[string]struct {
		text, file string
		o          Options
		want       []string
	}{
		"not asked for":           {"a,y\nu,1\nv,2\n", "a.csv", Options{}, []string{"line 2, column 0 (a)", `text "u" in a number column`}},
		"text behind numbers":     {"a,y\n1,1\n?,2\nv,2\n", "a.csv", hot, []string{"line 4, column 0 (a)", `text "v" in a number column`, `missing_marks: ["?", "v"]`, "encode: {onehot: [0]}"}},
		"a number behind text":    {"a,y\nu,1\n2,2\n", "a.csv", hot, []string{"line 2, column 0 (a)", `text "u" where line 3 has the number 2`}},
		"nothing to encode":       {"a,b,y\n?,1,1\n,2,2\n", "a.csv", Options{OneHot: []string{"a"}, Missing: "median"}, []string{"line 2, column 0 (a)", "every value is missing"}},
		"a missing value":         {"a,y\nu,1\n,2\n", "a.csv", hot, []string{"line 3, column 0 (a)", "1 missing values"}},
		"the target":              {"a,y\nu,1\nv,2\n", "a.csv", listed("y"), []string{`encode: column "y" is no feature`}},
		"a column that is not":    {"a,y\nu,1\nv,2\n", "a.csv", listed("b"), []string{`encode: no column is named "b"`}},
		"columns of ARFF":         {"@relation r\n@attribute a real\n@attribute y real\n@data\n1,2\n", "a.arff", listed("a"), []string{"for csv, tsv and space files, not for arff"}},
		"columns of LIBSVM":       {"1 1:2\n", "a.libsvm", listed("1"), []string{"for csv, tsv and space files, not for libsvm"}},
		"another word":            {"1,2\n", "a.csv", Options{Encode: "ordinal"}, []string{`encode "ordinal": allowed are refuse and onehot`}},
		"each row left out":       {"a,b,y\nu,?,1\nv,,2\n", "a.csv", Options{Encode: "onehot", Missing: "drop"}, []string{"missing: drop leaves none"}},
		"half a line of names":    {"age,5\n1,2\n", "a.csv", hot, []string{"line 1: some fields are text, others numbers", "header: true"}},
		"text of the last target": {"c,y\nu,1\nv,x\n", "a.csv", hot, []string{`text "x" in a number column`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readString(c.text, c.file, c.o)
			wantError(t, err, append(c.want, c.file)...)
		})
	}
	small := limits{line: 1 << 10, columns: 3, memory: 1 << 23}
	_, err := read(context.Background(), strings.NewReader("a,c,y\n1,u,1\n2,v,2\n3,w,3\n"), "a.csv", hot, small)
	wantError(t, err, "line 4", "more than 3 features")
}
