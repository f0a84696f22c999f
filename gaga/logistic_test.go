package gaga_test

import (
	"fmt"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// Logistic regression goes through the same engine; its losses have curvature
// that changes with the predictor, and its penalty is smooth. From lower ages on
// alternation may discard one class for good, and the path says so.
func TestLogisticRegression(t *testing.T) {
	t.Parallel()
	for _, noise := range []float64{0, 0.3} {
		for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1}} {
			t.Run(fmt.Sprintf("noise %v, %s", noise, r.Name()), func(t *testing.T) {
				t.Parallel()
				stride := 3
				switch {
				case testing.Short():
					stride = 9
				case needs.Long():
					stride = 1
				}
				part := training(t, "breast_cancer", dataset.Classification, noise, stride)
				p := gaga.LogisticRegression(matrix(part), part.Y, part.Multiplicity, 1)
				p.Regularizer = r
				ages, step := gaga.Range{Min: 1, Max: 20}, 0.01
				if _, hard := r.(gaga.Hard); hard {
					step = 0.001
				}
				path := track(t, p, gaga.Options{Age: ages})
				checkKnots(t, path)
				turning, jumps := count(path)
				t.Logf("%d x %d: %d turning points, %d jumps, %d landings", part.N, part.D, turning, jumps, len(path.Restarts()))
				compare(t, p, gaga.Range{Min: 1, Max: 1.5}, step, true)
			})
		}
	}
}

// The exact path of logistic regression under the linear regularizer.
func BenchmarkLogistic(b *testing.B) {
	for _, c := range []struct {
		name  string
		noise float64
		ages  gaga.Range
	}{
		{"digits", 0, gaga.Range{Min: 1, Max: 20}},
		{"digits", 0, gaga.Range{Min: 0.1, Max: 20}},
		{"breast_cancer", 0, gaga.Range{Min: 0.1, Max: 20}},
		{"breast_cancer", 0.3, gaga.Range{Min: 1, Max: 20}},
	} {
		b.Run(fmt.Sprintf("%s/noise=%v/%v-%v", c.name, c.noise, c.ages.Min, c.ages.Max), func(b *testing.B) {
			b.Setenv("AGEPATH_VERIFY", "0")
			part := training(b, c.name, dataset.Classification, c.noise, 1)
			p := gaga.LogisticRegression(matrix(part), part.Y, part.Multiplicity, 1)
			p.Regularizer = gaga.Linear{}
			var path *gaga.Path
			for b.Loop() {
				path = track(b, p, gaga.Options{Age: c.ages})
			}
			turning, jumps := count(path)
			b.ReportMetric(float64(turning+jumps), "events")
			b.ReportMetric(float64(jumps), "jumps")
		})
	}
}
