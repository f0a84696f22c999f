package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agepath/agepath/internal/testing/needs"
)

// readString reads a table from a text.
func readString(text, name string, o Options) (*Dataset, error) {
	return Read(context.Background(), strings.NewReader(text), name, o)
}

// wantTable compares what was read with rows of features that end with the
// target.
func wantTable(t *testing.T, d *Dataset, err error, task Task, features []string, rows ...[]float64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var x, y []float64
	for _, row := range rows {
		x = append(x, row[:len(row)-1]...)
		y = append(y, row[len(row)-1])
	}
	if d.Task != task || d.N != len(rows) || d.D != len(features) {
		t.Errorf("%s, %d x %d, want %s, %d x %d", d.Task, d.N, d.D, task, len(rows), len(features))
	}
	if !slices.Equal(d.Features, features) {
		t.Errorf("features %q, want %q", d.Features, features)
	}
	if !slices.Equal(d.X, x) || !slices.Equal(d.Y, y) {
		t.Errorf("X %v, Y %v, want %v, %v", d.X, d.Y, x, y)
	}
}

// wantError checks that an error says all the words.
func wantError(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
}

func packed(t testing.TB, texts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestFormatIsToldByNameAndContent(t *testing.T) {
	t.Parallel()
	rows := [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}
	const arff = "@relation r\n@attribute x0 real\n@attribute x1 real\n@attribute y real\n@data\n1,2,3\n4,5,6\n7,8,10\n"
	for _, c := range []struct{ name, text string }{
		{"a.csv", "1,2,3\n4,5,6\n7,8,10\n"},
		{"a.data", "1, 2, 3\n 4, 5, 6\n7,8,10"},
		{"a.csv", "1;2;3\n4;5;6\n7;8;10\n"},
		{"a.csv", "1 2 3\n4 5 6\n7 8 10\n"},
		{"a.csv", "1\t2\t3\n4\t5\t6\n7\t8\t10\n"},
		{"a.tsv", "1\t2\t3\n4\t5\t6\n7\t8\t10\n"},
		{"a.txt", "  1  2\t3\n\n4 5 6  \n7 8 10\n\n"},
		{"a", "1\t2\t3\r\n4\t5\t6\r\n7\t8\t10\r\n"},
		{"a.csv", "\xef\xbb\xbf1,2,3\n4,5,6\n7,8,10\n"},
		{"a.arff", arff},
		{"a.txt", arff},
		{"a", "% comment\n" + arff},
	} {
		d, err := readString(c.text, c.name, Options{})
		wantTable(t, d, err, Regression, []string{"x0", "x1"}, rows...)
		d, err = Read(context.Background(), bytes.NewReader(packed(t, c.text[:9], c.text[9:])), c.name+".gz", Options{})
		wantTable(t, d, err, Regression, []string{"x0", "x1"}, rows...)
		if d.Name != "a" {
			t.Errorf("%s: data set is named %q", c.name, d.Name)
		}
	}
}

func TestReadsWhateverPiecesComeIn(t *testing.T) {
	t.Parallel()
	const text = "a,\"b\"\"\n1\",c\n1,2,3\n4,5,6\n7,8,9.5\n"
	want, err := readString(text, "a.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []io.Reader{
		iotest.OneByteReader(strings.NewReader(text)),
		iotest.DataErrReader(strings.NewReader(text)),
		iotest.OneByteReader(bytes.NewReader(packed(t, text))),
	} {
		d, err := Read(context.Background(), r, "a.csv", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d.Digest() != want.Digest() || !slices.Equal(d.Features, []string{"a", "b\"\n1"}) {
			t.Errorf("got %+v, want %+v", d, want)
		}
	}
}

func TestLinesLongerThanTheBuffer(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for row := range 3 {
		for range 200_000 { // 400 kB a line
			b.WriteString("1,")
		}
		b.WriteString(strings.Repeat("2", row+1) + "\n")
	}
	d, err := readString(b.String(), "wide.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.N != 3 || d.D != 200_000 || !slices.Equal(d.Y, []float64{2, 22, 222}) {
		t.Errorf("%d x %d, Y %v", d.N, d.D, d.Y)
	}
}

// endless is a reader of one line without an end that counts what is read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	e.read += int64(len(p))
	return len(p), nil
}

func TestLineOfAGigabyteIsRefused(t *testing.T) {
	t.Parallel()
	e := new(endless)
	_, err := Read(context.Background(), io.MultiReader(strings.NewReader("1,2\n"), io.LimitReader(e, 1<<30)), "long.csv", Options{})
	wantError(t, err, "long.csv, line 2", "67108864 bytes")
	if e.read > 70<<20 {
		t.Errorf("%d bytes were read before the refusal", e.read)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	max := limits{line: 400 << 10, columns: 4, memory: 4 << 10}
	for _, c := range []struct {
		name, text string
		words      []string
	}{
		{"a.csv", "1,2,3,4,5\n", []string{"line 1", "more than 4 columns"}},
		{"a.txt", "1 2 3 4 5\n", []string{"line 1", "more than 4 columns"}},
		{"a.csv", "1,2,3,4,\"5\"\n", []string{"line 1", "more than 4 columns"}},
		{"a.arff", "@attribute a {u,v,w,x,z}\n", []string{"line 1", "more than 4 values"}},
		{"a.csv", strings.Repeat("1,2,3\n", 22), []string{"line 18", "18 rows of 2 features need about", "limits.memory"}},
		{"a.libsvm", strings.Repeat("1 3:1\n", 16), []string{"16 rows of 3 features need about", "limits.memory"}},
		{"a.libsvm", strings.Repeat("1 1:1\n", 30), []string{"line 23", "23 rows of 1 features need about", "limits.memory"}},
		{"a.arff", strings.Repeat("@attribute "+strings.Repeat("a", 900)+" real\n", 4), []string{"line 2", "limits.memory"}},
		{"a.csv", "1,a\n2,b\n3,c\n4,d\n5,e\n", []string{"line 5", "more than 4 labels"}},
		{"a.csv", "1,1\n2,2\n3,3\n4,4\n5,5\n6,a\n", []string{"line 6", "more than 4 labels"}},
		{"a.csv", "1," + strings.Repeat("a", 900) + "\n2," + strings.Repeat("b", 900) + "\n3,c\n", []string{"line 3", "limits.memory"}},
		{"a.libsvm", "1 1:1\n2 5:1\n", []string{"line 2", "index 5", "at most 4"}},
		{"a.libsvm", "1 1:1\n2 99999999999999999999:1\n", []string{"line 2", "at most 4"}},
		{"a.arff", "@attribute a {u,v,w,x}\n@attribute b real\n@attribute c real\n@data\nu,1,2\n", []string{"5 features", "at most 4"}},
		{"a.arff", strings.Repeat("@attribute a real\n", 5), []string{"line 5", "more than 4 attributes"}},
		{"a.csv", "1,2\n1," + strings.Repeat("1", 500<<10), []string{"line 2", "longer than 409600 bytes"}},
		{"a.csv", "a,b\n1,\"" + strings.Repeat("1\n", 300<<10), []string{"line 2", "longer than 409600 bytes"}},
	} {
		_, err := read(context.Background(), strings.NewReader(c.text), c.name, Options{}, max)
		wantError(t, err, append(c.words, c.name)...)
	}
}

func TestCancelledContextEndsReading(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	rows := io.MultiReader(strings.NewReader("1,2\n3,4\n"), readerFunc(func(p []byte) (int, error) {
		cancel()
		return copy(p, "5,6\n"), nil
	}))
	_, err := Read(ctx, rows, "endless.csv", Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestErrorOfTheReaderIsKept(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is broken")
	_, err := Read(context.Background(), io.MultiReader(strings.NewReader("1,2\n3,4\n"), iotest.ErrReader(broken)), "a.csv", Options{})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the reader", err)
	}
	var at *ReadError
	if !errors.As(err, &at) || at.File != "a.csv" {
		t.Errorf("error %#v, want a ReadError of a.csv", err)
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "Some Set.CSV.GZ")
	if err := os.WriteFile(path, packed(t, "a,b\n1,2\n3,4\n5,7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := readFile(context.Background(), path, Options{}, 0)
	wantTable(t, d, err, Regression, []string{"a"}, []float64{1, 2}, []float64{3, 4}, []float64{5, 7})
	if d.Name != "Some Set" {
		t.Errorf("data set is named %q", d.Name)
	}
	_, err = readFile(context.Background(), path+"x", Options{}, 0)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that of a missing file", err)
	}
	_, err = readFile(context.Background(), t.TempDir(), Options{}, 0)
	wantError(t, err, "is not a regular file (d")
}

func TestGzipErrors(t *testing.T) {
	t.Parallel()
	whole := packed(t, strings.Repeat("1,2\n3,5\n5,7\n", 1000))
	flipped := slices.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	for name, c := range map[string]struct {
		data []byte
		word string
	}{
		"truncated":        {whole[:len(whole)/2], "truncated"},
		"header only":      {whole[:5], "truncated"},
		"without checksum": {whole[:len(whole)-8], "truncated"},
		"checksum":         {flipped, "damaged gzip data"},
		"garbage after it": {append(slices.Clone(whole), "garbage garbage"...), "damaged gzip data"},
		"wrong header":     {[]byte{0x1f, 0x8b, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0}, "damaged gzip data"},
		"wrong block":      {append(slices.Clone(whole[:10]), 0xff, 0xff, 0xff, 0xff), "damaged gzip data"},
	} {
		_, err := Read(context.Background(), bytes.NewReader(c.data), name, Options{})
		wantError(t, err, name, c.word)
	}
}

func TestRealDatasets(t *testing.T) {
	t.Parallel()
	dir := needs.Datasets(t)
	digits := Classes{Negative: []string{"0", "1", "2", "3", "4"}}
	firstRows := Classes{NegativeRows: 500}
	for _, c := range []struct {
		file     string
		o        Options
		n, d     int
		task     Task
		negative int     // rows of class -1
		low, up  float64 // bounds of a regression target
	}{
		{file: "mfeat-pixel/mfeat-pix.txt.gz", o: Options{Target: NoTarget, Classes: firstRows}, n: 2000, d: 240, task: Classification, negative: 500},
		{file: "mfeat-pixel/mfeat-pixel.arff", o: Options{Classes: firstRows}, n: 2000, d: 240, task: Classification, negative: 500},
		{file: "mfeat-pixel/mfeat-pixel.arff", o: Options{Classes: Classes{Negative: []string{"3"}}}, n: 2000, d: 240, task: Classification, negative: 200},
		{file: "pendigits/pendigits.tes", o: Options{Classes: digits}, n: 3498, d: 16, task: Classification, negative: 1791},
		{file: "pendigits/pendigits.tra", o: Options{Classes: digits}, n: 7494, d: 16, task: Classification, negative: 3838},
		{file: "music/default_plus_chromatic_features_1059_tracks.txt.gz", o: Options{Target: "116", Drop: []string{"117"}}, n: 1059, d: 116, task: Regression, low: -35.30, up: 54.68},
		{file: "music/default_plus_chromatic_features_1059_tracks.txt.gz", o: Options{Target: "-1", Drop: []string{"-2"}}, n: 1059, d: 116, task: Regression, low: -88.76, up: 149.12},
		{file: "cadata/cal_housing.data.gz", n: 20640, d: 8, task: Regression, low: 14999, up: 500001},
		{file: "delta_elevators/delta_elevators.arff", n: 9517, d: 6, task: Regression, low: -0.014, up: 0.013},
		{file: "house_8L/house8L.arff.gz", n: 22784, d: 8, task: Regression, low: 0, up: 500001},
		{file: "ailerons/ailerons.arff.gz", n: 13750, d: 40, task: Regression, low: -0.0036, up: 0},
		{file: "elevators/elevators.arff.gz", n: 16599, d: 18, task: Regression, low: 0.012, up: 0.078},
		{file: "nomao/nomao.arff.gz", n: 34465, d: 118, task: Classification, negative: 9844},
		{file: "MagicTelescope/magic04.data.gz", n: 19020, d: 10, task: Classification, negative: 12332},
		{file: "diabetes/diabetes_data_raw.csv.gz", o: Options{Target: "age"}, n: -1},
		{file: "diabetes/diabetes_data_raw.csv.gz", n: 442, d: 9, task: Regression, low: 58, up: 124},
		{file: "breast_cancer/breast_cancer.csv", o: Options{Skip: 1}, n: 569, d: 30, task: Classification, negative: 212},
		{file: "digits/digits.csv.gz", o: Options{Classes: digits}, n: 1797, d: 64, task: Classification, negative: 901},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			d, err := readFile(context.Background(), filepath.Join(dir, filepath.FromSlash(c.file)), c.o, 0)
			if c.n < 0 {
				wantError(t, err, c.file)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d.N != c.n || d.D != c.d || d.Task != c.task {
				t.Errorf("%d x %d, %s", d.N, d.D, d.Task)
			}
			if err := d.validate(); err != nil {
				t.Error(err)
			}
			if d.Task == Classification {
				negative := 0
				for _, v := range d.Y {
					if v < 0 {
						negative++
					}
				}
				if negative != c.negative {
					t.Errorf("%d rows are negative, want %d", negative, c.negative)
				}
				return
			}
			if low, up := slices.Min(d.Y), slices.Max(d.Y); low != c.low || up != c.up {
				t.Errorf("targets from %v to %v, want %v to %v", low, up, c.low, c.up)
			}
		})
	}
}

func TestSameDataInTwoFormatsHasOneDigest(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(needs.Datasets(t), "mfeat-pixel")
	classes := Classes{NegativeRows: 500}
	a, err := readFile(context.Background(), filepath.Join(dir, "mfeat-pix.txt.gz"), Options{Target: NoTarget, Classes: classes}, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := readFile(context.Background(), filepath.Join(dir, "mfeat-pixel.arff"), Options{Classes: classes}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a.Digest() != b.Digest() {
		t.Error("the text and the ARFF form of mfeat-pixel differ")
	}
}

// TestAmounts wants two different numbers in a unit that a reader can compare.
func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		need, limit int64
		want        string
	}{
		{501, 500, "501 bytes, 500 bytes"},
		{1, 0, "1 bytes, 0 bytes"},
		{300_000, 20 << 10, "293 KiB, 20 KiB"},
		{1<<20 + 1, 1 << 20, "1025 KiB, 1024 KiB"},
		{5 << 30, 4 << 30, "5120 MiB, 4096 MiB"},
		{4<<30 + 1, 4 << 30, "4097 MiB, 4096 MiB"},
		{math.MaxInt64, 1 << 40, "8796093022208 MiB, 1048576 MiB"},
	} {
		if need, limit := Amounts(c.need, c.limit); need+", "+limit != c.want {
			t.Errorf("%d of %d: %s, %s, want %s", c.need, c.limit, need, limit, c.want)
		}
	}
}
