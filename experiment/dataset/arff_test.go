package dataset

import (
	"strings"
	"testing"
)

func TestARFF(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text     string
		o        Options
		task     Task
		features []string
		rows     [][]float64
	}{
		"plain": {
			"% source\n@RELATION 'a relation'\n\n@Attribute a NUMERIC\n@ATTRIBUTE b\tReal % unit\n@attribute y integer\n@DATA\n% rows\n1,2,3\n\n4, 5 ,6 % note\n7,8,9\n",
			Options{}, Regression, []string{"a", "b"}, [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
		},
		"blanks between values": {
			"@attribute a real\n@attribute b real\n@attribute y real\n@data\n1 2\t3\n 4  5 6\n7 8 9",
			Options{}, Regression, []string{"a", "b"}, [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
		},
		"quoted names": {
			"@relation \"r\"\n@attribute 'it\\'s 100\\%' real\n@attribute \"b c\" real\n@attribute '{y}' real\n@data\n1,2,3\n4,5,6\n7,8,9\n",
			Options{Target: "{y}"}, Regression, []string{"it's 100%", "b c"}, [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
		},
		"KEEL ranges": {
			"@attribute a real[0.0,1.0]\n@attribute b integer [0, 9]\n@attribute y{p,n}\n@data\n0.5,2,p\n0.25,5,n\n",
			Options{}, Classification, []string{"a", "b"}, [][]float64{{0.5, 2, -1}, {0.25, 5, 1}},
		},
		"nominal classes in declared order": {
			"@attribute a real\n@attribute y {zebra, 'the ape', other}\n@data\n1,'the ape'\n2,zebra\n3,\"zebra\"\n",
			Options{}, Classification, []string{"a"}, [][]float64{{1, 1}, {2, -1}, {3, -1}},
		},
		"numerals as classes in declared order": {
			"@attribute a real\n@attribute y {2,1}\n@data\n1,1\n2,2.0\n",
			Options{}, Classification, []string{"a"}, [][]float64{{1, 1}, {2, -1}},
		},
		"numerals as numbers": {
			"@attribute a real\n@attribute y {2,1,7}\n@data\n1,1\n2,2\n3,7\n",
			Options{Task: Regression}, Regression, []string{"a"}, [][]float64{{1, 1}, {2, 2}, {3, 7}},
		},
		"nominal features": {
			"@attribute c {1,2,3}\n@attribute color {red, 'dark blue', '?'}\n@attribute y real\n@data\n2,red,3\n3,'dark blue',6\n1.0,'?',9\n",
			Options{}, Regression, []string{"c", "color=red", "color=dark blue", "color=?"},
			[][]float64{{2, 1, 0, 0, 3}, {3, 0, 1, 0, 6}, {1, 0, 0, 1, 9}},
		},
		"a nominal value NA": {
			"@attribute c {NA,EU}\n@attribute y real\n@data\nNA,3\nEU,6\nNA,9\n",
			Options{}, Regression, []string{"c=NA", "c=EU"}, [][]float64{{1, 0, 3}, {0, 1, 6}, {1, 0, 9}},
		},
		"omitted values are 0 where others are text": {
			"@attribute c real\n@attribute y real\n@data\n{0 x,1 b}\n{0 z}\n{1 b}\n",
			Options{Encode: "onehot"}, Classification, []string{"c=0", "c=x", "c=z"}, [][]float64{{0, 1, 0, 1}, {0, 0, 1, -1}, {1, 0, 0, 1}},
		},
		"dropped attributes": {
			"@attribute id string\n@attribute a real\n@attribute day date 'yyyy-MM-dd'\n" +
				"@attribute none {}\n@attribute y real\n@data\n'x, 1',2,'2020-01-01',?,3\ny,5,?,?,6\nz,8,?,?,9\n",
			Options{Drop: []string{"id", "day", "none"}}, Regression, []string{"a"}, [][]float64{{2, 3}, {5, 6}, {8, 9}},
		},
		"sparse": {
			"@attribute a real\n@attribute k {5,6}\n@attribute c {u,v}\n@attribute y real\n@data\n{0 1, 3 3}\n{1 6,2 'v' ,3 6 } % note\n{}\n{ 0\t8, 2 u, 3 9 }\n",
			Options{}, Regression, []string{"a", "k", "c=u", "c=v"},
			[][]float64{{1, 5, 1, 0, 3}, {0, 6, 0, 1, 6}, {0, 5, 1, 0, 0}, {8, 5, 1, 0, 9}},
		},
		"sparse with nominal target": {
			"@attribute a real\n@attribute y {no,yes}\n@data\n{0 1}\n{0 2, 1 yes}\n3,no\n",
			Options{}, Classification, []string{"a"}, [][]float64{{1, -1}, {2, 1}, {3, -1}},
		},
		"sparse with dropped columns": {
			"@attribute a real\n@attribute s {p,q}\n@attribute y {no,yes}\n@data\n{0 1, 1 q}\n{0 2, 2 yes}\n",
			Options{Drop: []string{"s"}}, Classification, []string{"a"}, [][]float64{{1, -1}, {2, 1}},
		},
		"not UTF-8 in a comment": {
			"% Universit\xe4t\n@attribute a real\n@attribute y real\n@data\n1,2\n3,4\n% \xe4\n5,6\n",
			Options{}, Regression, []string{"a"}, [][]float64{{1, 2}, {3, 4}, {5, 6}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "\r\n"), "\xef\xbb\xbf" + c.text} {
				d, err := readString(text, "a.arff", c.o)
				wantTable(t, d, err, c.task, c.features, c.rows...)
			}
		})
	}
}

