package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// written is a table as a program writes it.
type written struct {
	delim, end string
	bom        bool
	quotes     bool // around names and texts
	trailing   string
	decimal    string
}

// writtenForms vary what has nothing to do with the contents.
func writtenForms() []written {
	var list []written
	for i := range 12 {
		list = append(list, written{
			delim: []string{",", ";", "\t", " "}[i%4], end: []string{"\n", "\r\n", "\r"}[i%3],
			bom: i%5 == 0, quotes: i%2 == 1, decimal: ".",
		})
	}
	return list
}

func (w written) String() string {
	return fmt.Sprintf("%q %q bom=%t quotes=%t trailing=%q decimal=%q", w.delim, w.end, w.bom, w.quotes, w.trailing, w.decimal)
}

// number writes a number.
func (w written) number(v float64) string {
	text := strings.ReplaceAll(strconv.FormatFloat(v, 'f', -1, 64), ".", w.decimal)
	if w.delim == w.decimal {
		return `"` + text + `"`
	}
	return text
}

// text writes a name or a text.
func (w written) text(s string) string {
	if w.quotes && s != "" || strings.ContainsAny(s, w.delim+`"`) {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// file joins lines of fields.
func (w written) file(lines [][]string) string {
	var b strings.Builder
	if w.bom {
		b.WriteString("\xef\xbb\xbf")
	}
	for _, line := range lines {
		b.WriteString(strings.Join(line, w.delim) + w.trailing + w.end)
	}
	return b.String()
}

// fractions are rows of features that end with a target, none a whole number.
func fractions(seed uint64, rows, columns int) [][]float64 {
	random := rand.New(rand.NewPCG(seed, 38))
	list := make([][]float64, rows)
	for i := range list {
		for range columns {
			list[i] = append(list[i], float64(random.IntN(2000)-1000)+0.25+0.5*float64(random.IntN(2)))
		}
		list[i][columns-1] += float64(i) / 1024 // no two alike
	}
	return list
}

// lines writes rows below names.
func (w written) lines(names []string, rows [][]float64) [][]string {
	var list [][]string
	if names != nil {
		line := make([]string, len(names))
		for i, name := range names {
			line[i] = w.text(name)
		}
		list = append(list, line)
	}
	for _, row := range rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = w.number(v)
		}
		list = append(list, line)
	}
	return list
}

// countedNames are "0", "1", ...
func countedNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// letters are "a", "b", ...
func letters(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = string(rune('a'+i%26)) + strings.Repeat("'", i/26)
	}
	return names
}

// wantReading checks what a data set says about its reading.
func wantReading(t *testing.T, d *Dataset, how []string, warnings ...string) {
	t.Helper()
	for _, word := range how {
		if !strings.Contains(d.Reading.How, word) {
			t.Errorf("read as %q, which does not say %q", d.Reading.How, word)
		}
	}
	if len(d.Reading.Warnings) != len(warnings) {
		t.Fatalf("warnings %q, want %q", d.Reading.Warnings, warnings)
	}
	for i, word := range warnings {
		if !strings.Contains(d.Reading.Warnings[i], word) {
			t.Errorf("warning %q does not say %q", d.Reading.Warnings[i], word)
		}
	}
}

// eachForm runs a test for tables of several forms and sizes.
func eachForm(t *testing.T, test func(t *testing.T, w written, rows [][]float64, columns int)) {
	for i, w := range writtenForms() {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			columns := 3 + i*i%17
			test(t, w, fractions(uint64(i), 12+i*i, columns), columns)
		})
	}
}

