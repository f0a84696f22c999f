package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// load reads a file with options as a grid has them.
func load(t *testing.T, path string, options []string) (*dataset.Dataset, error) {
	t.Helper()
	r, root, err := gridfile.Open([]byte("{path: '"+path+"', "+strings.Join(options, ", ")+"}"), "grid.yaml", nil)
	if err != nil {
		t.Fatalf("%q: %v", options, err)
	}
	source, ok := experiment.ReadSource(r, root, dataset.Options{}, false)
	if !ok {
		t.Fatalf("%q: %v", options, r.Err())
	}
	return (&dataset.Library{}).Load(t.Context(), source)
}

// tryRemedies follows the first remedies of all errors, which has to be enough, and then each remedy alone, which
// has to settle its error.
func tryRemedies(t *testing.T, path string, options []string) *dataset.Dataset {
	t.Helper()
	d, err := load(t, path, options)
	all := options
	for _, problem := range dataset.Each(err) {
		if len(problem.Remedies) == 0 {
			t.Fatalf("no remedy: %v", problem)
		}
		all = problem.Remedies[0].Follow(all)
		for _, remedy := range problem.Remedies {
			_, again := load(t, path, remedy.Follow(options))
			for _, other := range dataset.Each(again) {
				if errors.Is(other.Err, problem.Err) || other.Err.Error() == problem.Err.Error() && other.Line == problem.Line {
					t.Errorf("%q does not settle %v", remedy.Options, problem)
				}
			}
		}
	}
	if err == nil {
		return d
	}
	d, err = load(t, path, all)
	if err != nil {
		t.Fatalf("with %q: %v", all, err)
	}
	return d
}

// door is a file as people have it.
type door struct {
	file, text string
	options    string
	says       []string // an error each, by line
	rows       int
	features   string
	first      []float64 // row of features and target; NaN for missing
}

// rows repeats lines with numbers that vary.
func rows(n int, format string, columns ...func(i int) any) string {
	var b strings.Builder
	for i := range n {
		values := make([]any, len(columns))
		for c, column := range columns {
			values[c] = column(i)
		}
		fmt.Fprintf(&b, format+"\n", values...)
	}
	return b.String()
}

func fraction(i int) any    { return float64(i*7%31)/8 + 0.0625 }
func another(i int) any     { return float64(i*11%37)/4 - 3.125 }
func thousand(i int) any    { return fmt.Sprintf("%d,%03d", 1+i%9, i*37%1000) }
func yesNo(i int) any       { return []string{"yes", "no"}[i%2] }
func colour(i int) any      { return []string{"red", "blue", "green"}[i%3] }
func german(i int) any      { return fmt.Sprintf("%d,%02d", i%9, i*37%100) }
func germanLarge(i int) any { return fmt.Sprintf("%d.%03d,%02d", 1+i%9, i*37%1000, i%100) }
func swiss(i int) any       { return fmt.Sprintf("%d'%03d.5", 1+i%9, i*37%1000) }
func french(i int) any      { return fmt.Sprintf("%d\u202f%03d", 1+i%9, i*37%1000) }
func mostly(text string, each int, column func(int) any) func(int) any {
	return func(i int) any {
		if i%each == each-1 {
			return text
		}
		return column(i)
	}
}

