package model_test

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/rehline"
	"github.com/agepath/agepath/rehline/model"
)

// A path over C: the coefficients grow from nothing to the fit without a
// penalty, y = 2 x.
func ExamplePath() {
	p := rehline.Problem{X: features(1, 1, 2, 3), Loss: rehline.Squared([]float64{2, 4, 6})}
	points, err := model.Path(context.Background(), p, model.Costs(0.001, 10, 3), false, rehline.Options{Tol: 1e-10})
	if err != nil {
		panic(err)
	}
	for _, point := range points {
		fmt.Printf("C = %-5g β = %.3f\n", point.C, point.Solution.Beta)
	}
	// Output:
	// C = 0.001 β = [0.054]
	// C = 0.1   β = [1.474]
	// C = 10    β = [1.993]
}

// The path of a Solver, which stops where the caller has seen enough.
func ExampleAlong() {
	p := rehline.Problem{X: features(1, 1, 2, 3), Loss: rehline.Squared([]float64{2, 4, 6})}
	s, err := rehline.New(p)
	if err != nil {
		panic(err)
	}
	for point, err := range model.Along(context.Background(), s, model.Costs(0.001, 1000, 7), rehline.Options{}) {
		if err != nil {
			panic(err)
		}
		if point.Solution.Beta[0] > 1.9 {
			fmt.Println("C =", point.C)
			break
		}
	}
	// Output: C = 1
}

// The choice of C by five folds.
func ExampleCrossValidate() {
	x := features(2,
		1, 3, 2, -1, 3, 2, 4, -3, 5, 1,
		6, -2, 7, 2, 8, -1, 9, -2, 10, 1)
	y := []float64{1.4, 1.8, 3.3, 3.9, 4.6, 6.2, 7.3, 7.8, 8.9, 10.2}
	chosen, err := model.CrossValidate(context.Background(),
		rehline.Problem{X: x, Loss: rehline.Huber(y, 1.0)},
		model.CrossValidation{Costs: []float64{0.01, 0.1, 1, 10}})
	if err != nil {
		panic(err)
	}
	for k, c := range chosen.Costs {
		fmt.Printf("C = %-4g risk %.3f ± %.3f\n", c, chosen.Mean[k], chosen.StdError[k])
	}
	fmt.Println("best", chosen.BestC(), "one standard error", chosen.OneStdErrorC())
	// Output:
	// C = 0.01 risk 2.742 ± 0.752
	// C = 0.1  risk 0.066 ± 0.027
	// C = 1    risk 0.033 ± 0.013
	// C = 10   risk 0.033 ± 0.013
	// best 10 one standard error 1
}

// Three classes, each against the rest.
func ExampleFitMulticlass() {
	x := features(2, 0, 3, 1, 4, 3, 0, 4, -1, -3, -3, -4, -2)
	labels := []string{"north", "north", "east", "east", "south-west", "south-west"}
	m, err := model.FitMulticlass(context.Background(), rehline.Problem{X: x, Intercept: rehline.FreeIntercept},
		labels, rehline.SquaredHinge, model.MulticlassOptions{})
	if err != nil {
		panic(err)
	}
	predicted, err := m.Predict(features(2, 0, 9, 9, 0, -1, -1))
	if err != nil {
		panic(err)
	}
	fmt.Println(predicted)
	// Output: [north east south-west]
}

// A matrix of rank one with an entry that is missing and one that is wrong, by
// the absolute loss.
func ExampleFactorize() {
	var known []model.Observation
	for u := range 5 {
		for i := range 5 {
			if u != 4 || i != 4 {
				known = append(known, model.Observation{User: u, Item: i, Value: float64((u + 1) * (i + 1))})
			}
		}
	}
	known[7].Value += 100
	p := model.Factorization{Users: 5, Items: 5, Observations: known, Rank: 1, Unbiased: true, C: 1000, Loss: rehline.Absolute}
	f, err := model.Factorize(context.Background(), p, model.FactorizationOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("the missing entry is %.1f, the wrong one %.1f\n", f.At(4, 4), f.At(known[7].User, known[7].Item))
	// Output: the missing entry is 25.0, the wrong one 6.0
}
