package published

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func mustTables(t *testing.T) map[int]*Table {
	t.Helper()
	tables, err := Tables()
	if err != nil {
		t.Fatal(err)
	}
	byNumber := map[int]*Table{}
	for _, table := range tables {
		byNumber[table.Number] = table
	}
	return byNumber
}

func TestTables(t *testing.T) {
	t.Parallel()
	rows := map[int]int{2: 10, 3: 10, 5: 5, 6: 5, 7: 16, 8: 6, 9: 15, 10: 30, 11: 19, 12: 18, 13: 8, 14: 8, 15: 7, 16: 7}
	methods := map[int]int{2: 4, 3: 4, 5: 4, 6: 4, 7: 4, 8: 2}
	tables := mustTables(t)
	if len(tables) != len(rows) {
		t.Errorf("%d tables, want %d", len(tables), len(rows))
	}
	for number, table := range tables {
		if len(table.Rows) != rows[number] {
			t.Errorf("table %d has %d rows, want %d", number, len(table.Rows), rows[number])
		}
		for i, row := range table.Rows {
			want := methods[number]
			if want == 0 {
				want = 3
			}
			if len(row.Scores) != want || row.Dataset == "" || row.Model == "" || !(row.Noise > 0 && row.Noise < 1) {
				t.Errorf("table %d, row %d: %+v", number, i+1, row)
			}
			if (row.Model == "lasso") == !math.IsNaN(row.C) || (table.Regularizer == "mixture") == math.IsNaN(row.MixtureGamma) {
				t.Errorf("table %d, row %d: parameters of %+v", number, i+1, row)
			}
			for _, s := range row.Scores {
				if !(s.Mean > 0 && s.Mean < 1.5 && s.Std >= 0) {
					t.Errorf("table %d, row %d: %+v", number, i+1, s)
				}
			}
		}
	}
}

func TestOneRow(t *testing.T) {
	t.Parallel()
	tables := mustTables(t)
	row := tables[3].Rows[3] // pendigits,0.3,0.50,2.00,1.00
	if row.Dataset != "pendigits" || row.Model != "svm" || row.Kernel != "rbf" || row.C != 2 || row.KernelGamma != 1 || row.MixtureGamma != 0.5 || !math.IsNaN(row.Alpha) {
		t.Errorf("%+v", row)
	}
	if want := (Score{"gaga", 0.962, 0.083}); row.Scores[3] != want {
		t.Errorf("%+v, want %+v", row.Scores[3], want)
	}
	if got := tables[7].Rows[0].Scores[0].Method; got != "huber-lasso" {
		t.Errorf("method %s", got)
	}
	if tables[9].Name() != "table09" || tables[16].Name() != "table16" {
		t.Error("names")
	}
}

// TestNotes checks what the notes say against the tables.
func TestNotes(t *testing.T) {
	t.Parallel()
	tables := mustTables(t)
	equal := func(a, b Row) bool {
		for i := range a.Scores {
			if a.Scores[i] != b.Scores[i] {
				return false
			}
		}
		return true
	}
	for i := 5; i < 8; i++ {
		music, ailerons := tables[14].Rows[i], tables[13].Rows[i]
		if !equal(music, ailerons) || music.Note == "" || ailerons.Note == music.Note {
			t.Errorf("noise %v: %+v and %+v", music.Noise, music, ailerons)
		}
	}
	if tables[14].Rows[4].Note != "" {
		t.Error("a note on an even row")
	}
	if !equal(tables[15].Rows[2], tables[11].Rows[2]) || equal(tables[15].Rows[2], tables[11].Rows[9]) || tables[11].Rows[9].C != 1 {
		t.Error("Table 15 and Table 11")
	}
	logistic := tables[5].Rows[0]
	for i, s := range tables[11].Rows[2].Scores {
		other := logistic.Scores[i+1] // behind original
		if s.Mean != other.Mean || (s.Std != other.Std) != (s.Method == "mospl") {
			t.Errorf("Table 5 %+v, Table 11 %+v", other, s)
		}
	}
	for _, pair := range []struct{ table, row, other, as int }{
		{13, 2, 9, 2}, {13, 3, 9, 3}, {13, 5, 9, 3}, {13, 4, 9, 5}, {13, 6, 9, 6}, {13, 7, 9, 7}, {13, 7, 9, 14},
		{12, 9, 16, 2}, {16, 2, 12, 9},
	} {
		row := tables[pair.table].Rows[pair.row]
		if !equal(row, tables[pair.other].Rows[pair.as]) || row.Note == "" {
			t.Errorf("%+v: %+v", pair, row)
		}
	}
	for i, row := range tables[5].Rows {
		if (row.Note != "") != (i < 2) {
			t.Errorf("Table 5, row %d: %v", i, row.Note)
		}
	}
	if !slices.Equal(tables[5].Rows[1].Scores[1:], tables[12].Rows[9].Scores) {
		t.Error("Table 5 and Table 12")
	}
	// All accuracies that cannot be have a note, and the notes on them are right.
	for number, table := range tables {
		for _, row := range table.Rows {
			impossible := false
			for _, s := range row.Scores {
				impossible = impossible || row.Model != "lasso" && s.Std > largestStd(s.Mean, Runs)
			}
			if impossible && row.Note == "" {
				t.Errorf("Table %d, C = %v, noise %v: an impossible deviation without a note", number, row.C, row.Noise)
			}
			if !impossible && strings.Contains(row.Note, "deviation") && row.Model != "lasso" {
				t.Errorf("Table %d, C = %v, noise %v: a note on possible numbers", number, row.C, row.Noise)
			}
		}
	}
	cadata, houses := tables[3].Rows[5], tables[3].Rows[9]
	if cadata.Dataset != "cadata" || houses.Dataset != "houses" || cadata.Alpha != houses.Alpha || cadata.Noise != houses.Noise ||
		cadata.Scores[0].Mean != 0.798 || houses.Scores[0].Mean != 0.213 || cadata.Note == "" || houses.Note == "" {
		t.Errorf("%+v and %+v", cadata, houses)
	}
	for _, row := range tables[2].Rows {
		if row.Dataset == "houses" && row.Note == "" {
			t.Error("no note on houses")
		}
	}
}

// Half zeros and half ones have the largest deviation of mean one half.
func TestLargestStd(t *testing.T) {
	t.Parallel()
	if got, want := largestStd(0.5, 20), math.Sqrt(20*0.25/19); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
}

// largestStd returns the largest sample standard deviation that n numbers in
// [0, 1] of a given mean can have: that of zeros and ones.
func largestStd(mean float64, n int) float64 {
	return math.Sqrt(mean * (1 - mean) * float64(n) / float64(n-1))
}
