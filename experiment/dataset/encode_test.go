package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func small() *Dataset {
	return &Dataset{
		Name: "größe", Task: Classification, Features: []string{"a", ""}, N: 3, D: 2,
		X: []float64{1, -2.5, math.Copysign(0, -1), 5e-324, math.MaxFloat64, math.Pi}, Y: []float64{-1, 1, -1},
	}
}

func encoded(t testing.TB, d *Dataset) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sealed puts the right checksum after a body.
func sealed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

// sameBits compares data sets bit by bit: -0 is not 0.
func sameBits(a, b *Dataset) bool {
	bits := func(v []float64) []uint64 {
		out := make([]uint64, len(v))
		for i := range v {
			out[i] = math.Float64bits(v[i])
		}
		return out
	}
	return a.Name == b.Name && a.Task == b.Task && a.N == b.N && a.D == b.D && slices.Equal(a.Features, b.Features) &&
		slices.Equal(bits(a.X), bits(b.X)) && slices.Equal(bits(a.Y), bits(b.Y))
}

func TestEncodeLayout(t *testing.T) {
	t.Parallel()
	d := &Dataset{Name: "ab", Task: Regression, Features: []string{"f"}, N: 1, D: 1, X: []float64{1}, Y: []float64{-2}}
	want := sealed([]byte("AGEDATA\x01" + "\x01" + "\x01\x00\x00\x00\x00\x00\x00\x00" + "\x01\x00\x00\x00\x00\x00\x00\x00" +
		"\x02\x00\x00\x00ab" + "\x01\x00\x00\x00f" + "\x00\x00\x00\x00\x00\x00\xf0\x3f" + "\x00\x00\x00\x00\x00\x00\x00\xc0"))
	if got := encoded(t, d); !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	sets := []*Dataset{small()}
	for _, name := range embeddedNames {
		d, err := new(Library).Load(t.Context(), Source{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, d)
	}
	for _, d := range sets {
		b := encoded(t, d)
		for _, r := range []io.Reader{bytes.NewReader(b), iotest.HalfReader(bytes.NewReader(b)), iotest.DataErrReader(bytes.NewReader(b))} {
			got, err := Decode(r)
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			if !sameBits(got, d) {
				t.Errorf("%s does not come back", d.Name)
			}
			if got.Digest() != d.Digest() {
				t.Errorf("%s: the digest changes", d.Name)
			}
		}
	}
}

func TestDecodeRefusesEveryDamage(t *testing.T) {
	t.Parallel()
	whole := encoded(t, small())
	for n := range whole {
		if _, err := Decode(bytes.NewReader(whole[:n])); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Fatalf("%d of %d bytes: error %v, want truncated", n, len(whole), err)
		}
	}
	for i := range whole {
		for bit := range 8 {
			damaged := slices.Clone(whole)
			damaged[i] ^= 1 << bit
			if _, err := Decode(bytes.NewReader(damaged)); err == nil {
				t.Fatalf("bit %d of byte %d is flipped, and there is no error", bit, i)
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	whole := encoded(t, small())
	body := whole[:len(whole)-4]
	with := func(at int, b ...byte) []byte {
		changed := slices.Clone(body)
		copy(changed[at:], b)
		return sealed(changed)
	}
	x := len(body) - 8*9 // where X starts
	for name, c := range map[string]struct {
		data []byte
		word string
	}{
		"other file":        {[]byte("@relation something long enough"), "not an encoded data set"},
		"version":           {with(7, 3), "version 3, only versions 1 and 2"},
		"task":              {with(8, 7), "unknown task 7"},
		"no rows":           {with(9, 0), "impossible shape: 0 rows"},
		"no features":       {with(17, 0), "impossible shape: 3 rows, 0 features"},
		"shape":             {with(9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "impossible shape"},
		"huge name":         {with(25, 0xff, 0xff, 0xff, 0xff), "a name of 4294967295 bytes"},
		"name":              {with(29, 0xff), "not UTF-8"},
		"NaN":               {with(x+6, 0xf8, 0x7f), "feature 0: NaN is not finite"},
		"infinite":          {with(x, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f), "row 0, feature 0: +Inf is not finite"},
		"no class":          {with(x+48+6, 0x00, 0x40), "row 0, target: 2 is not a class"},
		"bytes after it":    {append(slices.Clone(whole), 0), "after the end"},
		"checksum":          {append(slices.Clone(body), 1, 2, 3, 4), "checksum"},
		"more rows than in": {with(9, 4), "truncated"},
	} {
		_, err := Decode(bytes.NewReader(c.data))
		t.Run(name, func(t *testing.T) { wantError(t, err, "decode data set: ", c.word) })
	}
	broken := errors.New("broken")
	if _, err := Decode(io.MultiReader(bytes.NewReader(whole[:40]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the reader", err)
	}
}

func TestDecodeOfAHugeShapeAllocatesLittle(t *testing.T) {
	head := []byte(encodingMagic + "\x01")
	head = binary.LittleEndian.AppendUint64(head, 1<<40)
	head = binary.LittleEndian.AppendUint64(head, 1<<19)
	head = binary.LittleEndian.AppendUint32(head, 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode(bytes.NewReader(head))
	runtime.ReadMemStats(&after)
	wantError(t, err, "truncated")
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

func TestEncodeRefusesWhatIsNoDataset(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Dataset)
		word   string
	}{
		"task":     {func(d *Dataset) { d.Task = "ranking" }, `task "ranking"`},
		"no rows":  {func(d *Dataset) { d.N, d.X, d.Y = 0, nil, nil }, "must be at least 1"},
		"shape":    {func(d *Dataset) { d.X = d.X[1:] }, "5 values"},
		"overflow": {func(d *Dataset) { d.N, d.D = math.MaxInt, 2 }, "must be at least 1"},
		"targets":  {func(d *Dataset) { d.Y = d.Y[1:] }, "2 targets"},
		"names":    {func(d *Dataset) { d.Features = d.Features[1:] }, "1 names"},
		"NaN":      {func(d *Dataset) { d.X[3] = math.Float64frombits(0x7ff8 << 48) }, "row 1, feature 1: NaN"},
		"NaN of Y": {func(d *Dataset) { d.Y[1] = math.NaN() }, "row 1, target: NaN"},
		"infinite": {func(d *Dataset) { d.Y[1] = math.Inf(-1) }, "row 1, target: -Inf"},
		"class":    {func(d *Dataset) { d.Y[2] = 0 }, "row 2, target: 0 is not a class"},
		"UTF-8":    {func(d *Dataset) { d.Name = "\xff" }, "not UTF-8"},
		"name":     {func(d *Dataset) { d.Features[1] = strings.Repeat("n", maxName+1) }, "at most 1048576"},
	} {
		d := small()
		c.change(d)
		err := Encode(io.Discard, d)
		t.Run(name, func(t *testing.T) { wantError(t, err, "encode data set", c.word) })
	}
	for n := range len(encoded(t, small())) {
		if err := Encode(&failing{n}, small()); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("after %d bytes: error %v, want that of the writer", n, err)
		}
	}
}

// failing is a writer that fails after so many bytes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return f.left, io.ErrShortWrite
	}
	f.left -= len(p)
	return len(p), nil
}

func TestDigest(t *testing.T) {
	t.Parallel()
	// The digest is part of the identity of cells: this one must never change.
	// It was computed by Python's struct and hashlib.
	const golden = "a176f2c7978a13f50fa758ae3d7951a693a467ede6f24856545d423aff60cb1f"
	want := small().Digest()
	if want != golden {
		t.Errorf("digest %s, want %s", want, golden)
	}
	for name, c := range map[string]struct {
		change func(*Dataset)
		same   bool
	}{
		"name":     {func(d *Dataset) { d.Name = "other" }, true},
		"features": {func(d *Dataset) { d.Features[0] = "other" }, true},
		"uses":     {func(d *Dataset) { d.uses = make([]use, d.N) }, false},
		"reading":  {func(d *Dataset) { d.Reading.How = "other" }, true},
		"task":     {func(d *Dataset) { d.Task = Regression }, false},
		"value":    {func(d *Dataset) { d.X[5] = math.Nextafter(math.Pi, 4) }, false},
		"target":   {func(d *Dataset) { d.Y[0] = 1 }, false},
		"shape":    {func(d *Dataset) { d.N, d.D = 2, 3 }, false},
		"order":    {func(d *Dataset) { d.X[0], d.X[1] = d.X[1], d.X[0] }, false},
	} {
		d := small()
		c.change(d)
		if got := d.Digest(); (got == want) != c.same {
			t.Errorf("%s changed: digest %s, was %s", name, got, want)
		}
	}
	if fields := reflect.TypeFor[Dataset]().NumField(); fields != 9 {
		t.Errorf("Dataset has %d fields: encode, decode and this test know 9", fields)
	}
}
