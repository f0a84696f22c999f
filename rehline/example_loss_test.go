package rehline_test

import (
	"context"
	"fmt"
	"math"

	"github.com/agepath/agepath/rehline"
	"gonum.org/v1/gonum/blas/blas64"
)

// features returns n rows of d columns.
func features(d int, values ...float64) blas64.General {
	return blas64.General{Rows: len(values) / d, Cols: d, Stride: d, Data: values}
}

// fit solves p closely; examples have nobody to hand an error to.
func fit(p rehline.Problem) rehline.Solution {
	sol, err := rehline.Solve(context.Background(), p, rehline.Options{Tol: 1e-12})
	if err != nil {
		panic(err)
	}
	return sol
}

// The support vector machine: the largest margin between two points.
func ExampleHinge() {
	sol := fit(rehline.Problem{
		X:    features(2, 1, 2, -1, -2),
		Loss: rehline.Hinge([]float64{1, -1}),
		C:    1,
	})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [0.200 0.400]
}

func ExampleSquaredHinge() {
	sol := fit(rehline.Problem{X: features(1, 1, 1), Loss: rehline.SquaredHinge([]float64{1, 1})})
	fmt.Printf("2(1-β)² + ½β² is least at β = %.3f\n", sol.Beta[0])
	// Output: 2(1-β)² + ½β² is least at β = 0.800
}

// The median regression ignores an outlier.
func ExampleQuantile() {
	x := features(1, -1, 0, 1, 2, 3)
	y := []float64{-1, 50, 3, 5, 7}
	sol := fit(rehline.Problem{
		X: x, Loss: rehline.Quantile(y, 0.5), C: 100, Intercept: rehline.FreeIntercept,
	})
	fmt.Printf("y = %.3f + %.3f x\n", sol.Intercept, sol.Beta[0])
	// Output: y = 1.000 + 2.000 x
}

// Support vector regression with a tolerance.
func ExampleEpsilonInsensitive() {
	sol := fit(rehline.Problem{
		X:    features(2, 1, 0, 0, 1),
		Loss: rehline.EpsilonInsensitive([]float64{3, 2}, 0.5),
		C:    10,
	})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [2.500 1.500]
}

func ExampleHuber() {
	sol := fit(rehline.Problem{X: features(1, 1, 1, 1), Loss: rehline.Huber([]float64{0, 0, 10}, 1)})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [0.333]
}

// FairSVM: the mean product of the centred attribute and the score is bounded.
func ExampleFairness() {
	x := features(2,
		1, 1,
		2, -1,
		-1, 1,
		-2, -1)
	attribute := []float64{1, 2, -1, -2} // column 0
	p := rehline.Problem{X: x, Loss: rehline.Hinge([]float64{1, 1, -1, -1}), C: 1}
	covariance := func(beta []float64) float64 {
		var sum float64
		for i := range x.Rows {
			sum += x.Data[2*i] * (x.Data[2*i]*beta[0] + x.Data[2*i+1]*beta[1])
		}
		return math.Abs(sum) / float64(x.Rows)
	}
	fmt.Printf("free: more than 0.5: %t\n", covariance(fit(p).Beta) > 0.5)
	p.Constraints = rehline.Fairness(x, nil, [][]float64{attribute}, 0.5)
	fmt.Printf("fair: %.3f\n", covariance(fit(p).Beta))
	// Output:
	// free: more than 0.5: true
	// fair: 0.500
}

// Isotonic regression of values that the ridge shrinks by a third.
func ExampleMonotone() {
	sol := fit(rehline.Problem{
		X:           features(3, 1, 0, 0, 0, 1, 0, 0, 0, 1),
		Loss:        rehline.Squared([]float64{1, 3, 2}),
		Constraints: rehline.Monotone(3, true),
	})
	fmt.Printf("%.3f\n", sol.Beta)
	// Output: [0.667 1.667 1.667]
}