// A header that counts the columns is one, alone, beside other names, and above whole
// numbers; a row that counts is none.
func TestCountedNames(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w written, rows [][]float64, columns int) {
		names := countedNames(columns)
		d, err := readString(w.file(w.lines(names, rows)), "a.csv", Options{})
		wantTable(t, d, err, Regression, names[:columns-1], rows...)
		if !w.quotes {
			wantReading(t, d, []string{"names in line 1", "target " + names[columns-1]}, "header: false takes it for a row")
		}
		named := append(countedNames(columns-1), "target")
		d, err = readString(w.file(w.lines(named, rows)), "a.csv", Options{})
		wantTable(t, d, err, Regression, named[:columns-1], rows...)
		if w.quotes {
			return
		}
		years := make([]string, columns)
		for i := range years {
			years[i] = strconv.Itoa(1990 + 5*i)
		}
		d, err = readString(w.file(w.lines(years, rows)), "a.csv", Options{})
		wantTable(t, d, err, Regression, years[:columns-1], rows...)
		wantReading(t, d, []string{"names in line 1"}, "header: false takes it for a row")
		for i := range years {
			years[i] += w.decimal + "5"
		}
		d, err = readString(w.file(w.lines(years, rows)), "a.csv", Options{})
		if err != nil || d.N != len(rows)+1 {
			t.Fatalf("a line of fractions: %v", err)
		}
		wantReading(t, d, []string{"line 1 is a row"}, "header: true takes it for names")
		no := false
		d, err = readString(w.file(w.lines(names, rows)), "a.csv", Options{Header: &no})
		if err != nil || d.N != len(rows)+1 {
			t.Errorf("header: false: %v", err)
		}
	})
	for text, want := range map[string]struct{ rows, columns int }{
		"0,1,2\n3,4,5\n6,7,8\n":                   {3, 2}, // counts on
		"0,1,2\n3,9,1\n6,7,8\n":                   {2, 2},
		"2000,2001,2002\n1,2,4\n3,4,9\n":          {3, 2},
		"0,1\n1,0\n0,0\n1,1\n":                    {4, 1},
		"0,1,2,3\n9,8,1,5\n7,7,0,6\n4,8,1,5\n":    {3, 3}, // 0 stands nowhere else
		"0,1,2,3,4,5\n0,1,2,3,4,5\n5,4,3,2,1,0\n": {2, 5},
		"0,1,kind\n3,4,u\n1,5,v\n2,1,u\n":         {3, 2},
		"0,1,u\n3,4,u\n1,5,v\n2,1,u\n":            {4, 2},
		"k,1,2\nl,3,4\nm,5,7\n":                   {3, 2}, // names of rows
		"1,2,3\n1.5,2.5,3.5\n0.5,1.5,7.5\n":       {3, 2},
		"\"2001\",\"2002\",\"y\"\n1,2,3\n4,5,7\n": {2, 2},
		"\"2001\" \"2002\"\n\"1\" 2 3\n\"2\" 4 7": {2, 1}, // R
	} {
		hot := Options{Encode: "onehot", Header: new(false)}
		if !strings.HasPrefix(text, "k") {
			hot = Options{}
		}
		d, err := readString(text, "a.csv", hot)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if d.N != want.rows || hot.Encode == "" && d.D != want.columns {
			t.Errorf("%q: %d x %d, want %d x %d", text, d.N, d.D, want.rows, want.columns)
		}
	}
	const either = "0,1,2\n0,1,1\n2,0,2\n1,1,0\n"
	_, err := readString(either, "a.csv", Options{})
	wantError(t, err, "line 1", "header: true", "header: false")
	for _, header := range []bool{false, true} {
		if d, err := readString(either, "a.csv", Options{Header: &header}); err != nil || d.N != map[bool]int{false: 4, true: 3}[header] {
			t.Errorf("header: %t: %v", header, err)
		}
	}
}

