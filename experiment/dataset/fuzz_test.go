package dataset

import (
	"bytes"
	"context"
	"testing"
)

// fuzzLimits keep what a fuzzed input may ask for small.
var fuzzLimits = limits{line: 1 << 16, columns: 1 << 10, memory: 1 << 23}

// checkRead reads a fuzzed table and checks what every table that is read
// promises: it is whole, finite but for missing values, and comes back from its encoded form. An
// error says where.
func checkRead(t *testing.T, text []byte, name string, o Options) {
	t.Helper()
	d, err := read(context.Background(), bytes.NewReader(text), name, o, fuzzLimits)
	if err != nil {
		for _, at := range Each(err) {
			if at.File != name || at.Line < 0 || at.Error() == "" {
				t.Fatalf("error %#v does not say where", err)
			}
		}
		if Each(err) == nil {
			t.Fatalf("error %#v does not say where", err)
		}
		return
	}
	if len(d.X) != d.N*d.D || len(d.Y) != d.N || len(d.Features) != d.D {
		t.Fatalf("%d x %d with %d values, %d targets, %d names", d.N, d.D, len(d.X), len(d.Y), len(d.Features))
	}
	if err := d.validate(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Encode(&b, d); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !sameBits(got, d) || got.Digest() != d.Digest() {
		t.Fatal("the data set does not come back from its encoded form")
	}
}

// fuzzOptions picks options by the bits of a number.
func fuzzOptions(bits uint16) Options {
	var o Options
	o.Missing = []string{"", "mean", "drop", "median"}[bits&3]
	o.Task = []Task{"", Classification, Regression, ""}[bits>>2&3]
	o.Target = []string{"", "0", "-2", "y"}[bits>>4&3]
	if bits>>6&1 == 1 {
		o.Drop = []string{"1"}
	}
	switch bits >> 7 & 3 {
	case 1:
		o.Classes.Negative = []string{"1"}
	case 2:
		o.Classes.NegativeRows = 1
	}
	if bits>>9&1 == 1 {
		header := bits>>10&1 == 1
		o.Header = &header
	}
	o.Skip = int(bits >> 11 & 1)
	if bits>>14&1 == 1 {
		o.Encode = "onehot"
	}
	if bits>>15&1 == 1 {
		o.OneHot = []string{"0"}
	}
	o.Format = []string{"", "csv", "tsv", "space"}[bits>>12&3]
	if bits%11 == 3 {
		o.Decimal = ","
	}
	if bits%7 == 2 {
		o.Marks = []string{"1", "-"}
	}
	o.KeepQuoted = bits%5 == 1
	if bits%13 == 4 {
		o.Thousands = []string{"'", " "}[bits>>3&1]
	}
	return o
}

func FuzzCSV(f *testing.F) {
	for i, seed := range []string{
		"a,b,y\n1,2,3\n4,5,6\n7,8,9\n", "1 2 g\n3 4 h\n", "\xef\xbb\xbf1;2\r\n3;4\r\n", "\"a \"\"b\"\n\",y\n1,\"2\"\n?,3\n",
		"a\tb\ty\n1\t\t2\nNA\tnan\t3\n5\t6\t7\n", "1,2,\n3,inf,4\n", ",b\n1e999,2\n", "\x1f\x8b\x08\x00", "0,1,label\n5,6,7\n",
		"0,1,2\r0.5,1.5,2.5\r1.5,2.5,3.5", ",0,1\n0,1.5,2\n1,2.5,3\n", "a b\n\"1\" 2 3\n\"2\" 4 5\n", "a;b;\n1,5;2;\n2,5;3;\n", "c,y\nNULL,1\n\"NA\",2\nu,3\n",
		"sep=;\na;b;y\n1;2;3\n4;5;6\n", "# a\n# b\n1,2,3\n4,5,6\n", "a;y\n1.234,5;2\n1'000;9007199254740993\n", "a,y\n1.0D+05,\" 2\"\n\\N,3\n", "y,b,y\nNone,1,u\n12%,x,v\n",
	} {
		f.Add([]byte(seed), uint16(i*97))
	}
	f.Add(packed(f, "1,2,3\n4,5,6\n", "7,8,9\n"), uint16(0))
	f.Fuzz(func(t *testing.T, text []byte, bits uint16) { checkRead(t, text, "f.csv", fuzzOptions(bits)) })
}

func FuzzARFF(f *testing.F) {
	for i, seed := range []string{
		"@relation r\n@attribute a real\n@attribute y {u,v}\n@data\n1,u\n2,v\n",
		"@attribute 'a b' {'x y',\"z\\\"\",w}\n@attribute b {0,1}\n@attribute y integer[0,1]\n@data\n'x y',1,3 % c\n{1 1, 2 5}\n{}\nw 0 4\n",
		"@attribute s string\n@attribute bag relational\n@attribute i real\n@end bag\n@attribute y real\n@data\n?,?,?\n",
		"%\n@data\n", "@attribute y date 'yyyy'\n@data\n", "@attribute a{}\n@data\n{0 ?}", "@attribute a real\n@attribute y real\n@attribute z real\n@inputs a\n@outputs y\n@data\n1,2,3\n<null>,5,6\n", "@attribute a {1,1.0}\n@attribute y {2,1}\n@data\n1.0,2\n1,1\n",
	} {
		f.Add([]byte(seed), uint16(i*61))
	}
	f.Fuzz(func(t *testing.T, text []byte, bits uint16) {
		o := fuzzOptions(bits)
		o.Format, o.Decimal, o.Thousands, o.Marks, o.KeepQuoted = "", "", "", nil, false
		checkRead(t, text, "f.arff", o)
	})
}

func FuzzLIBSVM(f *testing.F) {
	for i, seed := range []string{
		"+1 1:0.5 3:-2\n-1 2:1e1\n-1\n", "3.5 qid:1 1:1 # c\n4\tqid:1\t2:2 \n5 qid:2 1:7 2:0#\n", "1 1:nan\n2 1:3\n", "nan 1024:1\n", "1 0:1\n", "1 0:1 1:2\r2 1023:1\r", "1\n",
	} {
		f.Add([]byte(seed), uint16(i*61))
	}
	f.Fuzz(func(t *testing.T, text []byte, bits uint16) {
		o := fuzzOptions(bits)
		o.Format, o.Target, o.Decimal, o.Thousands, o.Marks, o.KeepQuoted = "", "", "", "", nil, false
		checkRead(t, text, "f.libsvm", o)
	})
}

func FuzzDecode(f *testing.F) {
	whole := encoded(f, small())
	f.Add(whole)
	f.Add(whole[:len(whole)-4])
	f.Add(whole[:40])
	f.Add([]byte(encodingMagic + "\x00A0707")) // ends within a shape that does not fit an int
	f.Add(encoded(f, &Dataset{Name: "r", Task: Regression, Features: []string{"f"}, N: 1, D: 1, X: []float64{1}, Y: []float64{7}})[:53])
	f.Fuzz(func(t *testing.T, text []byte) {
		// With the right checksum the fuzzer gets to the checks behind it.
		for _, text := range [][]byte{text, sealed(text)} {
			d, err := Decode(bytes.NewReader(text))
			if err != nil {
				continue
			}
			if !bytes.Equal(encoded(t, d), text) {
				t.Fatalf("%q is not the canonical form of what it decodes to", text)
			}
		}
	})
}