func doors() map[string]door {
	plain := rows(24, "%v,%v,%v", fraction, another, fraction)
	semi := strings.ReplaceAll(plain, ",", ";")
	return map[string]door{
		// Marks of thousands and decimals.
		"thousands of a target":      {"a.csv", "a,b,price\n" + rows(24, "%v,%v,%q", fraction, another, thousand), "", []string{`thousands: ","`}, 24, "a b", []float64{0.0625, -3.125, 1000}},
		"thousands of a feature":     {"a.csv", "a,pop,y\n" + rows(24, "%v,%q,%v", fraction, thousand, another), "", []string{`text "1,000" in a number column; thousands: ","`}, 24, "a pop", []float64{0.0625, 1000, -3.125}},
		"thousands below small ones": {"a.csv", "pop,y\n" + rows(9, "%v,%v", func(i int) any { return 100 + i }, another) + rows(9, "%q,%v", thousand, fraction), "", []string{`thousands: ","`}, 18, "pop", []float64{100, -3.125}},
		"thousands in tabs":          {"a.tsv", "pop\ty\n" + rows(9, "%v\t%v", thousand, another), "", []string{`thousands: ","`}, 9, "pop", []float64{1000, -3.125}},
		"thousands or decimals":      {"a.csv", "pop;y\n" + rows(9, "%v;%d", thousand, func(i int) any { return i * i }), "", []string{`decimal: "," reads decimal commas; thousands: "," separates thousands`}, 9, "pop", []float64{1, 0}},
		"points of thousands":        {"a.csv", "pop;y\n" + rows(9, "%v;%v", germanLarge, german), "", []string{`decimal: ",", thousands: "."`}, 9, "pop", []float64{1000, 0}},
		"apostrophes":                {"a.csv", "pop,y\n" + rows(9, "%v,%v", swiss, another), "", []string{`thousands: "'"`}, 9, "pop", []float64{1000.5, -3.125}},
		"narrow blanks":              {"a.csv", "pop;y\n" + rows(9, "%v;%v", french, another), "", []string{`thousands: " "`}, 9, "pop", []float64{1000, -3.125}},
		"decimal commas in quotes":   {"a.csv", "a,y\n" + rows(9, "%q,%q", german, german), "", []string{`decimal: ","`}, 9, "a", []float64{0, 0}},
		"decimal commas and text":    {"a.csv", "a;k;y\n" + rows(9, "%v;%v;%v", german, colour, german), "", []string{`decimal: ","`, `encode: onehot`}, 9, "a k=blue k=green k=red", []float64{0, 0, 0, 1, 0}},
		"percent":                    {"a.csv", "p,b,y\n" + rows(9, "%v%%,%v,%v", fraction, another, fraction), "", []string{`"0.0625%"`}, 9, "b", []float64{-3.125, 0.0625}},
		// Marks of missing values.
		"a mark of another form":  {"a.csv", "a,b,y\n" + rows(10, "%v,%v,%v", mostly("-999.00", 5, fraction), another, another), "missing_marks: [-999], missing: drop", nil, 8, "a b", []float64{0.0625, -3.125, -3.125}},
		"a mark with an exponent": {"a.csv", "a,b,y\n" + rows(10, "%v,%v,%v", mostly("-9.99E+02", 5, fraction), another, another), "missing_marks: [-999], missing: drop", nil, 8, "a b", []float64{0.0625, -3.125, -3.125}},
		"a mark with commas":      {"a.csv", "a;y\n" + rows(10, "%v;%v", mostly("-99,90", 5, german), german), "missing_marks: ['-99.9'], missing: drop, decimal: ','", nil, 8, "a", []float64{0, 0}},
		"a dash":                  {"a.csv", "a,b,y\n" + rows(10, "%v,%v,%v", mostly("-", 5, fraction), another, another), "", []string{`text "-" in a number column (2 values); missing_marks: ["-"], missing: median`}, 10, "a b", []float64{0.0625, -3.125, -3.125}},
		"a dash first":            {"a.csv", "a,b,y\n-,1,2\n" + rows(10, "%v,%v,%v", fraction, another, another), "", []string{`text "-" where line 3 has the number 0.0625 (10 values); missing_marks: ["-"], missing: median`}, 11, "a b", []float64{math.NaN(), 1, 2}},
		"two marks and NA":        {"a.csv", "a,b,y\n" + rows(20, "%v,%v,%v", mostly("n/d", 5, fraction), mostly("NA", 4, mostly("..", 9, another)), another), "", []string{`missing values`, `missing_marks: ["..", "NA", "n/d"]`}, 20, "a b", nil},
		"a mark in the target":    {"a.csv", "a,b,y\n" + rows(40, "%v,%v,%v", fraction, another, mostly("tbd", 8, another)), "", []string{`missing_marks: ["tbd"], missing: drop`}, 35, "a b", nil},
		"infinite":                {"a.csv", "a,b,y\n" + rows(10, "%v,%v,%v", mostly("inf", 5, fraction), another, another), "", []string{`"inf" is infinite (2 values)`}, 10, "b", nil},
		"MySQL":                   {"a.tsv", "a\tcol\ty\n" + rows(12, "%v\t%v\t%v", mostly(`\N`, 5, fraction), mostly(`\N`, 4, colour), another), "missing: drop, encode: onehot", nil, 7, "a col=blue col=green col=red", nil},
		"blanks in quotes":        {"a.csv", "a,b,y\n" + rows(9, `" %v","%v ",%v`, fraction, another, another), "", nil, 9, "a b", []float64{0.0625, -3.125, -3.125}},
		"nothing in quotes":       {"a.csv", "a,b,y\n" + rows(9, `%v,%v,%v`, mostly(`"  "`, 3, fraction), another, another), "missing: drop", nil, 6, "a b", nil},
		// Labels.
		"None as a label":             {"a.csv", "a,b,y\n" + rows(12, "%v,%v,%v", fraction, another, func(i int) any { return []string{"None", "Mild"}[i%2] }), "", []string{`missing_marks: ["?"] makes a label of "None"; missing: drop`}, 12, "a b", []float64{0.0625, -3.125, 1}},
		"NA as a label, gaps":         {"a.csv", "a,b,y\n" + rows(12, "%v,%v,%v", mostly("?", 4, fraction), another, func(i int) any { return []string{"NA", "EU"}[i%2] }), "", []string{`missing_marks: ["?"], missing: median makes a label of "NA"`}, 12, "a b", []float64{0.0625, -3.125, 1}},
		"null as a label, drop":       {"a.csv", "a,y\n" + rows(12, "%v,%v", fraction, func(i int) any { return []string{"null", "one"}[i%2] }), "missing: drop", []string{`missing_marks: ["?"] makes a label of "null"`}, 12, "a", nil},
		"three labels":                {"a.csv", "a,y\n" + rows(12, "%v,%v", fraction, colour), "", []string{`classes: {positive: ["red"]}`}, 12, "a", []float64{0.0625, 1}},
		"labels of 16 digits":         {"a.csv", "a,y\n" + rows(12, "%v,%v", fraction, func(i int) any { return 9007199254740992 + i%2 }), "", nil, 12, "a", []float64{0.0625, -1}},
		"labels of 20 digits":         {"a.csv", "a,y\n" + rows(12, "%v,%v", fraction, func(i int) any { return "1234567890123456789" + fmt.Sprint(i%2) }), "", nil, 12, "a", []float64{0.0625, -1}},
		"negative labels of 17":       {"a.csv", "a,y\n" + rows(12, "%v,%v", fraction, func(i int) any { return "-9007199254740993" + fmt.Sprint(i%2) }), "", nil, 12, "a", []float64{0.0625, 1}},
		"one of three":                {"a.csv", "a,y\n" + rows(12, "%v,%v", fraction, func(i int) any { return 9007199254740992 + i%3 }), "classes: {positive: [9007199254740993]}", nil, 12, "a", []float64{0.0625, -1}},
		"labels of libsvm":            {"a.svm", rows(12, "%v 1:%v", func(i int) any { return 9007199254740992 + i%2 }, fraction), "", nil, 12, "1", []float64{0.0625, -1}},
		"a label with another form":   {"a.csv", "a,y\n" + rows(12, "%v,%v", fraction, func(i int) any { return []string{"1", "1.0", "+1", "2", "2e0"}[i%5] }), "", nil, 12, "a", []float64{0.0625, -1}},
		"text in a regression target": {"a.csv", "a,y\n" + rows(12, "%v,%v", fraction, yesNo), "task: regression", []string{"task: classification"}, 12, "a", nil},
		// What is above a table.
		"sep=":                 {"a.csv", "sep=;\na;b;y\n" + semi, "", []string{"line 1: the table begins below this line; skip: 1"}, 24, "a b", []float64{0.0625, -3.125, 0.0625}},
		"sep= of two columns":  {"a.csv", "sep=,\na,y\n" + rows(9, "%v,%v", fraction, another), "", []string{"skip: 1"}, 9, "a", nil},
		"sep= without names":   {"a.csv", "sep=;\n" + semi, "", []string{"skip: 1"}, 24, "x0 x1", nil},
		"# lines":              {"a.csv", "# measured 2020-01-31, lab 3\n# units: mm, kg\na,b,y\n" + plain, "", []string{"skip: 2"}, 24, "a b", []float64{0.0625, -3.125, 0.0625}},
		"# and nothing else":   {"a.csv", "#\na,b,y\n" + plain, "", []string{"skip: 1"}, 24, "a b", nil},
		"# of numpy":           {"a.txt", "# a b y\n" + strings.ReplaceAll(plain, ",", " "), "", []string{"skip: 1"}, 24, "x0 x1", nil},
		"a title":              {"a.csv", "Results of lab 3\n\na,b,y\n" + plain, "", []string{"skip: 2"}, 24, "a b", []float64{0.0625, -3.125, 0.0625}},
		"a title with commas":  {"a.csv", "Results, lab 3\na,b,y\n" + plain, "", []string{"skip: 1"}, 24, "a b", nil},
		"a title of one word":  {"a.csv", "Results\r\na;b;y\r\n" + strings.ReplaceAll(semi, "\n", "\r\n"), "", []string{"skip: 1"}, 24, "a b", nil},
		"a title that is wide": {"a.csv", "Table 1,lab 3,2020\na,b,y\n" + plain, "", []string{"skip: 1"}, 24, "a b", nil},
		"units below names":    {"a.csv", "a,b,y\nmm,kg,s\n" + plain, "", []string{"skip: 1"}, 24, "mm kg", nil},
		"a title and text":     {"a.csv", "Export 2024\na,k,y\n" + rows(9, "%v,%v,%v", fraction, colour, another), "encode: onehot", []string{"skip: 1"}, 9, "a k=blue k=green k=red", nil},
		// Records and names.
		"a line break in names":  {"a.csv", "\"len\n(mm)\",\"mass\n(kg)\",y\n" + plain, "", nil, 24, "len\n(mm) mass\n(kg)", []float64{0.0625, -3.125, 0.0625}},
		"breaks and semicolons":  {"a.csv", "\"len;\n(mm)\";\"mass\n\n(kg)\";y\n" + semi, "", nil, 24, "len;\n(mm) mass\n\n(kg)", nil},
		"a break in a last name": {"a.csv", "a,b,\"y\n\"\"z\"\"\"\n" + plain, "", nil, 24, "a b", nil},
		"names twice":            {"a.csv", "y,b,c,y\n" + rows(9, "%v,%v,%v,%v", fraction, another, another, fraction), "", []string{"column 0 is named y as the target, column 3, is; drop: 0"}, 9, "b c", []float64{-3.125, -3.125, 0.0625}},
		"no names and text":      {"a.csv", rows(9, "%v,%v,%v", colour, fraction, another), "", []string{"some fields are text, others numbers; header: false", "encode: onehot"}, 9, "x0=blue x0=green x0=red x1", nil},
		"half a line of names":   {"a.csv", "age,5,y\n" + plain, "", []string{"header: true"}, 24, "age 5", nil},
		// Numbers of other programs.
		"Fortran":       {"a.csv", "a,b,y\n" + rows(9, "%v,%v,%v", func(i int) any { return fmt.Sprintf("%d.5D-0%d", i, i%2) }, another, another), "", nil, 9, "a b", []float64{0.5, -3.125, -3.125}},
		"Fortran, d":    {"a.txt", rows(9, " %v %v", func(i int) any { return fmt.Sprintf("-%d.0d+02", i+1) }, another), "", nil, 9, "x0", []float64{-100, -3.125}},
		"Fortran, ARFF": {"a.arff", "@relation r\n@attribute a real\n@attribute y real\n@data\n1.5D1,2\n2.D0,4\n3.0D0,5\n", "", nil, 3, "a", []float64{15, 2}},
		"no Fortran":    {"a.csv", "k,y\n" + rows(9, "%v,%v", func(i int) any { return []string{"1D2", "3D4"}[i%2] }, another), "encode: onehot", nil, 9, "k=1D2 k=3D4", nil},
		// All at once.
		"everything": {"a.csv", "id,name,a,k,b,y\n" + rows(30, "%v,%v,%v,%v,%v,%v", another, func(i int) any { return fmt.Sprintf("p%d", i) },
			mostly("NA", 7, fraction), colour, mostly("x", 9, another), yesNo), "", []string{"drop: 1", "encode: onehot", "missing values", `missing_marks: ["NA", "x"]`}, 30, "id a k=blue k=green k=red b", nil},
		"two columns of text": {"a.csv", "k,a,l,y\n" + rows(12, "%v,%v,%v,%v", colour, fraction, yesNo, another), "", []string{`text "red" in a number column; line 2, column 2 (l): text "yes"`}, 12, "k=blue k=green k=red a l=no l=yes", nil},
		"codes":               {"a.csv", "grade,k,y\n" + rows(60, "%v,%v,%v", func(i int) any { return []string{fmt.Sprint(i), fmt.Sprintf("%d+", i)}[i%2] }, colour, another), "", []string{"encode: {onehot: [0, 1]}", "encode: {onehot: [0, 1]}"}, 60, "", nil},
		"not declared":        {"a.arff", "@relation r\n@attribute a {u,v}\n@attribute b real\n@attribute y real\n@data\nu,1,2\nw,2,4\nv,3,5\n", "", []string{`"w" is not among the 2 values declared`}, 3, "b", nil},
		"a delimiter at ends": {"a.csv", "a,y,\n" + strings.Repeat("1,2,\n2,4,\n", 35) + "1,3,4\n", "", []string{"drop: 2"}, 71, "a", nil},
	}
}

