package rehline_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// A support vector machine with its certificate: no coefficients have an
// objective below the dual one.
func Example() {
	x := features(2, 1, 2, 2, 1, -1, -1, -2, 0)
	sol, err := rehline.Solve(context.Background(), rehline.Problem{
		X:         x,
		Loss:      rehline.Hinge([]float64{1, 1, -1, -1}),
		C:         1,
		Intercept: rehline.FreeIntercept,
	}, rehline.Options{Tol: 1e-10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sol.Status, sol.Gap <= 1e-10)
	fmt.Printf("β = %.3f, b0 = %.3f, objective %.4f\n", sol.Beta, sol.Intercept, sol.Objective)
	// Output:
	// solved true
	// β = [0.400 0.400], b0 = -0.200, objective 0.1600
}

func ExampleSmoothedHinge() {
	sol := fit(rehline.Problem{X: features(1, 1), Loss: rehline.SmoothedHinge([]float64{1})})
	fmt.Printf("½(1-β)² + ½β² is least at β = %.3f\n", sol.Beta[0])
	// Output: ½(1-β)² + ½β² is least at β = 0.500
}

// Too low an estimate costs nine times as much as too high a one, and errors up
// to ε/q = 1 below and ε/(1-q) = 9 above cost nothing.
func ExampleEpsilonInsensitiveQuantile() {
	sol := fit(rehline.Problem{X: features(1, 1), Loss: rehline.EpsilonInsensitiveQuantile([]float64{10}, 0.9, 0.9), C: 100})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [9.000]
}

func ExampleSquaredEpsilonInsensitive() {
	sol := fit(rehline.Problem{X: features(1, 1), Loss: rehline.SquaredEpsilonInsensitive([]float64{3}, 1)})
	fmt.Printf("(2-β)² + ½β² is least at β = %.3f\n", sol.Beta[0])
	// Output: (2-β)² + ½β² is least at β = 1.333
}

// The median of the targets, whatever the outlier.
func ExampleAbsolute() {
	sol := fit(rehline.Problem{X: features(1, 1, 1, 1), Loss: rehline.Absolute([]float64{0, 1, 50}), C: 10})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [1.000]
}

// The elastic net: coefficients that do not pay for their L1 penalty are zero.
func ExampleSquared() {
	sol := fit(rehline.Problem{
		X:     features(2, 1, 0, 0, 1),
		Loss:  rehline.Squared([]float64{3, 0.5}),
		Ridge: 1,
		L1:    []float64{2, 2},
	})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [1.333 0.000]
}

// The Lasso, ½‖y - β‖² + ‖β‖₁, has no ridge: it shrinks by one.
func ExampleProblem_noRidge() {
	sol := fit(rehline.Problem{
		X:       features(2, 1, 0, 0, 1),
		Loss:    rehline.Squared([]float64{3, -0.4}),
		C:       0.5,
		NoRidge: true,
		L1:      []float64{1, 1},
	})
	fmt.Printf("%.3f %v\n", sol.Beta[0], sol.Beta[1] == 0)
	// Output: 2.000 true
}

// A loss by its terms: |z - 1| to the left of 2, rising twice as fast to its
// right.
func ExampleLoss() {
	loss := rehline.Loss{U: features(1, -1, 1, 1), V: features(1, 1, -1, -2)}
	values := make([]float64, 1)
	for _, z := range []float64{0, 1, 3} {
		loss.Value(values, []float64{z})
		fmt.Print(values[0], " ")
	}
	// Output: 1 0 3
}

func ExampleBox() {
	sol := fit(rehline.Problem{
		X:           features(3, 1, 0, 0, 0, 1, 0, 0, 0, 1),
		Loss:        rehline.Squared([]float64{6, 6, 6}),
		Constraints: rehline.Box([]float64{math.Inf(-1), -1, 0.5}, []float64{3, math.Inf(1), 0.5}),
	})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [3.000 4.000 0.500]
}

// The first coefficient is at least twice the second one.
func ExampleCustom() {
	sol := fit(rehline.Problem{
		X:           features(2, 1, 0, 0, 1),
		Loss:        rehline.Squared([]float64{3, 3}),
		Constraints: rehline.Custom(features(2, 1, -2), []float64{0}),
	})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [2.400 1.200]
}

// One Solver for many weights: nothing is set up again, and each solve starts
// from the last one.
func ExampleSolver_SetWeights() {
	s, err := rehline.New(rehline.Problem{
		X:    blas64.General{Rows: 3, Cols: 1, Stride: 1, Data: []float64{1, 1, 1}},
		Loss: rehline.Absolute([]float64{1, 2, 9}), C: 10,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := rehline.Options{Tol: 1e-12}
	for _, weights := range [][]float64{{1, 1, 1}, {1, 1, 3}, {3, 1, 1}} {
		if err := s.SetWeights(weights); err != nil {
			fmt.Println(err)
			return
		}
		sol, err := s.Solve(context.Background(), o)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.3f\n", sol.Beta[0])
		o.Warm = &sol
	}
	// Output:
	// 2.000
	// 9.000
	// 1.000
}