// A first column without a name that numbers the rows is none of the features.
func TestIndexColumn(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w written, rows [][]float64, columns int) {
		if w.delim == " " {
			return // a name cannot be empty
		}
		n := len(rows)
		shuffled := rand.New(rand.NewPCG(uint64(n), 2)).Perm(2 * n)[:n]
		for kind, c := range map[string]struct {
			index func(row int) string
			says  string
		}{
			"from 0":    {strconv.Itoa, "counts rows"},
			"from 1":    {func(row int) string { return `"` + strconv.Itoa(row+1) + `"` }, "counts rows"},
			"twice":     {func(row int) string { return strconv.Itoa(row % (n/2 + 1)) }, "counts rows"},
			"shuffled":  {func(row int) string { return strconv.Itoa(shuffled[row]) }, "another whole number in every row"},
			"of text":   {func(row int) string { return w.text("row" + strconv.Itoa(row)) }, "another text in every row"},
			"and count": {strconv.Itoa, "counts rows"},
		} {
			for _, name := range []string{"", "Unnamed: 0"} {
				names := letters(columns)
				if kind == "and count" {
					names = countedNames(columns)
				}
				lines := w.lines(names, rows)
				lines[0] = append([]string{w.text(name)}, lines[0]...)
				for row := range rows {
					lines[row+1] = append([]string{c.index(row)}, lines[row+1]...)
				}
				if kind == "and count" && name != "" {
					continue
				}
				d, err := readString(w.file(lines), "a.csv", Options{})
				wantTable(t, d, err, Regression, names[:columns-1], rows...)
				if last := d.Reading.Warnings; !strings.Contains(last[len(last)-1], c.says) || !strings.Contains(last[len(last)-1], "column 0") {
					t.Errorf("%s: warnings %q", kind, last)
				}
				lines[0][0] = "n" // what the warning says
				d, err = readString(w.file(lines), "a.csv", Options{Encode: "onehot"})
				if err != nil || d.D < columns || d.Features[0][0] != 'n' {
					t.Errorf("%s, with a name: %v", kind, err)
				}
			}
		}
	})
	d, err := readString("k,a,y\n1,0,3\n2,0,1\n3,1,7\n4,2,1\n5,1,2\n6,4,2\n7,1,1\n8,2,9\n9,1,5\n10,5,2\n", "a.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantReading(t, d, []string{"2 features: k, a"}, "column 0 (k): counts rows and is a feature; drop: 0 leaves it out")
	d, err = readString(",0,1\n1.5,2,3\n1.5,2,4\n2.5,3,7\n", "a.csv", Options{Header: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	wantReading(t, d, nil, "column 0 has no name and is the feature x0; drop: -3 leaves it out")
	d, err = readString(",0,1\n1.5,2,3\n1.5,2,4\n2.5,3,7\n", "a.csv", Options{Header: new(true), Drop: []string{"-3"}})
	wantTable(t, d, err, Regression, []string{"0"}, []float64{2, 3}, []float64{2, 4}, []float64{3, 7})
}

// R's write.table leaves out the name of the column of row names.
func TestRowNamesOfR(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w written, rows [][]float64, columns int) {
		names := letters(columns)
		lines := w.lines(names, rows)
		for row := range rows {
			lines[row+1] = append([]string{fmt.Sprintf("%q", fmt.Sprint(row+1))}, lines[row+1]...)
		}
		d, err := readString(w.file(lines), "a.txt", Options{})
		wantTable(t, d, err, Regression, names[:columns-1], rows...)
		wantReading(t, d, []string{"names in line 1"}, "column 0 is left out: line 1 has a name for every column but this one")
		lines[0] = append([]string{"row"}, lines[0]...)
		if d, err = readString(w.file(lines), "a.txt", Options{}); err != nil || d.D != columns {
			t.Errorf("with a name: %v", err)
		}
	})
	_, err := readString("a b\n1 2 3\n1 4 5\n", "a.txt", Options{})
	wantError(t, err, "line 2: 3 fields, where line 1 has 2")
}