// TestDoors reads the files of an ordinary week, with the remedies that errors name.
func TestDoors(t *testing.T) {
	t.Parallel()
	all := doors()
	maps.Copy(all, moreDoors())
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for form, content := range map[string]string{
				"as it is": c.text, "CRLF": strings.ReplaceAll(strings.ReplaceAll(c.text, "\r\n", "\n"), "\n", "\r\n"), "a mark of UTF-8": "\xef\xbb\xbf" + c.text, "no end": strings.TrimSuffix(c.text, "\n"),
			} {
				path := filepath.Join(t.TempDir(), c.file)
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				var options []string
				if c.options != "" {
					options = strings.Split(c.options, ", ")
				}
				_, err := load(t, path, options)
				problems := dataset.Each(err)
				if len(problems) != len(c.says) {
					t.Fatalf("%s: %d errors, want %d:\n%v", form, len(problems), len(c.says), err)
				}
				for i, says := range c.says {
					if !strings.Contains(strings.ReplaceAll(problems[i].Error(), path+", ", ""), says) {
						t.Errorf("%s: %q does not say %q", form, problems[i], says)
					}
				}
				d := tryRemedies(t, path, options)
				if names := strings.Join(d.Features, " "); d.N != c.rows || names != c.features && c.features != "" {
					t.Errorf("%s: %d rows of %q, want %d of %q; read as %s", form, d.N, names, c.rows, c.features, d.Reading.How)
				}
				if c.first != nil && !slices.EqualFunc(append(slices.Clone(d.X[:d.D]), d.Y[0]), c.first, func(a, b float64) bool { return a == b || a != a && b != b }) {
					t.Errorf("%s: the first row is %v, %v; want %v", form, d.X[:d.D], d.Y[0], c.first)
				}
			}
		})
	}
}

