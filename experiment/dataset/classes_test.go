package dataset

import (
	"slices"
	"testing"
)

func TestClasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		o    Options
		want []float64
	}{
		"numbers by value":       {"0,10\n1,9\n2,10.0\n", Options{}, []float64{1, -1, 1}},
		"signs":                  {"0,+1\n1,-1\n", Options{}, []float64{1, -1}},
		"texts in byte order":    {"0,b\n1,B\n", Options{}, []float64{1, -1}},
		"numbers before texts":   {"0,a\n1,7\n2,a\n", Options{Header: new(bool)}, []float64{1, -1, 1}},
		"negative named":         {"0,3\n1,1\n2,2\n", Options{Classes: Classes{Negative: []string{"2", "3.0"}}}, []float64{-1, 1, -1}},
		"positive named":         {"0,u\n1,v\n2,w\n", Options{Classes: Classes{Positive: []string{"u"}}}, []float64{1, -1, -1}},
		"both named":             {"0,u\n1,v\n2,w\n", Options{Classes: Classes{Positive: []string{"u"}, Negative: []string{"w", "v"}}}, []float64{1, -1, -1}},
		"two labels turned":      {"0,u\n1,v\n", Options{Classes: Classes{Positive: []string{"u"}}}, []float64{1, -1}},
		"by row":                 {"0,5\n1,5\n2,5\n", Options{Classes: Classes{NegativeRows: 1}}, []float64{-1, 1, 1}},
		"by row, text target":    {"0,x\n1,y\n2,z\n", Options{Classes: Classes{NegativeRows: 2}}, []float64{-1, -1, 1}},
		"by row of the file":     {"?,x\n1,y\n2,z\n", Options{Missing: "drop", Classes: Classes{NegativeRows: 2}}, []float64{-1, 1}},
		"zero has no sign":       {"0,-0\n1,0\n2,1\n", Options{}, []float64{-1, -1, 1}},
		"quoted labels":          {"0,\" u\"\n1,\"v,w\"\n", Options{Classes: Classes{Positive: []string{" u"}}}, []float64{1, -1}},
		"rows dropped, two left": {"0,1\n1,2\n?,3\n", Options{Missing: "drop"}, []float64{-1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := readString(c.text, "a.csv", c.o)
			if err != nil {
				t.Fatal(err)
			}
			if d.Task != Classification || d.D != 1 || !slices.Equal(d.Y, c.want) {
				t.Errorf("%s, %d features, Y %v, want %v", d.Task, d.D, d.Y, c.want)
			}
		})
	}
}

func TestClassesErrors(t *testing.T) {
	t.Parallel()
	const text = "0,1\n1,2\n2,3\n3,3\n"
	for name, c := range map[string]struct {
		classes Classes
		task    Task
		words   []string
	}{
		"neither":          {Classes{Negative: []string{"1"}, Positive: []string{"2"}}, "", []string{"column 1: label 3, first in line 3, is neither"}},
		"unknown":          {Classes{Negative: []string{"4"}}, "", []string{"no row is labelled 4: the labels are 1, 2, 3"}},
		"one side":         {Classes{Negative: []string{"1", "2", "3"}}, "", []string{"one class only", "1, 2, 3"}},
		"both":             {Classes{Negative: []string{"1"}, Positive: []string{"1.0"}}, "", []string{`label "1.0" is both`}},
		"rows and lists":   {Classes{Negative: []string{"1"}, NegativeRows: 1}, "", []string{"negative rows exclude lists"}},
		"negative rows":    {Classes{NegativeRows: -1}, "", []string{"-1 negative rows"}},
		"all rows":         {Classes{NegativeRows: 4}, "", []string{"one class only: the first 4 rows are to be negative, the file has 4 rows"}},
		"regression":       {Classes{NegativeRows: 1}, Regression, []string{"a regression target has none"}},
		"three, no names":  {Classes{}, Classification, []string{"column 1: 3 labels (1, 2, 3) and no mapping", "line 3"}},
		"negative of text": {Classes{Negative: []string{"one"}}, "", []string{`no row is labelled "one"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readString(text, "a.csv", Options{Task: c.task, Classes: c.classes})
			wantError(t, err, append(c.words, "a.csv")...)
		})
	}
	_, err := readString(text, "a.csv", Options{Target: NoTarget})
	wantError(t, err, "a.csv", "target none: needs the number of negative rows")
}

func TestNominalLabelsMayBeNamedWithoutRows(t *testing.T) {
	t.Parallel()
	const text = "@attribute a real\n@attribute y {u,v,w}\n@data\n0,u\n1,v\n"
	d, err := readString(text, "a.arff", Options{Classes: Classes{Negative: []string{"v"}, Positive: []string{"u", "w"}}})
	wantTable(t, d, err, Classification, []string{"a"}, []float64{0, 1}, []float64{1, -1})
}
