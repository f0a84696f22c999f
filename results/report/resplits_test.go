package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// comparedCells returns the comparisons of two methods on each data set by the analysis of a report.
func comparedCells(t *testing.T, rows []testrun.Row) []analysis.Comparison {
	t.Helper()
	standing := analysis.NewStanding(testrun.Kind(t))
	if err := standing.AddRows(testrun.Frame(t, rows)); err != nil {
		t.Fatal(err)
	}
	var list []analysis.Comparison
	for _, table := range analysis.Compare(standing.Run().Chosen) {
		for _, row := range table.Rows {
			list = append(list, row.Comparisons...)
		}
	}
	return list
}

// resplit returns the test errors of least squares on the first and on the last ten of twenty features
// that matter equally, on random splits of one sample: of 400 rows 240 for training, 100 for testing and 60
// left for validation.
// Over samples neither is better.
func resplit(source *rand.Rand, splits int) (errors [][2]float64) {
	const n, d, train, test = 400, 20, 240, 100
	x, y := mat.NewDense(n, d+1, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, source.NormFloat64())
			y[i] += x.At(i, j) / math.Sqrt(d)
		}
		x.Set(i, d, 1)
		y[i] += source.NormFloat64()
	}
	for range splits {
		order := source.Perm(n)
		var of [2]float64
		for half := range of {
			columns := []int{d}
			for j := range d / 2 {
				columns = append(columns, half*d/2+j)
			}
			rows := func(part []int) (*mat.Dense, *mat.VecDense) {
				a, b := mat.NewDense(len(part), len(columns), nil), mat.NewVecDense(len(part), nil)
				for i, row := range part {
					for j, column := range columns {
						a.Set(i, j, x.At(row, column))
					}
					b.SetVec(i, y[row])
				}
				return a, b
			}
			a, b := rows(order[test : test+train])
			gram, right := mat.NewSymDense(len(columns), nil), mat.NewVecDense(len(columns), nil)
			gram.SymOuterK(1, a.T())
			right.MulVec(a.T(), b)
			var factor mat.Cholesky
			factor.Factorize(gram)
			w := mat.NewVecDense(len(columns), nil)
			if err := factor.SolveVecTo(w, right); err != nil {
				panic(err)
			}
			a, b = rows(order[:test])
			residual := mat.NewVecDense(test, nil)
			residual.MulVec(a, w)
			residual.SubVec(residual, b)
			of[half] = mat.Norm(residual, 2) / math.Sqrt(test)
		}
		errors = append(errors, of)
	}
	return errors
}

// TestFalseAlarmsOfResplits: of two methods that are equal on average, the test at 5 % finds a
// difference on at most 7 % of 300 data sets, whatever the number of splits, and the intervals hold
// the mean, 0, on 93 to 97 % (within two standard errors of 300 data sets). The signed-rank test, which
// takes splits as independent, finds one on 27 to 68 %.
func TestFalseAlarmsOfResplits(t *testing.T) {
	needs.Patience(t, "15 s")
	t.Parallel()
	const sets, most = 300, 60
	source := rand.New(rand.NewPCG(58, 1))
	var samples [][][2]float64
	for range sets {
		samples = append(samples, resplit(source, most))
	}
	for _, splits := range []int{10, 20, 60} {
		var rows []testrun.Row
		for k, sample := range samples {
			for repeat, errors := range sample[:splits] {
				for m, method := range []string{"original", "gaga"} {
					rows = append(rows, testrun.Row{"dataset": fmt.Sprintf("d%03d", k), "method": method, "repeat": repeat + 1,
						"split_train": 3.0, "split_test": 1.0, "test_at_best_validation": errors[m], "test_at_best_test": errors[m]})
				}
			}
		}
		alarms, covered, found := 0, 0, 0
		list := comparedCells(t, rows)
		for _, c := range list {
			if c.Test.P <= analysis.DefaultTests.Significance {
				alarms++
			}
			if i := c.Test.Interval(1 - analysis.DefaultTests.Significance); i.Low <= 0 && 0 <= i.High {
				covered++
			}
			if c.Q <= analysis.DefaultTests.Significance {
				found++
			}
		}
		t.Logf("%d splits: false alarms %.3f, intervals hold 0 in %.3f, %d discoveries", splits, float64(alarms)/sets, float64(covered)/sets, found)
		if len(list) != sets || alarms > 0.07*sets || covered < 0.93*sets || found > 0.01*sets {
			t.Errorf("%d splits of %d data sets: %d false alarms, %d intervals hold 0, %d discoveries", splits, len(list), alarms, covered, found)
		}
	}
}

// TestPowerOfResplits: differences of half a standard deviation between splits are found as often as the
// noncentral t distribution says, where splits are as correlated as the test assumes: a part that all
// splits of a data set share has the variance ratio σ². The shares are R's, by
// pt(-q, n-1, d) + 1 - pt(q, n-1, d) with q = qt(0.975, n-1) and d = 0.5/sqrt(1/n + ratio).
func TestPowerOfResplits(t *testing.T) {
	needs.Patience(t, "15 s")
	t.Parallel()
	const sets = 400
	source := rand.New(rand.NewPCG(58, 2))
	for _, c := range []struct {
		splits int
		parts  float64 // of the split, for training to 1 for testing; 0 for independent repeats
		power  float64
	}{{10, 3, 0.1047}, {20, 3, 0.1197}, {60, 3, 0.1322}, {10, 0, 0.2932}, {20, 0, 0.5645}} {
		var rows []testrun.Row
		for k := range sets {
			shared := 0.0
			if c.parts > 0 {
				shared = math.Sqrt(1/c.parts) * source.NormFloat64()
			}
			for repeat := range c.splits {
				for m, difference := range []float64{0, 0.5 + shared + source.NormFloat64()} {
					x := 5 + 0.01*difference
					rows = append(rows, testrun.Row{"dataset": fmt.Sprintf("d%03d", k), "method": []string{"original", "gaga"}[m], "repeat": repeat + 1,
						"split_train": c.parts, "split_test": min(1, c.parts), "test_at_best_validation": x, "test_at_best_test": x})
				}
			}
		}
		found := 0
		for _, of := range comparedCells(t, rows) {
			if of.Test.P <= 0.05 {
				found++
			}
		}
		share, deviation := float64(found)/sets, math.Sqrt(c.power*(1-c.power)/sets)
		t.Logf("%d splits, 1/%v: found in %.3f, theory %.3f", c.splits, c.parts, share, c.power)
		if math.Abs(share-c.power) > 3*deviation {
			t.Errorf("%d splits, parts %v: found in %.3f, want %.3f ± %.3f", c.splits, c.parts, share, c.power, 3*deviation)
		}
	}
}