// Decimal commas are read as such where the option says so, which errors name.
func TestDecimalCommas(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w written, rows [][]float64, columns int) {
		w.decimal = ","
		for _, names := range [][]string{letters(columns), nil} {
			text, features := w.file(w.lines(names, rows)), letters(columns)[:columns-1]
			if names == nil {
				for i := range features {
					features[i] = "x" + strconv.Itoa(i)
				}
			}
			for _, o := range []Options{{}, {Encode: "onehot"}, {Task: Regression}} {
				if names == nil && o.Encode == "" {
					o.Header = new(false)
				}
				_, err := readString(text, "a.csv", o)
				wantError(t, err, `; decimal: "," reads decimal commas`)
				o.Decimal = ","
				d, err := readString(text, "a.csv", o)
				wantTable(t, d, err, Regression, features, rows...)
				wantReading(t, d, []string{"decimal commas"})
			}
		}
		// Of one column of text, and of the target alone.
		hot := Options{Encode: "onehot"}
		lines := w.lines(letters(columns), rows)
		for row := range rows {
			lines[row+1][0] = w.text([]string{"red", "blue"}[row%2])
		}
		_, err := readString(w.file(lines), "a.csv", hot)
		wantError(t, err, `; decimal: "," reads decimal commas`)
		hot.Decimal = ","
		d, err := readString(w.file(lines), "a.csv", hot)
		if err != nil || d.D != columns || !slices.Equal(d.Features[:2], []string{"a=blue", "a=red"}) {
			t.Errorf("with a column of text: %v", err)
		}
		for row := range rows {
			for c := range columns - 1 {
				lines[row+1][c] = strconv.Itoa((row*7 + c) % 5)
			}
		}
		_, err = readString(w.file(lines), "a.csv", Options{})
		wantError(t, err, `; decimal: "," reads decimal commas`)
		d, err = readString(w.file(lines), "a.csv", Options{Decimal: ","})
		if err != nil || d.Task != Regression || d.Y[0] != rows[0][columns-1] {
			t.Errorf("of the target alone: %v", err)
		}
	})
	for name, c := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"a point":         {"a;y\n1,5;2\n1.5;3\n", Options{Decimal: ","}, "units, currencies, dates and other marks are not read: write plain numbers"},
		"another mark":    {"1;2\n", Options{Decimal: ";"}, `decimal ";": allowed are . and ,`},
		"thousands":       {"a;y\n1 200;2\n1 500;3\n", Options{Encode: "onehot", Format: "csv"}, `thousands: " " separates thousands`},
		"percent":         {"a,y\n12%,2\n13.5 %,3\nlow,4\n", Options{Encode: "onehot"}, "units, currencies, dates and other marks are not read: write plain numbers"},
		"currency":        {"a;y\n$12;2\n1.234,50 €;3\n", Options{Encode: "onehot"}, "units, currencies, dates and other marks are not read: write plain numbers"},
		"a number beside": {"a;y\n1,5;2\n3;3\n", Options{Encode: "onehot"}, `text "1,5" where line 3 has the number 3; decimal: "," reads`},
		"of ARFF":         {"@attribute a real\n", Options{Decimal: ","}, "decimal: it is for csv, tsv and space files, not for arff"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readString(c.text, "a", c.o)
			wantError(t, err, c.want)
		})
	}
	for _, text := range []string{"1,2 3,4\n5,6 7,8\n", "a;b, c;y\n1;2;3\n", "\"1,5\";2;3\n\"2,5\";3;4\n"} {
		if d, err := readString(text, "a.csv", Options{Decimal: ","}); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if strings.Contains(d.Reading.How, "commas;") && !strings.Contains(d.Reading.How, "decimal") {
			t.Errorf("%q: %s", text, d.Reading.How)
		}
	}
}

