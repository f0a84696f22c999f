package known

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
)

// biased returns support vector machines with intercept: a sample of each label at
// the distance 1 in the kernel's space, and a third one with the first's label at
// the second's place, with multiplicity μ. Without it both are pinned at ±1 with
// α = 2. The third one's gap is then 2; from λ = 2C on it is easy, with
// α₃ = μC (1 - 2C/λ), and so α₂ = 2 + α₃, up to C. Behind that only the first one
// is pinned, α₁ = 1 - t where t is the predictor at the second's place, and
// α₂ - α₃ = α₁ gives
//
//	t (1 - (1 + μ) C²/λ) = 1 - (1 - μ) C + (1 - μ) C²/λ,
//
// stable where the factor of t is positive.
func biased() []Problem {
	const c, mu = 2.2, 0.2
	const freed = 2 * mu * c * c / (mu*c - c + 2)
	t := func(age float64) float64 {
		return (age*(1-(1-mu)*c) + (1-mu)*c*c) / (age - (1+mu)*c*c)
	}
	y, m := []float64{1, -1, 1}, []float64{1, 1, mu}
	// With w the weight, x = ±1/2: 1 - t = w, and b is what the first one lacks.
	linear := gaga.SVM(column(0.5, -0.5, -0.5), y, m, c, nil)
	linearTheta := func(w float64) []float64 { return []float64{w, 1 - w/2} }
	// The kernel is 1/2, so the squared distance is 2 - 2/2.
	rbf := gaga.SVM(column(0, 1, 1), y, m, c, gaga.RBF{Gamma: math.Ln2})
	rbfTheta := func(w, a3 float64) []float64 { return []float64{w, w + a3, a3, 1 - w/2} }
	var all []Problem
	for _, v := range []struct {
		name  string
		model *gaga.Problem
		theta func(w, a3 float64) []float64
	}{
		{"svm linear kernel", linear, func(w, _ float64) []float64 { return linearTheta(w) }},
		{"svm rbf kernel", rbf, rbfTheta},
	} {
		v.model.Regularizer = gaga.Linear{}
		all = append(all, Problem{
			Name: v.name + ", linear: intercept, outlier comes in, freed", Model: v.model,
			Age: gaga.Range{Min: 3, Max: 30}, Start: 3,
			Branches: []Branch{
				{3, "ZZD", func(float64) []float64 { return v.theta(2, 0) }},
				{2 * c, "ZZE", func(age float64) []float64 { return v.theta(2, mu*c*(1-2*c/age)) }},
				{freed, "ZEE", func(age float64) []float64 {
					w := 1 - t(age)
					return v.theta(w, mu*c*(1-c*w/age))
				}},
			},
			Events: []Event{down(2*c, 2), up(freed, 1)},
		})
	}
	return all
}

// planes returns problems of two features or of a slope and an intercept.
func planes() []Problem { return []Problem{orthogonal(), mirrored(), mirroredLogistic()} }

// orthogonal is a Lasso whose two features have a sample each. With the residuals
// s₁ = 1 - w₁ and s₂ = 2 - 2 w₂ the conditions are s₁ - s₁³/λ = 0.8 and
// s₂ - s₂³/λ = 0.4; the first coordinate is active from 1 - 1/λ = 0.8 on.
func orthogonal() Problem {
	model := &gaga.Problem{
		X: blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 2}}, Y: []float64{1, 2},
		Loss: gaga.Squared{}, Penalty: gaga.Penalty{L1: 1.6}, Regularizer: gaga.Linear{},
	}
	second := func(age float64) float64 { return 1 - smallCubic(0.4, age)/2 }
	return Problem{
		Name: "lasso linear: two features", Model: model, Age: gaga.Range{Min: 1.6, Max: 20}, Start: 1.6,
		Branches: []Branch{
			{1.6, "EE", func(age float64) []float64 { return []float64{0, second(age), 0} }},
			{5, "EE", func(age float64) []float64 { return []float64{1 - smallCubic(0.8, age), second(age), 0} }},
		},
		Events: []Event{{5, gaga.Turning, gaga.Activated, 0}},
	}
}

// mirrored is the Lasso's single sample and its mirror image: by symmetry the
// intercept is 0, which is stable where s² < λ/3.
func mirrored() Problem {
	model := &gaga.Problem{
		X: column(1, -1), Y: []float64{1, -1}, Intercept: true,
		Loss: gaga.Squared{}, Penalty: gaga.Penalty{L1: 1}, Regularizer: gaga.Linear{},
	}
	return Problem{
		Name: "lasso linear: intercept", Model: model, Age: gaga.Range{Min: 0.5, Max: 20}, Start: 0.5,
		Branches: []Branch{{0.5, "EE", slope(func(age float64) float64 { return 1 - smallCubic(0.25, age) })}},
	}
}

// mirroredLogistic is the same for the logistic loss, C = 1, κ = 2 as in
// [logistic]. The intercept is stable where λ > l + C p/(1 - p), which is below
// C ln 2 + C.
func mirroredLogistic() Problem {
	model := gaga.LogisticRegression(column(1, -1), []float64{1, -1}, nil, 1)
	model.Regularizer = gaga.Linear{}
	full := fullMargin(2)
	return Problem{
		Name: "logistic linear: intercept", Model: model, Age: gaga.Range{Min: 2, Max: 20}, Start: 2,
		Branches: []Branch{{2, "EE", slope(func(age float64) float64 {
			return root(func(u float64) float64 { return u - 2*(1-softplus(-u)/age)*sigmoid(-u) }, 0, full)
		})}},
	}
}