// TestForeignFiles wants files of other programs by their names, with what makes a table of them, packed or not.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	tar := make([]byte, 1024)
	copy(tar, "data.csv")
	copy(tar[257:], "ustar\x0000")
	for says, content := range map[string]string{
		"pointer of Git LFS|git lfs pull":  "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935\nsize 12345\n",
		"an R object (.rds)|write.csv":     "X\n\x00\x00\x00\x03\x00\x04\x02\x00",
		"an R workspace|write.csv":         "RDX3\nX\n\x00\x00\x00\x03",
		"a NumPy array (.npy)|savetxt":     "\x93NUMPY\x01\x00v\x00{'descr': '<f8'",
		"a MATLAB file (.mat)|writematrix": "MATLAB 5.0 MAT-file, Platform: GLNXA64",
		"an Excel workbook (.xls)|save":    "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00",
		"a zip archive, as .xlsx|save it":  "PK\x03\x04\x14\x00\x06\x00",
		"a tar archive|tar -xf":            string(tar),
		"a pickle of Python|to_csv":        "\x80\x04\x95\x10\x00\x00",
		"a Parquet file|to_csv":            "PAR1\x15\x00",
		"an HDF5 file|to_csv":              "\x89HDF\r\n\x1a\n",
		"an SQLite database|sqlite3":       "SQLite format 3\x00",
		"a PDF document|download":          "%PDF-1.7\n",
		"HTML or XML|download":             "<!DOCTYPE html>\n<html>",
		"UTF-16 text|iconv":                "\xff\xfea\x00,\x00y\x00\n\x00",
		"packed by xz|unxz":                "\xfd7zXZ\x00\x00\x04",
		"packed by bzip2|bunzip2":          "BZh91AY&SY",
		"packed by zstd|unzstd":            "\x28\xb5\x2f\xfd\x04\x00",
		"an Arrow file|to_csv":             "ARROW1\x00\x00",
	} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{content, packed.String()} {
			for _, o := range []dataset.Options{{}, {Encode: "onehot"}} {
				_, err := dataset.Read(t.Context(), strings.NewReader(text), "a.csv", o)
				for word := range strings.SplitSeq(says, "|") {
					if err == nil || !strings.Contains(err.Error(), word) {
						t.Errorf("%q: %v, want %q", content, err, word)
					}
				}
			}
		}
	}
}