// Marks of missing values are missing in columns of text as in columns of numbers.
func TestMissingMarks(t *testing.T) {
	t.Parallel()
	marks := []string{"NULL", "N/A", "None", "null", "NA", "nan", "NaN", "<NA>", "n/a", "#N/A", "?", ""}
	eachForm(t, func(t *testing.T, w written, rows [][]float64, columns int) {
		if w.delim == " " {
			return // a field cannot be empty
		}
		names := letters(columns)
		lines := w.lines(names, rows)
		var left [][]float64
		var at []int
		for row := range rows {
			red := float64(row % 2)
			lines[row+1][0] = w.text([]string{"blue", "red"}[row%2])
			if row%3 == 1 {
				mark := marks[row/3%len(marks)]
				if row%2 == 1 { // in the column of text, else in a column of numbers
					lines[row+1][0] = w.text(mark)
				} else {
					lines[row+1][1%(columns-1)] = mark
				}
				at = append(at, row+2)
				continue
			}
			left = append(left, append([]float64{1 - red, red}, rows[row][1:]...))
		}
		o := Options{Encode: "onehot"}
		_, err := readString(w.file(lines), "a.csv", o)
		wantError(t, err, fmt.Sprintf("%d missing values", len(at)))
		o.Missing = "drop"
		d, err := readString(w.file(lines), "a.csv", o)
		wantTable(t, d, err, Regression, append([]string{"a=blue", "a=red"}, names[1:columns-1]...), left...)
		wantReading(t, d, []string{fmt.Sprintf("left out for missing values: %d of %d rows, lines %d, %d", len(at), len(rows), at[0], at[1])})
		if d.Reading.LeftOut != len(at) || !slices.Equal(d.Reading.Lines, at) {
			t.Errorf("%d rows left out, in lines %v, want %v", d.Reading.LeftOut, d.Reading.Lines, at)
		}
	})
	for name, c := range map[string]struct {
		text     string
		o        Options
		features string
		rows     [][]float64
	}{
		"another mark": {"a,c,y\n-999,u,1.5\n2,-,2.5\n3,None,3.5\n4,u,4.5\n", Options{Encode: "onehot", Missing: "drop", Marks: []string{"-999", "-"}}, "a c=None c=u",
			[][]float64{{3, 1, 0, 3.5}, {4, 0, 1, 4.5}}},
		"quoted is text": {"c,y\n\"NA\",1.5\n\"u\",2.5\nNA,3.5\n\"\",4.5\n", Options{Encode: "onehot", Missing: "drop", KeepQuoted: true}, "c= c=NA c=u",
			[][]float64{{0, 1, 0, 1.5}, {0, 0, 1, 2.5}, {1, 0, 0, 4.5}}},
		"quoted is missing": {"c,y\n\"NA\",1.5\n\"u\",2.5\nv,3.5\n\"\",4.5\n", Options{Encode: "onehot", Missing: "drop"}, "c=u c=v",
			[][]float64{{1, 0, 2.5}, {0, 1, 3.5}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.o.Task = Regression
			d, err := readString(c.text, "a.csv", c.o)
			wantTable(t, d, err, Regression, strings.Fields(c.features), c.rows...)
		})
	}
	_, err := readString("c,y\n\"NA\",1.5\nu,2.5\n,3\n", "a.csv", Options{Encode: "onehot"})
	wantError(t, err, "2 missing values", "keep_quoted: true makes text of 1 of them", `missing_marks: ["?"] makes text of other marks`)
	_, err = readString("a,y\n1,1.5\n-,2.5\n", "a.csv", Options{})
	wantError(t, err, `text "-" in a number column; missing_marks: ["-"], missing: median takes it for a missing value`)
	d, err := readString("a,y\n1,1.5\n-,2.5\n3,4.5\n", "a.csv", Options{Missing: "drop", Task: Regression, Marks: []string{"-"}})
	wantTable(t, d, err, Regression, []string{"a"}, []float64{1, 1.5}, []float64{3, 4.5})
}

// Indices of a libsvm file count from 0 where one is 0, else from 1.
func TestIndicesFromZero(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		rows := fractions(uint64(i), 5+i*i, 3+i)
		for base := range 2 {
			var b strings.Builder
			names := make([]string, 2+i)
			for row, values := range rows {
				fmt.Fprint(&b, values[2+i])
				for c, v := range values[:2+i] {
					if names[c] = strconv.Itoa(c + base); (row+c)%4 == 1 && row > 0 {
						values[c] = 0 // left out
					} else {
						fmt.Fprintf(&b, " %d:%v", c+base, v)
					}
				}
				b.WriteString([]string{"\n", "\r\n", "\r", " # c\n"}[i%4])
			}
			d, err := readString(b.String(), "a.svm", Options{})
			wantTable(t, d, err, Regression, names, rows...)
			wantReading(t, d, []string{fmt.Sprintf("indices from %d", base)})
		}
	}
}

