package convex

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestSVMGolden compares with scikit-learn; testdata/golden_svm.py says how the
// values were made and why the dual objective is the one to compare with.
func TestSVMGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "golden_svm.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Name, Kernel string
			Gamma, C     float64
			X            [][]float64
			Y, Weights   []float64
			Primal, Dual float64
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, test := range golden.Cases {
		count[test.Kernel]++
		t.Run(test.Kernel+"/"+test.Name, func(t *testing.T) {
			t.Parallel()
			n, d := len(test.X), len(test.X[0])
			p := svmProblem{
				x: blas64.General{Rows: n, Cols: d, Stride: d}, y: test.Y, weights: test.Weights,
				c: test.C, kernel: Linear{}, intercept: true,
			}
			if test.Kernel == "rbf" {
				p.kernel = RBF{Gamma: test.Gamma}
			}
			for _, row := range test.X {
				p.x.Data = append(p.x.Data, row...)
			}
			var certificate Certificate
			if test.Kernel == "linear" {
				s := p.linear(t)
				certificate = solveMachine(t, s, p.weights)
				p.checkLinear(t, s, certificate)
			} else {
				s := p.svm(SVMOptions{})
				certificate = solve(t, s, p.weights)
				p.check(t, s, certificate)
			}
			if difference := math.Abs(certificate.Objective - test.Dual); difference > 1e-8*test.Dual {
				t.Errorf("objective %.15g, scikit-learn's dual %.15g, relative difference %.2g", certificate.Objective, test.Dual, difference/test.Dual)
			}
			if certificate.Objective > test.Primal*(1+1e-12) {
				t.Errorf("objective %.15g is above scikit-learn's %.15g", certificate.Objective, test.Primal)
			}
		})
	}
	for _, kernel := range []string{"linear", "rbf"} {
		if count[kernel] < 8 {
			t.Errorf("%d golden cases with the %s kernel, want at least 8", count[kernel], kernel)
		}
	}
}