// TestGzipPadding reads gzip data that zeros follow, as gzip does, and refuses other bytes.
func TestGzipPadding(t *testing.T) {
	t.Parallel()
	const text = "a,y\n1,2\n3,4\n5,7\n"
	pack := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	zeros := strings.Repeat("\x00", 512)
	for name, c := range map[string]struct{ data, says string }{
		"as it is":         {pack(text), ""},
		"a zero":           {pack(text) + "\x00", ""},
		"a block of zeros": {pack(text) + zeros, ""},
		"two members":      {pack(text[:8]) + pack(text[8:]) + zeros, ""},
		"an empty member":  {pack("") + pack(text), ""},
		"rubbish":          {pack(text) + "rubbish", "bytes after its end are neither zeros nor gzip data"},
		"one byte":         {pack(text) + "x", "bytes after its end are neither zeros nor gzip data"},
		"late rubbish":     {pack(text) + zeros + "x", "bytes after its end are neither zeros nor gzip data"},
		"half a member":    {pack(text) + pack(text)[:9], "truncated"},
	} {
		d, err := dataset.Read(t.Context(), strings.NewReader(c.data), "a.csv.gz", dataset.Options{})
		switch {
		case c.says == "" && (err != nil || d.N != 3):
			t.Errorf("%s: %v", name, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// TestWeights names the weights of ARFF rows, without which the file is read.
func TestWeights(t *testing.T) {
	t.Parallel()
	const head = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y {0,1}\n@data\n"
	for _, c := range []struct{ data, weight string }{
		{"1,2,0,{5}\n2,3,1,{2.5}\n", "{5}"}, {"1,2,0, {5}\n", "{5}"}, {"1 2 0 {0.5}\n", "{0.5}"},
		{"1,2,0\n2,3,1,{1}\n", "{1}"}, {"{0 1, 1 2}, {5}\n", "{5}"}, {"{0 1, 1 2} {7}\n", "{7}"},
	} {
		_, err := dataset.Read(t.Context(), strings.NewReader(head+c.data), "a.arff", dataset.Options{})
		if err == nil || !strings.Contains(err.Error(), "weights are not read: remove it") || !strings.Contains(err.Error(), c.weight) {
			t.Errorf("%q: %v", c.data, err)
		}
	}
	if d, err := dataset.Read(t.Context(), strings.NewReader(head+"1,2,0\n2,3,1\n"), "a.arff", dataset.Options{}); err != nil || d.N != 2 {
		t.Errorf("without weights: %v", err)
	}
}

// TestReadingWarnings warns of what was read and may not be meant.
func TestReadingWarnings(t *testing.T) {
	t.Parallel()
	long := func(i int) any { return 9007199254740993 + i*2 }
	for name, c := range map[string]struct {
		text string
		o    dataset.Options
		says string
	}{
		"a mark that is not there": {"a,y\n1,2\n3,5\n4,6\n", dataset.Options{Marks: []string{"-999"}}, `missing_marks: "-999" occurs nowhere`},
		"codes of 16 digits":       {"id,a,y\n" + rows(12, "%v,%v,%v", long, fraction, another), dataset.Options{}, "column 0 (id): 9007199254740993 has more digits than a number keeps"},
		"many decimals":            {"a,y\n0.12345678901234567890123,2\n2,3\n4,8\n", dataset.Options{}, "has more digits than a number keeps (1 values)"},
		"a target of 16 digits":    {"a,y\n" + rows(12, "%v,%v", fraction, long), dataset.Options{}, "column 1 (y): 9007199254740993 has more digits"},
		"names twice":              {"b,b,y\n1,2,4\n3,9,5\n4,5,7\n", dataset.Options{}, "columns 0 and 1 are both named b; drop: 1"},
	} {
		d, err := dataset.Read(t.Context(), strings.NewReader(c.text), "a.csv", c.o)
		if err != nil || len(d.Reading.Warnings) != 1 || !strings.Contains(d.Reading.Warnings[0], c.says) {
			t.Errorf("%s: %v, %+v, want %q", name, err, d, c.says)
		}
	}
	for _, text := range []string{
		"a,y\n" + rows(9, "%v,%v", func(i int) any { return fmt.Sprintf("%.18e", float64(i*i)/7) }, func(i int) any { return fmt.Sprintf("%.17g", float64(i*3%7)/3) }), // numpy.savetxt
		"a,y\n" + rows(9, "%v,%v", func(i int) any { return 9007199254740992 + 2*i*i }, another),
	} {
		if d, err := dataset.Read(t.Context(), strings.NewReader(text), "a.csv", dataset.Options{}); err != nil || d.Reading.Warnings != nil {
			t.Errorf("%q: %v, %+v", text, err, d)
		}
	}
}