// KEEL names inputs and outputs, in any order of the attributes.
func TestKEEL(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		columns := 3 + i
		at := i * 5 % columns // the output
		rows := fractions(uint64(i), 6+i*i, columns)
		var head, inputs []string
		var want [][]float64
		for c := range columns {
			name := "At" + strconv.Itoa(c)
			kind := []string{" real [-1001.0, 1001.0]", " real[-1001,1001]", " numeric"}[c%3]
			head = append(head, "@attribute "+name+kind)
			if c != at {
				inputs = append(inputs, name)
			}
		}
		left := -1
		if i%3 == 2 { // an attribute that is neither
			left = slices.Index(head, "@attribute "+inputs[0]+[]string{" real [-1001.0, 1001.0]", " real[-1001,1001]", " numeric"}[map[bool]int{true: 1}[at == 0]])
			inputs = inputs[1:]
		}
		lists := []string{"@inputs " + strings.Join(inputs, ", "), "@outputs At" + strconv.Itoa(at)}
		if i%2 == 1 {
			lists = []string{"@output At" + strconv.Itoa(at)}
			if i%3 == 2 {
				lists = append(lists, "@INPUT "+strings.Join(inputs, ","))
			}
		}
		var data []string
		for _, row := range rows {
			var line []string
			values := []float64{}
			for c, v := range row {
				line = append(line, fmt.Sprint(v))
				if c != at && c != left {
					values = append(values, v)
				}
			}
			data = append(data, strings.Join(line, []string{", ", ","}[i%2]))
			want = append(want, append(values, row[at]))
		}
		end := []string{"\n", "\r\n", "\r"}[i%3]
		text := strings.Join(slices.Concat([]string{"@relation r"}, head, lists, []string{"@data"}, data), end)
		d, err := readString(text, "a.dat", Options{})
		wantTable(t, d, err, Regression, inputs, want...)
		wantReading(t, d, []string{"target by @outputs", "target At" + strconv.Itoa(at) + ": regression"})
	}
	const head = "@relation r\n@attribute a real\n@attribute b real\n@attribute y {u, v}\n@inputs a\n@outputs b, y\n"
	const rows = "@data\n1, 2, u\n3, <null>, v\n5, 6, v\n"
	_, err := readString(head+rows, "a.dat", Options{})
	wantError(t, err, "@outputs names 2 attributes (b, y): say which is the target, as in target: b")
	d, err := readString(head+rows, "a.dat", Options{Target: "b", Missing: "drop", Task: Regression})
	wantTable(t, d, err, Regression, []string{"a"}, []float64{1, 2}, []float64{5, 6})
	_, err = readString(strings.Replace(head, "@outputs b", "@outputs c", 1)+rows, "a.dat", Options{})
	wantError(t, err, `line 6: no attribute before it is named "c"`)
}

