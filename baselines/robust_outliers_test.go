package baselines_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// risk is the error of a fit on clean rows: the root mean squared error, or the
// share of wrong labels.
func risk(t *testing.T, p *gaga.Problem, theta []float64, clean *sample, labels bool) float64 {
	t.Helper()
	sum := 0.0
	for i, u := range predictions(t, p, theta, clean.x) {
		switch {
		case !labels:
			sum += (u - clean.y[i]) * (u - clean.y[i])
		case (u >= 0) != (clean.y[i] > 0):
			sum++
		}
	}
	if sum /= float64(len(clean.y)); labels {
		return sum
	}
	return math.Sqrt(sum)
}

// TestRobustBeatsPlain wants the robust machines at their defaults to be better
// on clean rows than the plain ones and, for linear regression, than the Lasso,
// where 30 % of the training rows are outliers or have the wrong label. Random
// flips leave the plain linear machines unbiased; what they gain there, and
// which flips harm them, differs from machine to machine.
func TestRobustBeatsPlain(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	const seeds, need, outliers, c = 10, 8, 0.3, 10
	for _, test := range []struct {
		name   string
		draw   func(random *rand.Rand, n int, share float64) *sample
		kernel gaga.Kernel
		labels bool
		better []string
	}{
		{"plane", func(r *rand.Rand, n int, share float64) *sample { return plane(r, n, 5, false, share) }, nil, false, []string{"rlssvm", "relssvm", "rlssvm against the Lasso", "relssvm against the Lasso"}},
		{"wave", func(r *rand.Rand, n int, share float64) *sample { return wave(r, n, false, share) }, gaga.RBF{Gamma: 3}, false, []string{"rlssvm", "relssvm"}},
		{"labels of a wave", func(r *rand.Rand, n int, share float64) *sample { return wave(r, n, true, share) }, gaga.RBF{Gamma: 3}, true, []string{"rlssvm", "relssvm", "robust-svm"}},
		{"clusters", func(r *rand.Rand, n int, share float64) *sample { return clusters(r, n, 5, share) }, nil, true, []string{"rlssvm", "relssvm"}},
		{"adversarial labels", func(r *rand.Rand, n int, share float64) *sample { return adversarial(r, n, 5, share) }, nil, true, []string{"robust-svm"}},
	} {
		wins := map[string]int{}
		for seed := range uint64(seeds) {
			random := rand.New(rand.NewPCG(seed, 17))
			train, clean := test.draw(random, 200, outliers), test.draw(random, 1000, 0)
			beat := func(name string, robust, plain float64) {
				if robust < plain {
					wins[name]++
				}
			}
			trimmed, truncated, ordinary := leastSquaresRisks(t, baselines.LSSVM(train.x, train.y, nil, c, test.kernel), clean, test.labels)
			beat("rlssvm", trimmed, ordinary)
			beat("relssvm", truncated, ordinary)
			if test.labels {
				noisy, other := marginRisks(t, gaga.SVM(train.x, train.y, nil, c, test.kernel), outliers, clean)
				beat("robust-svm", noisy, other)
			}
			if test.name == "plane" {
				lasso := gaga.Lasso(train.x, train.y, nil, 0.01)
				lasso.Intercept = true
				other := originalRisk(t, lasso, clean, test.labels)
				beat("rlssvm against the Lasso", trimmed, other)
				beat("relssvm against the Lasso", truncated, other)
			}
		}
		t.Logf("%s: better in %v of %d", test.name, wins, seeds)
		for _, name := range test.better {
			if wins[name] < need {
				t.Errorf("%s: %s is better in %d of %d only", test.name, name, wins[name], seeds)
			}
		}
	}
}

func leastSquaresRisks(t *testing.T, p *gaga.Problem, clean *sample, labels bool) (trimmed, truncated, ordinary float64) {
	t.Helper()
	one, err := baselines.RLSSVM(t.Context(), p, baselines.TrimOptions{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := baselines.ReLSSVM(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	return risk(t, p, one.Theta, clean, labels), risk(t, p, two.Theta, clean, labels), risk(t, p, plain(t, p).Theta, clean, labels)
}

func marginRisks(t *testing.T, p *gaga.Problem, flip float64, clean *sample) (corrected, ordinary float64) {
	t.Helper()
	fit, err := baselines.RobustSVM(t.Context(), p, flip)
	if err != nil {
		t.Fatal(err)
	}
	return risk(t, p, fit.Theta, clean, true), originalRisk(t, p, clean, true)
}

func originalRisk(t *testing.T, p *gaga.Problem, clean *sample, labels bool) float64 {
	t.Helper()
	theta, _, err := baselines.Original(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return risk(t, p, theta, clean, labels)
}
