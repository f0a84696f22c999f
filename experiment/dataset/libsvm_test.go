package dataset

import (
	"strings"
	"testing"
)

func TestLIBSVM(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text     string
		o        Options
		task     Task
		features []string
		rows     [][]float64
	}{
		"classes": {
			"+1 1:0.5 3:-2\n-1 2:1e1\n\n-1\n", Options{}, Classification,
			[]string{"1", "2", "3"}, [][]float64{{0.5, 0, -2, 1}, {0, 10, 0, -1}, {0, 0, 0, -1}},
		},
		"regression, comments, qid, blanks": {
			"# written by hand\n3.5 qid:1 1:1 # first\n  4\tqid:1\t2:2  \n5 qid:2 1:7 2:0#\n", Options{}, Regression,
			[]string{"1", "2"}, [][]float64{{1, 0, 3.5}, {0, 2, 4}, {7, 0, 5}},
		},
		"dropped by index": {
			"1 1:1 2:2 3:3\n2 1:4 3:6\n3 2:8\n", Options{Drop: []string{"2"}}, Regression,
			[]string{"1", "3"}, [][]float64{{1, 3, 1}, {4, 6, 2}, {0, 0, 3}},
		},
		"indices from 0": {
			"1 1:1 2:2\n-1 0:0.5 2:3\n", Options{}, Classification,
			[]string{"0", "1", "2"}, [][]float64{{0, 1, 2, 1}, {0.5, 0, 3, -1}},
		},
		"mapped": {
			"0 1:1\n1 1:2\n2 1:3\n", Options{Target: "label", Classes: Classes{Positive: []string{"2.0"}}}, Classification,
			[]string{"1"}, [][]float64{{1, -1}, {2, -1}, {3, 1}},
		},
		"by row": {
			"0 1:1\n0 1:2\n0 1:3\n", Options{Target: NoTarget, Classes: Classes{NegativeRows: 2}}, Classification,
			[]string{"1"}, [][]float64{{1, -1}, {2, -1}, {3, 1}},
		},
		"missing filled": {
			"1 1:nan 2:1\n2 1:3\n3 1:6 2:2\n", Options{Missing: "mean"}, Regression,
			[]string{"1", "2"}, [][]float64{{4.5, 1, 1}, {3, 0, 2}, {6, 2, 3}},
		},
		"missing dropped": {
			"1 1:nan 2:1\n2 1:3\nnan 1:4\n4 1:6 2:2\n", Options{Missing: "drop", Task: Regression}, Regression,
			[]string{"1", "2"}, [][]float64{{3, 0, 2}, {6, 2, 4}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, file := range []string{"a.libsvm", "a.svm", "a.txt"} { // the last by content
				d, err := readString(c.text, file, c.o)
				wantTable(t, d, err, c.task, c.features, c.rows...)
				d, err = readString(strings.ReplaceAll(c.text, "\n", "\r\n"), file, c.o)
				wantTable(t, d, err, c.task, c.features, c.rows...)
			}
		})
	}
}

func TestLIBSVMErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		o     Options
		words []string
	}{
		"empty":            {"", Options{}, []string{"empty"}},
		"comments only":    {"# nothing\n", Options{}, []string{"empty"}},
		"no features":      {"1\n2\n", Options{}, []string{"no features"}},
		"index 0 twice":    {"1 1:1\n2 0:1 0:2\n", Options{}, []string{"line 2: index 0 after 0: indices ascend"}},
		"descending":       {"1 2:1 1:1\n", Options{}, []string{"line 1: index 1 after 2"}},
		"twice":            {"1 2:1 2:1\n", Options{}, []string{"line 1: index 2 after 2"}},
		"negative index":   {"1 -2:1\n", Options{}, []string{`line 1: "-2:1": allowed is index:value`}},
		"no colon":         {"1 1:1\n2 7\n", Options{}, []string{`line 2: "7": allowed is index:value`}},
		"late qid":         {"1 1:1 qid:7\n", Options{}, []string{`line 1: "qid:7"`}},
		"no value":         {"1 1:1\n2 1:\n", Options{}, []string{"line 2, column 1: 1 missing"}},
		"text":             {"1 1:1\n2 1:red\n", Options{}, []string{`line 2: index 1: text "red"`}},
		"infinite":         {"1 1:1\n2 1:inf\n", Options{}, []string{`line 2: index 1: "inf" is infinite`}},
		"text label":       {"1 1:1\ncat 1:2\n", Options{}, []string{`line 2: label "cat": allowed are finite numbers`}},
		"several labels":   {"1 1:1\n1,2 1:2\n", Options{}, []string{`line 2: label "1,2"`}},
		"missing value":    {"1 1:1 2:1\n2 2:nan\n3 2:nan\n", Options{}, []string{"line 2, column 2: 2 missing values"}},
		"missing label":    {"1 1:1\nnan 1:1\n", Options{Missing: "mean"}, []string{"line 2, column label: 1 missing values in the target"}},
		"not UTF-8":        {"1 1:1\n2 1:\xff\n", Options{}, []string{"line 2: byte 5 (0xff)"}},
		"no such target":   {"1 1:1\n", Options{Target: "-2"}, []string{`target "-2": the target of a libsvm file is its label`}},
		"target a feature": {"1 1:1\n", Options{Target: "1"}, []string{`target "1": the target of a libsvm file is its label`}},
		"no such column":   {"1 1:1\n", Options{Drop: []string{"0"}}, []string{`drop: no column is named "0"`}},
		"one class":        {"1 1:1\n1 1:2\n", Options{Task: Classification}, []string{"column label: one class only"}},
		"third class":      {"1 1:1\n2 1:2\n3 1:2\n", Options{Task: Classification}, []string{"column label: 3 labels (1, 2, 3)", "line 3"}},
		"one class by row": {"1 1:1\n2 1:2\n", Options{Classes: Classes{NegativeRows: 2}}, []string{"one class only: the first 2 rows", "2 rows"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readString(c.text, "a.libsvm", c.o)
			wantError(t, err, append(c.words, "a.libsvm")...)
		})
	}
}
