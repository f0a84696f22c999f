package dataset

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// streams derives a stream from a seed and a purpose, as a cell does.
func streams(seed uint64) func(string) *rand.Rand {
	return func(purpose string) *rand.Rand {
		hash := fnv.New64a()
		hash.Write([]byte(purpose))
		return rand.New(rand.NewPCG(seed, hash.Sum64()))
	}
}

// synthetic returns a data set without duplicates whose columns have units of
// their own; a third of the labels is -1.
func synthetic(task Task, n, d int) *Dataset {
	random := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	data := &Dataset{Name: "synthetic", Task: task, N: n, D: d, X: make([]float64, n*d)}
	for j := range d {
		data.Features = append(data.Features, fmt.Sprintf("f%d", j))
	}
	for i := range data.X {
		data.X[i] = float64(i%d+1) * (10 + random.NormFloat64())
	}
	if task == Classification {
		data.Y = labels(n, n/3, random)
		return data
	}
	for range n {
		data.Y = append(data.Y, 100+5*random.NormFloat64())
	}
	return data
}

// quarter is the paper's split with something held out.
var quarter = Split{Train: 3, Test: 1, Validation: 0.2}

// byFirst is a boundary whose scores are the first feature.
func byFirst(_ context.Context, x []float64, n, d int, _ []float64) ([]float64, error) {
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = x[i*d]
	}
	return scores, nil
}

// protocols are all of them.
var protocols = []Protocol{HeldOut, Paper, Scripts}

func settings(protocol Protocol, noise Noise) Settings {
	return Settings{Split: quarter, Features: Standard, Target: MinMax, Noise: noise, Protocol: protocol, Boundary: byFirst}
}

