package selfpaced

import (
	"math"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/gridfile"
)

// measured are the seconds of one processor core that cells took, on average over
// their values of C or α, noise and repeats.
var measured = []struct {
	grid          string // cells of the same one are summed up
	cells         float64
	n, d          int
	model, kernel string
	regularizer   string
	method        *methodInfo
	ages          Age
	seconds       float64
}{
	{"quickstart", 18, 340, 30, SVM, RBF, "", &originalMethod, Age{}, 0.0028},
	{"quickstart", 18, 340, 30, SVM, RBF, Linear, &acsMethod, Age{Min: 0.5, Max: 10, Step: 1}, 0.0101},
	{"quickstart", 18, 340, 30, SVM, RBF, Linear, &gagaMethod, Age{Min: 0.5, Max: 10, Step: 1}, 0.0506},
	{"quickstart", 18, 340, 30, SVM, RBF, Mixture, &acsMethod, Age{Min: 0.5, Max: 10, Step: 1}, 0.0116},
	{"quickstart", 18, 340, 30, SVM, RBF, Mixture, &gagaMethod, Age{Min: 0.5, Max: 10, Step: 1}, 0.0865},
	{"quickstart", 24, 264, 10, Lasso, "", "", &originalMethod, Age{}, 0.0003},
	{"quickstart", 24, 264, 10, Lasso, "", Linear, &acsMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.0146},
	{"quickstart", 24, 264, 10, Lasso, "", Linear, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.0077},
	{"quickstart", 24, 264, 10, Lasso, "", Mixture, &acsMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.0168},
	{"quickstart", 24, 264, 10, Lasso, "", Mixture, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.0137},
	{"quickstart", 18, 1077, 64, Logistic, "", "", &originalMethod, Age{}, 0.0034},
	{"quickstart", 18, 1077, 64, Logistic, "", Mixture, &acsMethod, Age{Min: 1, Max: 5, Step: 1}, 0.0359},
	{"quickstart", 18, 1077, 64, Logistic, "", Mixture, &gagaMethod, Age{Min: 1, Max: 5, Step: 1}, 0.311},
	{"figure02", 1, 7137, 6, Lasso, "", Linear, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.0953},
	{"figure02", 1, 7137, 6, Lasso, "", Mixture, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.317},
	{"figure02", 1, 794, 116, Lasso, "", Linear, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 1.46},
	{"figure02", 1, 794, 116, Lasso, "", Mixture, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 4.83},
	{"figure02", 1, 2623, 16, Logistic, "", Linear, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.665},
	{"figure02", 1, 2623, 16, Logistic, "", Mixture, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 1.09},
	{"figure09", 1, 2623, 16, Logistic, "", Linear, &acsMethod, Age{Min: 0.1, Max: 20, Step: 0.05}, 0.737},
	{"figure09", 1, 2623, 16, Logistic, "", Linear, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.05}, 0.571},
	{"SVM", 1, 2623, 16, SVM, Linear, Linear, &acsMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.256},
	{"SVM", 1, 2623, 16, SVM, Linear, Linear, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 0.392},
	{"SVM", 1, 340, 30, SVM, Linear, Linear, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.0175},
	{"SVM", 1, 340, 30, SVM, Linear, LOG, &gagaMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.0653},
	{"SVM", 1, 340, 30, SVM, Linear, Polynomial, &gagaMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.0572},
	{"SVM", 1, 2098, 16, SVM, Linear, Mixture, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.162},
	{"SVM", 1, 2098, 16, SVM, Linear, Mixture, &gagaMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.406},
	{"SVM", 1, 2623, 16, SVM, Linear, "", &robustMethod, Age{}, 0.0045},
	{"SVM", 1, 1500, 240, SVM, Linear, Mixture, &gagaMethod, Age{Min: 0.1, Max: 20, Step: 0.5}, 2.4},
	{"regression", 1, 5709, 6, Lasso, "", Linear, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.0697},
	{"regression", 1, 5709, 6, Lasso, "", LOG, &gagaMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.472},
	{"regression", 1, 5709, 6, Lasso, "", Mixture, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.179},
	{"regression", 1, 5709, 6, Lasso, "", Polynomial, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.28},
	{"regression", 1, 5709, 6, Lasso, "", Polynomial, &gagaMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 1.78},
	{"regression", 1, 5709, 6, Ridge, "", Linear, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.334},
	{"regression", 1, 5709, 6, Ridge, "", Polynomial, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.976},
	{"regression", 1, 5709, 6, Ridge, "", Polynomial, &gagaMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 2.63},
	{"regression", 1, 264, 10, Ridge, "", Mixture, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.0332},
	{"regression", 1, 635, 116, Lasso, "", Linear, &acsMethod, Age{Min: 0.1, Max: 10, Step: 0.5}, 0.202},
}

// TestEstimates compares the estimates with what cells took: each within a factor of
// three, half of them within 1.5, and the sum of a grid within 1.5.
func TestEstimates(t *testing.T) {
	t.Parallel()
	type sum struct{ estimated, measured float64 }
	sums := map[string]sum{}
	var factors []float64
	for _, m := range measured {
		seconds := estimate(&group{
			data: &plannedData{PlannedData: &experiment.PlannedData{D: m.d}, train: m.n}, models: &Models{Entry: gridfile.Entry{Name: m.model}, Kernel: m.kernel},
			method: m.method, regularizer: &gridfile.Entry{Name: m.regularizer}, age: m.ages,
		})
		factor := math.Exp(math.Abs(math.Log(seconds / m.seconds)))
		if factor > 3 {
			t.Errorf("%+v: estimated %.3g s", m, seconds)
		}
		factors = append(factors, factor)
		s := sums[m.grid]
		sums[m.grid] = sum{s.estimated + m.cells*seconds, s.measured + m.cells*m.seconds}
	}
	slices.Sort(factors)
	if median := factors[len(factors)/2]; median > 1.5 {
		t.Errorf("half of the estimates are more than a factor of %.2f off, want 1.5", median)
	}
	for grid, s := range sums {
		t.Logf("%s: estimated %.3g s, measured %.3g s", grid, s.estimated, s.measured)
		if ratio := s.estimated / s.measured; ratio > 1.5 || ratio < 1/1.5 {
			t.Errorf("%s: estimated %.3g s, measured %.3g s", grid, s.estimated, s.measured)
		}
	}
}