// Delimiters at the ends of lines make no column.
func TestTrailingDelimiters(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w written, rows [][]float64, columns int) {
		if w.delim == " " {
			return
		}
		names := letters(columns)
		head, rest := w, w
		for many := 1; many < 3; many++ {
			for _, where := range []string{"header", "rows", "both", "no header"} {
				head.trailing, rest.trailing = "", ""
				if where != "rows" {
					head.trailing = strings.Repeat(w.delim, many)
				}
				if where != "header" {
					rest.trailing = strings.Repeat(w.delim, many)
				}
				rest.bom = false
				lines := w.lines(names, rows)
				text, features := head.file(lines[:1])+rest.file(lines[1:]), names[:columns-1]
				if where == "no header" {
					text, features = rest.file(lines[1:]), make([]string, columns-1)
					for i := range features {
						features[i] = "x" + strconv.Itoa(i)
					}
				}
				for _, target := range []string{"", "-1"} {
					d, err := readString(text, "a.csv", Options{Target: target})
					wantTable(t, d, err, Regression, features, rows...)
				}
				if where != "header" {
					d, err := readString(text, "a.csv", Options{Drop: []string{strconv.Itoa(columns)}})
					if many == 1 {
						wantTable(t, d, err, Regression, features, rows...)
					} else if err != nil {
						t.Error(err)
					}
				}
			}
		}
	})
	text := "a,y,\n" + strings.Repeat("1,2,\n", 70) + "1,3,4\n"
	_, err := readString(text, "a.csv", Options{})
	wantError(t, err, `line 72, column 2: "4"`, "drop: 2 leaves the column out")
	d, err := readString(text, "a.csv", Options{Drop: []string{"2"}})
	if err != nil || d.N != 71 || d.D != 1 {
		t.Errorf("drop: 2: %v", err)
	}
	text = strings.Repeat("1,2,\n", 70) + "1,3,4\n1,3,5\n2,4,6\n"
	_, err = readString(text, "a.csv", Options{})
	wantError(t, err, "target: 2 predicts it")
	d, err = readString(text, "a.csv", Options{Target: "2", Missing: "drop"})
	wantTable(t, d, err, Regression, []string{"x0", "x1"}, []float64{1, 3, 4}, []float64{1, 3, 5}, []float64{2, 4, 6})
}

// Lines end by CR, LF or both, however long the file and whatever comes where a buffer ends.
func TestLineEnds(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	for i, rows := range []int{2, 3, 5, 40, 41, 42, 43, 5000, 40_001, 50_003} {
		want := fractions(uint64(i), rows, 3)
		w := written{delim: ",", decimal: "."}
		for _, end := range []string{"\r", "\r\n", "\r\r\n"} {
			w.end = end
			text := w.file(w.lines(letters(3), want))
			for _, text := range []string{text, strings.TrimSuffix(text, end), strings.Replace(text, end, "\n", 1)} {
				d, err := readString(text, "a.csv", Options{Task: Regression})
				wantTable(t, d, err, Regression, []string{"a", "b"}, want...)
			}
			text = strings.Replace(text, end, end+"1,no,2"+end, 1)
			_, err := readString(text, "a.csv", Options{})
			wantError(t, err, "line 2, column 1 (b)")
			d, err := readString("skipped"+end+w.file(w.lines(letters(3), want)), "a.csv", Options{Skip: 1, Task: Regression})
			wantTable(t, d, err, Regression, []string{"a", "b"}, want...)
		}
	}
	d, err := readString("a,\"b\rc\",y\r1,2,3\r4,5,6\r7,8,1\r", "a.csv", Options{})
	wantTable(t, d, err, Regression, []string{"a", "b\nc"}, []float64{1, 2, 3}, []float64{4, 5, 6}, []float64{7, 8, 1})
}

// Names of wide tables are bounded.
func TestNames(t *testing.T) {
	t.Parallel()
	few := &Dataset{D: 2, Features: []string{"a", "b"}}
	if got := few.Names(); !slices.Equal(got.First, few.Features) || got.SHA256 != "" {
		t.Errorf("names %+v", got)
	}
	wide := &Dataset{D: 100_000, Features: countedNames(100_000)}
	got := wide.Names()
	if !slices.Equal(got.First, wide.Features[:1000]) || len(got.SHA256) != 64 {
		t.Errorf("%d names, SHA-256 %q", len(got.First), got.SHA256)
	}
	wide.Features[99_999] = "other"
	if again := wide.Names(); again.SHA256 == got.SHA256 {
		t.Error("the digest does not know all names")
	}
	long := &Dataset{D: 3, Features: []string{strings.Repeat("a", 60<<10), strings.Repeat("b", 60<<10), "c"}}
	if got := long.Names(); len(got.First) != 1 || got.SHA256 == "" {
		t.Errorf("%d long names", len(got.First))
	}
}