func TestARFFMissing(t *testing.T) {
	t.Parallel()
	const text = "@attribute a real\n@attribute c {u,v,'?'}\n@attribute y real\n@data\n?,u,3\n4,?,6\n{0 8, 1 ?, 2 9}\n{0 3, 1 v, 2 5}\n"
	_, err := readString(text, "a.arff", Options{})
	wantError(t, err, "a.arff, line 5, column 0 (a): 3 missing values", "line 5, column 0 (a): 1", "line 6, column 1 (c): 2")
	d, err := readString(text, "a.arff", Options{Missing: "mean"})
	wantTable(t, d, err, Regression, []string{"a", "c=u", "c=v", "c=?"},
		[]float64{5, 1, 0, 0, 3}, []float64{4, 0.5, 0.5, 0, 6}, []float64{8, 0.5, 0.5, 0, 9}, []float64{3, 0, 1, 0, 5})
	d, err = readString(text, "a.arff", Options{Missing: "drop", Task: Regression})
	wantTable(t, d, err, Regression, []string{"a", "c=u", "c=v", "c=?"}, []float64{3, 0, 1, 0, 5})
}

func TestARFFErrors(t *testing.T) {
	t.Parallel()
	const head = "@relation r\n@attribute a real\n@attribute c {u,v}\n@attribute y real\n@data\n" // 5 lines
	for name, c := range map[string]struct {
		text  string
		o     Options
		words []string
	}{
		"empty":                 {"", Options{}, []string{"there is no @data"}},
		"no data section":       {"@relation r\n@attribute a real\n", Options{}, []string{"there is no @data"}},
		"no rows":               {head, Options{}, []string{"empty: there are no rows"}},
		"no attributes":         {"@relation r\n@data\n1\n", Options{}, []string{"no features"}},
		"no keyword":            {"1,2,3\n", Options{}, []string{"line 1", `"1,2,3"`, "@attribute"}},
		"unknown type":          {"@attribute a float\n", Options{}, []string{"line 1: @attribute a: type \"float\"", "numeric, real, integer"}},
		"no type":               {"@attribute a\n", Options{}, []string{`line 1: @attribute a: type ""`}},
		"no name":               {"@attribute\n", Options{}, []string{"line 1: @attribute: a name is missing"}},
		"open name":             {"@attribute 'a real\n", Options{}, []string{"line 1: @attribute: the quote ' is not closed"}},
		"text after type":       {"@attribute a real x\n", Options{}, []string{`line 1: @attribute a: "x" after the type`}},
		"open values":           {"@attribute a {u,v\n", Options{}, []string{`line 1: @attribute a: after value "v"`}},
		"empty value":           {"@attribute a {u,,v}\n", Options{}, []string{"@attribute a: a value is empty"}},
		"trailing comma":        {"@attribute a {u,}\n", Options{}, []string{"@attribute a: a value is empty"}},
		"comment in the values": {"@attribute a {u%}\n", Options{}, []string{`@attribute a: after value "u"`}},
		"equal values":          {"@attribute a {u,v,u}\n", Options{}, []string{`@attribute a: value "u" is declared twice`}},
		"text after values":     {"@attribute a {u,v} x\n", Options{}, []string{`@attribute a: "x" after the values`}},
		"no values":             {"@attribute a {}\n@attribute b real\n@attribute y real\n@data\n", Options{}, []string{"line 1, column 0 (a): a nominal attribute without values"}},
		"string":                {"@attribute b real\n@attribute a String\n@attribute y real\n@data\n", Options{}, []string{"line 2, column 1 (a): string attribute", "dropped"}},
		"date":                  {"@attribute b real\n@attribute y DATE 'yyyy'\n@data\n", Options{}, []string{"line 2, column 1 (y): date attribute"}},
		"relational":            {"@attribute b real\n@attribute a relational\n@attribute c real\n@end a\n@attribute y real\n@data\n", Options{}, []string{`line 2: @attribute a: type "relational": allowed are numeric`}},
		"ragged":                {head + "1,u,3\n\n1,u\n", Options{}, []string{"line 8: 2 values, where 3 attributes are declared"}},
		"weight":                {head + "1,u,3,{2}\n", Options{}, []string{"line 6: 4 values"}},
		"text":                  {head + "1,u,3\nx,u,3\n", Options{}, []string{`line 7, column 0 (a): text "x" in a number column`}},
		"quoted mark":           {head + "'?',u,3\n", Options{}, []string{`line 6, column 0 (a): text "?" in a number column`}},
		"not declared":          {head + "1,w,3\n", Options{}, []string{`line 6, column 1 (c): "w" is not among the 2 values declared: u, v`}},
		"number not declared":   {"@attribute a real\n@attribute y {1,2}\n@data\n5,1\n6,3\n", Options{}, []string{`line 5, column 1 (y): "3" is not among the 2 values`}},
		"infinite":              {head + "1,u,inf\n", Options{}, []string{`line 6, column 2 (y): "inf" is infinite`}},
		"open quote":            {head + "1,'u,3\n", Options{}, []string{"line 6: the quote ' is not closed"}},
		"text after quote":      {head + "1,'u'x,3\n", Options{}, []string{`line 6: "x,3" after a closing quote`}},
		"not UTF-8":             {head + "1,\xe9,3\n", Options{}, []string{"line 6: byte 3 (0xe9) is not UTF-8"}},
		"not UTF-8 name":        {"@attribute \xe9 real\n", Options{}, []string{"line 1: byte 12 (0xe9)"}},
		"sparse index":          {head + "{3 1}\n", Options{}, []string{"line 6", "indices from 0 to 2"}},
		"sparse huge index":     {head + "{99999999999999999999 1}\n", Options{}, []string{"line 6", "indices from 0 to 2"}},
		"sparse order":          {head + "{1 u,0 1}\n", Options{}, []string{"line 6: index 0 after 1"}},
		"sparse twice":          {head + "{1 u,1 u}\n", Options{}, []string{"line 6: index 1 after 1"}},
		"sparse without value":  {head + "{1}\n", Options{}, []string{"line 6", "{index value, ...}"}},
		"sparse empty value":    {head + "{0 ,1 u}\n", Options{}, []string{"line 6, column 0 (a): every value is missing"}},
		"sparse open":           {head + "{0 1\n", Options{}, []string{"line 6: a sparse row without }"}},
		"sparse empty open":     {head + "{", Options{}, []string{"line 6"}},
		"sparse text":           {head + "{0 x}\n", Options{}, []string{`line 6, column 0 (a): text "x"`}},
		"sparse weight":         {head + "{0 1}, {5}\n", Options{}, []string{"line 6", "weights are not read"}},
		"nominal to regress on": {"@attribute a real\n@attribute y {u,v}\n@data\n1,u\n", Options{Task: Regression}, []string{"column 1 (y)", "not a target for regression"}},
		"three classes":         {"@attribute a real\n@attribute y {3,2,1}\n@data\n1,1\n2,2\n3,3\n", Options{}, []string{"column 1 (y): 3 labels (3, 2, 1) and no mapping", "the third, 1, is first in line 4"}},
		"one class":             {"@attribute a real\n@attribute y {u,v}\n@data\n1,v\n2,v\n", Options{}, []string{`one class only: every row is labelled "v"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readString(c.text, "a.arff", c.o)
			wantError(t, err, append(c.words, "a.arff")...)
		})
	}
}
