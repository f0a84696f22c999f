package dataset

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// ownText is a file of 40 rows: every fourth is for testing, every fifth for validation, and the
// first 24 of them are clean. The target is the number of the row.
func ownText() string {
	var b strings.Builder
	b.WriteString("part,x,ok,y\n")
	for i := range 40 {
		part := "train"
		switch {
		case i%4 == 0:
			part = "Test"
		case i%5 == 0:
			part = "validation"
		}
		fmt.Fprintf(&b, "%s,%d,%t,%d\n", part, i*i, i < 24, i)
	}
	return b.String()
}

func ownData(t *testing.T, o Options) *Dataset {
	t.Helper()
	d, err := Read(t.Context(), strings.NewReader(ownText()), "own.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var (
	byOK   = RowColumn{"ok", CleanValues}
	byPart = RowColumn{"part", PartValues}
)

// TestCleanRows wants the columns to be no features, test parts of a share of the clean rows, and
// everything else for training and validation, of which validation has its share of both kinds.
func TestCleanRows(t *testing.T) {
	t.Parallel()
	d := ownData(t, Options{Clean: byOK, Drop: []string{"part"}})
	if !slices.Equal(d.Features, []string{"x"}) || !strings.Contains(d.Reading.How, "ok: 24 of 40 rows are known to be clean") {
		t.Errorf("features %v, read as %s", d.Features, d.Reading.How)
	}
	soiled, seeds := 0.0, 200
	for seed := range uint64(seeds) {
		p, err := Prepare(t.Context(), d, Settings{Split: Split{Train: 3, Test: 1, Validation: 0.5}, Clean: true}, streams(seed))
		if err != nil {
			t.Fatal(err)
		}
		if p.Test.N != 6 || p.Validation.N != 17 || p.Train.N != 17 {
			t.Fatalf("%d, %d and %d rows for training, validation and testing, want 17, 17 and 6", p.Train.N, p.Validation.N, p.Test.N)
		}
		for _, row := range p.Test.Rows {
			if row >= 24 {
				t.Fatalf("row %d is tested and not clean", row)
			}
		}
		for _, row := range p.Validation.Rows {
			if row >= 24 {
				soiled++
			}
		}
	}
	// Of the 34 rows that are not tested 16 are not clean, and half of them are in the validation
	// part: 8, with the hypergeometric standard deviation 1.46.
	if mean := soiled / float64(seeds); mean < 8-0.45 || mean > 8+0.45 {
		t.Errorf("%.2f rows of the validation part are not clean in the mean, want 8", mean)
	}
}

// TestOwnParts wants the file's own parts, with and without rows for validation.
func TestOwnParts(t *testing.T) {
	t.Parallel()
	rows := func(of func(i int) bool) (list []int) {
		for i := range 40 {
			if of(i) {
				list = append(list, i)
			}
		}
		return list
	}
	test := func(i int) bool { return i%4 == 0 }
	for _, c := range []struct {
		clean bool
		parts [][]string
		fixed bool
	}{
		{false, PartValues, true}, {true, PartValues, true}, {false, [][]string{{"train", "validation"}, nil, {"TEST"}}, false},
	} {
		o := Options{Parts: RowColumn{"0", c.parts}, Drop: []string{"ok"}}
		if c.clean {
			o.Clean = byOK
		}
		d := ownData(t, o)
		split, fixed, err := d.OwnSplit(Split{Train: 3, Test: 1, Validation: 0.2, Own: true})
		if err != nil || fixed != c.fixed || split.Train != 30 || split.Test != 10 || split.Validation != 0.2 {
			t.Errorf("split %+v, fixed %t, error %v", split, fixed, err)
		}
		p, err := Prepare(t.Context(), d, Settings{Split: split, Clean: c.clean}, streams(1))
		if err != nil {
			t.Fatal(err)
		}
		if want := rows(func(i int) bool { return test(i) && (!c.clean || i < 24) }); !slices.Equal(p.Test.Rows, want) {
			t.Errorf("rows %v are tested, want %v", p.Test.Rows, want)
		}
		own := rows(func(i int) bool { return !test(i) && i%5 == 0 })
		if p.Validation.N != 6 || c.fixed != slices.Equal(p.Validation.Rows, own) {
			t.Errorf("rows %v are for validation, the file's own are %v", p.Validation.Rows, own)
		}
		if all := slices.Sorted(slices.Values(slices.Concat(p.Train.Rows, p.Validation.Rows))); !slices.Equal(all, rows(func(i int) bool { return !test(i) })) {
			t.Errorf("rows %v are for training and validation", all)
		}
	}
}

func TestUsesAreEncoded(t *testing.T) {
	t.Parallel()
	d := ownData(t, Options{Clean: byOK, Parts: byPart})
	got, err := Decode(bytes.NewReader(encoded(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	if d.Reading = (Reading{}); !reflect.DeepEqual(got, d) || got.Digest() != d.Digest() {
		t.Errorf("decoded %+v, want %+v", got, d)
	}
	drawn, err := Prepare(t.Context(), d, Settings{Rows: 20, Split: Split{Train: 1, Test: 1, Validation: 0.2, Own: true}, Clean: true}, streams(5))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range drawn.Test.Rows {
		if row%4 != 0 || row >= 24 {
			t.Errorf("of 20 rows drawn row %d is tested", row)
		}
	}
}

func TestUsesRefuse(t *testing.T) {
	t.Parallel()
	own := Split{Train: 3, Test: 1, Validation: 0.2, Own: true}
	for _, c := range []struct {
		change [2]string
		o      Options
		s      Settings
		want   string
	}{
		{[2]string{"false", "perhaps"}, Options{Clean: byOK, Drop: []string{"part"}}, Settings{}, `clean: "perhaps"; allowed are 1, true, yes, clean, 0, false, no; clean: {column: ok, values: ...} names others`},
		{[2]string{"validation", "extra"}, Options{Parts: byPart, Drop: []string{"ok"}}, Settings{}, `line 7, column 0 (part): split: "extra"; allowed are train, validation, test`},
		{[2]string{}, Options{Clean: RowColumn{"okay", CleanValues}}, Settings{}, `clean: no column is named "okay"`},
		{[2]string{}, Options{Clean: RowColumn{"y", CleanValues}, Target: "y"}, Settings{}, `clean: column "y" is the target`},
		{[2]string{}, Options{Clean: byOK, Parts: RowColumn{"ok", PartValues}}, Settings{}, `split: column "ok" says which rows are clean`},
		{[2]string{}, Options{Parts: RowColumn{"part", [][]string{{"1"}, nil, {"1.0"}}}}, Settings{}, `split: the value "1.0" is in two lists`},
		{[2]string{}, Options{Format: "libsvm", Parts: byPart}, Settings{}, `split: a column of parts is for csv, tsv and space files, not for libsvm`},
		{[2]string{"true", "false"}, Options{Clean: byOK, Drop: []string{"part"}}, Settings{Split: quarter, Clean: true}, "no row for testing is known to be clean"},
		{[2]string{"Test", "train"}, Options{Parts: byPart, Drop: []string{"ok"}}, Settings{Split: own}, "split: 40 rows give 34 for training, 6 for validation and 0 for testing"},
		{[2]string{}, Options{Drop: []string{"part", "ok"}}, Settings{Split: own}, "nothing says which rows are clean, or which part they belong to"},
	} {
		text := ownText()
		if c.change[0] != "" {
			text = strings.ReplaceAll(text, c.change[0], c.change[1])
		}
		d, err := Read(t.Context(), strings.NewReader(text), "own.csv", c.o)
		if err == nil {
			_, err = Prepare(t.Context(), d, c.s, streams(1))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
}
