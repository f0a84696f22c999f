package dataset

import (
	"strings"
	"testing"
)

func TestCSV(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, c := range map[string]struct {
		text     string
		o        Options
		task     Task
		features []string
		rows     [][]float64
	}{
		"header by content": {
			"a,b,y\n1,2,3\n4,5,6\n7,8,9\n", Options{}, Regression,
			[]string{"a", "b"}, [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
		},
		"numbered": {
			"a,b,y\n1,2,3\n4,,6\n7,8,9\n7,8,4\n", Options{Numbered: true, Missing: "drop"}, Regression,
			[]string{"row", "a", "b"}, [][]float64{{1, 1, 2, 3}, {2, 7, 8, 9}, {3, 7, 8, 4}},
		},
		"header with an empty name": {
			",b,y\n1,2,3\n1,5,6\n7,8,9\n", Options{}, Regression,
			[]string{"x0", "b"}, [][]float64{{1, 2, 3}, {1, 5, 6}, {7, 8, 9}},
		},
		"header of numbers": {
			"1,2,3\n1,2,3\n4,5,7\n7,8,9\n", Options{Header: &yes}, Regression,
			[]string{"1", "2"}, [][]float64{{1, 2, 3}, {4, 5, 7}, {7, 8, 9}},
		},
		"header because a name is asked for": {
			"2001,2002,y\n1,2,3\n4,5,7\n7,8,9\n", Options{Target: "y"}, Regression,
			[]string{"2001", "2002"}, [][]float64{{1, 2, 3}, {4, 5, 7}, {7, 8, 9}},
		},
		"header and text target": {
			"a,b,class\n1,2,g\n3,4,h\n", Options{}, Classification,
			[]string{"a", "b"}, [][]float64{{1, 2, -1}, {3, 4, 1}},
		},
		"text target without header": {
			"1,2,h\n3,4,g\n", Options{}, Classification,
			[]string{"x0", "x1"}, [][]float64{{1, 2, 1}, {3, 4, -1}},
		},
		"first line skipped": {
			"569,30,malignant,benign\n1,2,0\n3,4,1\n", Options{Skip: 1}, Classification,
			[]string{"x0", "x1"}, [][]float64{{1, 2, -1}, {3, 4, 1}},
		},
		"quotes": {
			"\"a, b\",\"say \"\"c\"\"\" , y\n\"1\", \"2\" ,3\n4,\"5\",6\n7,8,9\n", Options{}, Regression,
			[]string{"a, b", `say "c"`}, [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
		},
		"quotes over lines": {
			"note,b,y\n\"two\nlines\",2,3\n\"\",5,6\n\"x\",8,9\n", Options{Drop: []string{"note"}}, Regression,
			[]string{"b"}, [][]float64{{2, 3}, {5, 6}, {8, 9}},
		},
		"a quote within a field is a character": {
			"1,2,5\"\n3,4,6\"\n", Options{}, Classification,
			[]string{"x0", "x1"}, [][]float64{{1, 2, -1}, {3, 4, 1}},
		},
		"target by index, columns dropped": {
			"k1,1,2,3,4\nk2,5,6,7,9\nk3,1,1,1,1\n", Options{Target: "-3", Drop: []string{"0", "-1"}}, Regression,
			[]string{"x1", "x3"}, [][]float64{{1, 3, 2}, {5, 7, 6}, {1, 1, 1}},
		},
		"a name goes before an index": {
			"1,0,y\n5,6,7\n8,9,1\n1,2,3\n", Options{Header: &yes, Target: "0", Drop: []string{"y"}}, Regression,
			[]string{"1"}, [][]float64{{5, 6}, {8, 9}, {1, 2}},
		},
		"equal names that nobody asks for": {
			"a,a,y\n1,2,3\n4,5,6\n7,8,9\n", Options{Target: "y"}, Regression,
			[]string{"a", "a"}, [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
		},
		"constant target": {
			"1,2,3\n4,5,3\n", Options{}, Regression,
			[]string{"x0", "x1"}, [][]float64{{1, 2, 3}, {4, 5, 3}},
		},
		"two numbers as regression": {
			"1,2,3\n4,5,4\n", Options{Task: Regression, Header: &no}, Regression,
			[]string{"x0", "x1"}, [][]float64{{1, 2, 3}, {4, 5, 4}},
		},
		"numbers of every form": {
			"1e3,-0.5,+2,.25,4.,1E-2,0x,3\n12345678901234567890,-1.7976931348623157e308,5e-324,1e-999,007,1.,\"0x\",5\n0,0,0,0,0,0,?,4\n",
			Options{Drop: []string{"6"}}, Regression,
			[]string{"x0", "x1", "x2", "x3", "x4", "x5"},
			[][]float64{{1e3, -0.5, 2, 0.25, 4, 0.01, 3}, {12345678901234567890, -1.7976931348623157e308, 5e-324, 0, 7, 1, 5}, {0, 0, 0, 0, 0, 0, 4}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := readString(c.text, "a.csv", c.o)
			wantTable(t, d, err, c.task, c.features, c.rows...)
			if !strings.Contains(c.text, "\"\ntwo") { // the same with the line ends of Windows and in tsv
				d, err = readString(strings.ReplaceAll(c.text, "\n", "\r\n"), "a.csv", c.o)
				wantTable(t, d, err, c.task, c.features, c.rows...)
			}
		})
	}
}

func TestTSVKeepsEmptyFields(t *testing.T) {
	t.Parallel()
	d, err := readString("a\tb\tc\ty\n1\t\tx y\t3\n\t5\t\"q\tr\"\t6\n7\t8\t\t9\n", "a.tsv", Options{Drop: []string{"c"}, Missing: "mean"})
	wantTable(t, d, err, Regression, []string{"a", "b"}, []float64{1, 6.5, 3}, []float64{4, 5, 6}, []float64{7, 8, 9})
}

func TestSpaceWithQuotes(t *testing.T) {
	t.Parallel()
	d, err := readString("\"a b\" 'c' \"y\"\n1 \t 2 3\n4 5 6\n\t\n7 8 9\n", "a.txt", Options{})
	wantTable(t, d, err, Regression, []string{"a b", "'c'"}, []float64{1, 2, 3}, []float64{4, 5, 6}, []float64{7, 8, 9})
}

func TestCSVErrors(t *testing.T) {
	t.Parallel()
	no := false
	for name, c := range map[string]struct {
		text  string
		o     Options
		words []string
	}{
		"empty":                   {"", Options{}, []string{"empty"}},
		"blank lines only":        {"\n  \n\r\n", Options{}, []string{"empty"}},
		"mark only":               {"\xef\xbb\xbf", Options{}, []string{"empty"}},
		"header only":             {"a,b,y\n", Options{}, []string{"empty: there are no rows"}},
		"all skipped":             {"1,2\n3,4\n", Options{Skip: 3}, []string{"2 lines", "3 are skipped"}},
		"ragged":                  {"1,2,3\n4,5,6\n\n7,8\n", Options{}, []string{"line 4: 2 fields, where line 1 has 3"}},
		"too many fields":         {"a,b\n1,2\n3,4,5\n", Options{}, []string{"line 3: 3 fields, where line 1 has 2"}},
		"text":                    {"a,b,y\n1,2,3\n4,red,6\n", Options{}, []string{`line 3, column 1 (b): text "red" in a number column`}},
		"text without header":     {"1,2,3\n4,red,6\n", Options{}, []string{`line 2, column 1: text "red" in a number column`}},
		"text in line 1":          {"1,red,3\n4,5,6\n", Options{}, []string{"line 1", "header: true takes it for the names", "header: false takes the line for a row"}},
		"text target above":       {"5,1,label\n4,5,6\n4,5,7\n", Options{}, []string{"line 1", "header: true takes it for the names", "header: false takes the line for a row"}},
		"missing in a text line":  {"k,?,g\nk,5,g\n", Options{Drop: []string{"0"}}, []string{"missing", "line 1, column 1"}},
		"header denied":           {"a,b,y\n1,2,3\n", Options{Header: &no}, []string{`line 1, column 0: text "a"`}},
		"Inf":                     {"1,2,3\n4,Inf,6\n", Options{}, []string{`line 2, column 1: "Inf" is infinite`}},
		"-infinity":               {"1,2,3\n4,5,-infinity\n", Options{}, []string{`line 2, column 2: "-infinity" is infinite`}},
		"out of range":            {"1,2,3\n4,1e999,6\n", Options{}, []string{`line 2, column 1: "1e999" is infinite`}},
		"hexadecimal":             {"1,2,3\n4,0x10,6\n", Options{}, []string{`line 2, column 1: text "0x10"`}},
		"underscore":              {"1,2,3\n4,1_0,6\n", Options{}, []string{`line 2, column 1: text "1_0"`}},
		"decimal comma":           {"1;2;3\n4,5;5;6\n", Options{}, []string{`line 2, column 0: text "4,5"`}},
		"NaN":                     {"1,2,3\n4,NaN,6\n", Options{}, []string{"line 2, column 1", "1 missing", "missing: mean", "missing: drop"}},
		"target out of range":     {"1,2,3\n", Options{Target: "3"}, []string{"line 1", "target: column 3 is out of range", "0 to 2"}},
		"target before the start": {"1,2,3\n", Options{Target: "-4"}, []string{"target: column -4 is out of range"}},
		"target unknown":          {"a,b,y\n1,2,3\n", Options{Target: "z"}, []string{"line 1", `target: no column is named "z"`}},
		"target misspelled":       {"age,weight,yield\n1,2,3\n", Options{Target: "Yeild"}, []string{`no column is named "Yeild"; did you mean yield?`}},
		"name without header":     {"1,2,3\n", Options{Target: "z", Header: &no}, []string{`target: no column is named "z"`}},
		"target named twice":      {"a,y,y\n1,2,3\n", Options{Target: "y"}, []string{"line 1", `columns 1 and 2 are both named "y": give the index`}},
		"drop out of range":       {"1,2,3\n", Options{Drop: []string{"9"}}, []string{"drop: column 9 is out of range"}},
		"drop of the target":      {"1,2,3\n", Options{Target: "-1", Drop: []string{"2"}}, []string{`drop: column "2" is the target`}},
		"no features":             {"1\n2\n", Options{}, []string{"no features"}},
		"all dropped":             {"1,2\n3,4\n", Options{Drop: []string{"0"}}, []string{"no features"}},
		"one class":               {"1,g\n2,g\n", Options{}, []string{`column 1: one class only: every row is labelled "g"`}},
		"one class of numbers":    {"1,7\n2,7\n", Options{Task: Classification}, []string{"one class only: every row is labelled 7"}},
		"three classes":           {"a,y\n1,u\n2,v\n3,w\n", Options{}, []string{`column 1 (y): 3 labels ("u", "v", "w") and no mapping`, `"w", is first in line 4`}},
		"many classes":            {"0,0\n0,1\n0,2\n0,3\n0,4\n0,5\n0,6\n0,7\n0,8\n0,9\n0,10\n", Options{Task: Classification}, []string{"11 labels (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... (11 in all))"}},
		"text to regress on":      {"1,2\n3,g\n", Options{Task: Regression}, []string{`line 2, column 1: text "g" in a number column`}},
		"not UTF-8 name":          {"a,na\xefve,y\n1,2,3\n", Options{}, []string{"line 1: byte 5 (0xef) is not UTF-8"}},
		"not UTF-8 label":         {"1,g\n2,\xe9\n", Options{}, []string{"line 2: byte 3 (0xe9) is not UTF-8"}},
		"not UTF-8 in quotes":     {"1,g\n2,\"\n\xe9\"\n", Options{}, []string{"line 2", "to line 3: byte 1 (0xe9) is not UTF-8"}},
		"zero byte":               {"1,2\n3,\x00\n", Options{}, []string{"line 2: byte 3 is zero"}},
		"UTF-16":                  {"\xff\xfe1\x00,\x002\x00", Options{}, []string{"UTF-16", "allowed is UTF-8"}},
		"zip":                     {"PK\x03\x04rest of it", Options{}, []string{"a zip archive", "gzip"}},
		"open quote":              {"1,2\n3,\"4\n5,6\n", Options{}, []string{"line 2: the quote \" is not closed up to the end of the file"}},
		"after a quote":           {"1,2\n3,\"4\"5\n", Options{}, []string{`line 2: "5" after a closing quote`}},
		"bad format":              {"1,2\n", Options{Format: "xls"}, []string{`format "xls"`, "csv, tsv, space, arff and libsvm"}},
		"bad task":                {"1,2\n", Options{Task: "ranking"}, []string{`task "ranking"`, "classification and regression"}},
		"bad missing":             {"1,2\n", Options{Missing: "zero"}, []string{`missing "zero"`, "refuse, mean, median and drop"}},
		"bad skip":                {"1,2\n", Options{Skip: -1}, []string{"skip -1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readString(c.text, "dir/a.csv", c.o)
			wantError(t, err, append(c.words, "dir/a.csv")...)
		})
	}
}