func mustPrepare(t *testing.T, d *Dataset, s Settings) *Prepared {
	t.Helper()
	p, err := Prepare(context.Background(), d, s, streams(40))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPrepareScalesByTrainingRows(t *testing.T) {
	t.Parallel()
	for _, protocol := range protocols {
		d := synthetic(Regression, 200, 3)
		p := mustPrepare(t, d, settings(protocol, Noise{}))
		fitted := p.Train.Rows
		if protocol != HeldOut {
			fitted = strata(d.Y, false)[0]
		}
		for j := range d.D {
			var column []float64
			for _, row := range fitted {
				column = append(column, d.X[row*d.D+j])
			}
			mean, deviation := moments(column)
			for _, part := range []Part{p.Train, p.Validation, p.Test} {
				for i, row := range part.Rows {
					want := (d.X[row*d.D+j] - mean) / deviation
					if got := part.X[i*d.D+j]; math.Abs(got-want) > 1e-12 {
						t.Fatalf("protocol %v: row %d, feature %d is %v, want %v", protocol, row, j, got, want)
					}
				}
			}
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, row := range fitted {
			low, high = min(low, d.Y[row]), max(high, d.Y[row])
		}
		for _, part := range []Part{p.Train, p.Validation, p.Test} {
			for i, row := range part.Rows {
				if want := (d.Y[row] - low) / (high - low); math.Abs(part.Y[i]-want) > 1e-15 {
					t.Fatalf("protocol %v: target of row %d is %v, want %v", protocol, row, part.Y[i], want)
				}
			}
		}
		if p.Target.Shift[0] != low || p.Target.Scale[0] != high-low {
			t.Errorf("protocol %v: target map %+v, want shift %v and scale %v", protocol, p.Target, low, high-low)
		}
	}
}

func TestPrepareLeavesDataAlone(t *testing.T) {
	t.Parallel()
	for _, task := range []Task{Classification, Regression} {
		for _, kind := range NoiseKinds(task) {
			for _, protocol := range protocols {
				d := synthetic(task, 90, 4)
				before := d.Digest()
				first := mustPrepare(t, d, settings(protocol, Noise{kind, 0.3}))
				if d.Digest() != before {
					t.Fatalf("%s: the data set was changed", kind)
				}
				if second := mustPrepare(t, d, settings(protocol, Noise{kind, 0.3})); !reflect.DeepEqual(first, second) {
					t.Errorf("%s: the same arguments give another result", kind)
				}
			}
		}
	}
}

// TestSplitIgnoresNoise: cells that differ in noise only are compared on the
// same rows.
func TestSplitIgnoresNoise(t *testing.T) {
	t.Parallel()
	for _, task := range []Task{Classification, Regression} {
		for _, protocol := range protocols {
			d := synthetic(task, 120, 4)
			clean := mustPrepare(t, d, settings(protocol, Noise{}))
			for _, kind := range NoiseKinds(task) {
				for _, level := range []float64{0, 0.1, 0.5, 1} {
					p := mustPrepare(t, d, settings(protocol, Noise{kind, level}))
					for name, parts := range map[string][2]Part{
						"training": {clean.Train, p.Train}, "validation": {clean.Validation, p.Validation}, "test": {clean.Test, p.Test},
					} {
						rows := slices.DeleteFunc(slices.Clone(parts[1].Rows), func(row int) bool { return row < 0 })
						if !slices.Equal(parts[0].Rows, rows) {
							t.Errorf("%s %v: %s part has rows %v, want %v", kind, level, name, rows, parts[0].Rows)
						}
					}
				}
			}
		}
	}
}

// TestTestPartIsClean: only label noise of the paper's protocol may reach it.
func TestTestPartIsClean(t *testing.T) {
	t.Parallel()
	for _, task := range []Task{Classification, Regression} {
		for _, protocol := range protocols {
			d := synthetic(task, 200, 3)
			clean := mustPrepare(t, d, settings(protocol, Noise{}))
			for _, kind := range NoiseKinds(task) {
				p := mustPrepare(t, d, settings(protocol, Noise{kind, 0.8}))
				if same := samePart(p.Test, clean.Test); same != (task == Regression || protocol != Paper) {
					t.Errorf("%s, protocol %v: test part is clean: %v", kind, protocol, same)
				}
				if p.Clean.N > 0 != (protocol == Scripts) || protocol == Scripts && !samePart(p.Clean, clean.Train) {
					t.Errorf("%s, protocol %v: the clean training part is not what it was", kind, protocol)
				}
				if samePart(p.Train, clean.Train) || samePart(p.Validation, clean.Validation) {
					t.Errorf("%s, protocol %v: training or validation part is clean", kind, protocol)
				}
			}
		}
	}
}

func TestPrepareStratifiesUnlessPaper(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 40, 2)
	shares := map[int]bool{}
	for seed := range uint64(30) {
		for _, protocol := range protocols {
			p, err := Prepare(context.Background(), d, settings(protocol, Noise{}), streams(seed))
			if err != nil {
				t.Fatal(err)
			}
			negative := 0
			for _, label := range p.Test.Y {
				if label < 0 {
					negative++
				}
			}
			if protocol != HeldOut {
				shares[negative] = true
			} else if negative != 3 { // 13 of 40 are -1, so 3.25 of the 10
				t.Fatalf("seed %d: %d of 10 test rows are -1, want 3", seed, negative)
			}
		}
	}
	if len(shares) < 3 {
		t.Errorf("the paper's split gave only %d different class shares in 30 draws", len(shares))
	}
}

func TestPrepareMerges(t *testing.T) {
	t.Parallel()
	// 60 rows that are 20 rows three times over.
	base := synthetic(Regression, 20, 3)
	d := &Dataset{Name: "triple", Task: Regression, N: 60, D: 3, Features: base.Features,
		X: slices.Concat(base.X, base.X, base.X), Y: slices.Concat(base.Y, base.Y, base.Y)}
	p := mustPrepare(t, d, Settings{Split: quarter, Features: Standard, Target: MinMax})
	distinct := map[int]float64{}
	for i, row := range p.Train.Rows {
		if _, again := distinct[row%20]; again {
			t.Errorf("row %d was not merged", row)
		}
		distinct[row%20] = p.Train.Multiplicity[i]
	}
	total := 0.0
	for _, multiplicity := range distinct {
		total += multiplicity
	}
	if total != 36 || p.Train.N+p.Merged != 36 || p.Merged < 16 {
		t.Errorf("multiplicities sum to %v, N is %d and %d are merged; 36 rows are in the training part", total, p.Train.N, p.Merged)
	}
	if p.Validation.N != 9 || p.Test.N != 15 || p.Validation.Multiplicity != nil || p.Test.Multiplicity != nil {
		t.Errorf("validation and test part have %d and %d rows, want all 9 and 15", p.Validation.N, p.Test.N)
	}
}

func TestPrepareRefuses(t *testing.T) {
	t.Parallel()
	oneClass := synthetic(Classification, 30, 2)
	for i := range oneClass.Y {
		oneClass.Y[i] = 1
	}
	pair := synthetic(Classification, 40, 2)
	for i := range pair.Y {
		pair.Y[i] = 1
	}
	pair.Y[0] = -1
	wide := synthetic(Regression, 30, 2)
	wide.X[8], wide.X[10] = -1.7e308, 1.7e308
	regression := synthetic(Regression, 30, 2)
	classification := synthetic(Classification, 30, 2)
	broken := func(context.Context, []float64, int, int, []float64) ([]float64, error) {
		return nil, errors.New("no fit")
	}
	short := func(context.Context, []float64, int, int, []float64) ([]float64, error) {
		return make([]float64, 3), nil
	}
	notANumber := func(_ context.Context, _ []float64, n, _ int, _ []float64) ([]float64, error) {
		return slices.Repeat([]float64{math.NaN()}, n), nil
	}
	for _, test := range []struct {
		name string
		data *Dataset
		s    Settings
		want string
	}{
		{"unknown task", &Dataset{Task: "ranking"}, Settings{}, `task "ranking": allowed are`},
		{"one class", oneClass, Settings{Split: quarter}, "the data set has one class only, 30 rows of +1"},
		{"one class in training", pair, Settings{Split: Split{Train: 1, Test: 9, Validation: 0}, Protocol: Paper}, "the training part has one class only"},
		{"too few rows", &Dataset{Task: Regression, N: 2, D: 1, X: []float64{1, 2}, Y: []float64{1, 2}}, Settings{Split: quarter}, "at least 2 for training"},
		{"scaling", regression, Settings{Split: quarter, Features: "robust"}, `features "robust": allowed are none, standard and minmax`},
		{"target scaling", regression, Settings{Split: quarter, Target: "log"}, `target "log": allowed`},
		{"noise of the other task", regression, Settings{Split: quarter, Noise: Noise{Flip, 0.1}}, `kind "flip" is not for regression; allowed are gaussian, gaussian-target, `},
		{"noise of no task", classification, Settings{Split: quarter, Noise: Noise{"salt", 0.1}}, `allowed are flip, flip-boundary, flip-class, flip-margin`},
		{"level above 1", classification, Settings{Split: quarter, Noise: Noise{Flip, 1.1}}, "level 1.1 is not in [0, 1]"},
		{"level NaN", regression, Settings{Split: quarter, Noise: Noise{StatP, math.NaN()}}, "level NaN is not in [0, 1]"},
		{"level without kind", regression, Settings{Split: quarter, Noise: Noise{"", 0.1}}, "level 0.1 without a kind"},
		{"no boundary", classification, Settings{Split: quarter, Noise: Noise{FlipBoundary, 0.1}}, "flip-boundary needs a boundary"},
		{"boundary fails", classification, Settings{Split: quarter, Noise: Noise{FlipBoundary, 0.1}, Boundary: broken}, "boundary for the noise: no fit"},
		{"boundary is short", classification, Settings{Split: quarter, Noise: Noise{FlipBoundary, 0.1}, Boundary: short}, "3 scores for 22 rows"},
		{"boundary is NaN", classification, Settings{Split: quarter, Noise: Noise{FlipBoundary, 0.1}, Boundary: notANumber}, "is not a number"},
		{"range overflows", wide, Settings{Split: quarter, Features: Standard, Protocol: Paper}, "scale features: column 0 spans -1.7e+308 to 1.7e+308"},
	} {
		_, err := Prepare(context.Background(), test.data, test.s, streams(3))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", test.name, err, test.want)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Prepare(cancelled, regression, Settings{Split: quarter}, streams(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestPrepareRefusesOverflow: a test row may lie so far out that the map
// fitted on narrow training rows carries it out of range.
func TestPrepareRefusesOverflow(t *testing.T) {
	t.Parallel()
	d := synthetic(Regression, 40, 2)
	plain := mustPrepare(t, d, settings(HeldOut, Noise{}))
	for i := range d.N {
		d.X[2*i] = 1e-10 * float64(i)
	}
	far := plain.Test.Rows[4]
	d.X[2*far] = 1e300
	_, err := Prepare(context.Background(), d, settings(HeldOut, Noise{}), streams(40))
	if want := fmt.Sprintf("row %d, feature f0: +Inf after scaling", far); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
}

// TestPrepareRealData prepares each real data set both ways.
func TestPrepareRealData(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "2 s")
	library := Library{Dir: needs.Datasets(t)}
	for _, entry := range Catalog() {
		if _, err := library.Locate(entry); errors.Is(err, ErrAbsent) {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			d, err := library.Load(context.Background(), Source{Name: entry.Name})
			if err != nil {
				t.Fatal(err)
			}
			train, validation, test := quarter.sizes(d.N, d.N)
			for _, kind := range NoiseKinds(d.Task) {
				for _, protocol := range protocols {
					p := mustPrepare(t, d, settings(protocol, Noise{kind, 0.3}))
					if rows := p.Train.N + p.Merged + p.Validation.N; rows != train+validation+p.Added || p.Test.N != test || p.Train.D != d.D {
						t.Errorf("%s, protocol %v: %d rows for training and validation and %d for testing, want %d and %d",
							kind, protocol, rows, p.Test.N, train+validation+p.Added, test)
					}
					total := float64(p.Train.N)
					for _, multiplicity := range p.Train.Multiplicity {
						total += multiplicity - 1
					}
					if total != float64(p.Train.N+p.Merged) {
						t.Errorf("%s, protocol %v: multiplicities sum to %v, want %d", kind, protocol, total, p.Train.N+p.Merged)
					}
				}
			}
		})
	}
}

func BenchmarkPrepare(b *testing.B) {
	for _, task := range []Task{Classification, Regression} {
		d := synthetic(task, 20000, 50)
		for _, kind := range NoiseKinds(task) {
			b.Run(kind, func(b *testing.B) {
				for b.Loop() {
					if _, err := Prepare(context.Background(), d, settings(HeldOut, Noise{kind, 0.3}), streams(1)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestPrepareDrawsRows wants draws to be nested, and rows and contamination to be
// those of the data set.
func TestPrepareDrawsRows(t *testing.T) {
	t.Parallel()
	for _, task := range []Task{Classification, Regression} {
		d := synthetic(task, 90, 2)
		noise := Noise{Kind: Gaussian, Level: 0.3}
		if task == Classification {
			noise.Kind = Flip
		}
		s := settings(HeldOut, noise)
		s.Features, s.Target = NoScaling, NoScaling
		drawn := map[int][]int{}
		for _, rows := range []int{20, 60} {
			s.Rows = rows
			p := mustPrepare(t, d, s)
			all := slices.Concat(p.Train.Rows, p.Validation.Rows, p.Test.Rows)
			slices.Sort(all)
			if len(slices.Compact(slices.Clone(all))) != rows {
				t.Errorf("%s: %d rows drawn, want %d", task, len(all), rows)
			}
			drawn[rows] = all
			for i, row := range p.Train.Rows {
				same := slices.Equal(p.Train.X[2*i:2*i+2], d.X[2*row:2*row+2]) && p.Train.Y[i] == d.Y[row]
				if same == slices.Contains(p.Contaminated, row) {
					t.Errorf("%s: row %d, contaminated %t", task, row, !same)
				}
			}
			for i, row := range p.Test.Rows {
				if !slices.Equal(p.Test.X[2*i:2*i+2], d.X[2*row:2*row+2]) {
					t.Errorf("%s: test row %d is another", task, row)
				}
			}
		}
		for _, row := range drawn[20] {
			if !slices.Contains(drawn[60], row) {
				t.Errorf("%s: row %d is in the smaller draw alone", task, row)
			}
		}
		s.Rows = 90
		whole := s
		whole.Rows = 0
		if !reflect.DeepEqual(mustPrepare(t, d, s), mustPrepare(t, d, whole)) {
			t.Errorf("%s: all rows are not the data set", task)
		}
	}
}
