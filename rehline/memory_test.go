package rehline_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/agepath/agepath/rehline"
)

// TestMemory measures what a Solver allocates with the first solution: beyond
// the features, the loss and what their dimension needs at most 100 bytes a
// sample and term.
func TestMemory(t *testing.T) {
	const n, d = 100_000, 4
	x, class, y := data(12, n, d)
	for _, c := range []struct {
		name  string
		loss  rehline.Loss
		terms int
	}{
		{"hinge", rehline.Hinge(class), 1},
		{"smoothed hinge", rehline.SmoothedHinge(class), 1},
		{"median", rehline.Quantile(y, 0.5), 2},
		{"tube", rehline.EpsilonInsensitive(y, 0.1), 2},
		{"huber", rehline.Huber(y, 1.0), 2},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s, err := rehline.New(rehline.Problem{X: x, Loss: c.loss, C: 10.0 / n})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Solve(context.Background(), rehline.Options{}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		each := float64(after.TotalAlloc-before.TotalAlloc) / n / float64(c.terms)
		if each > 100 {
			t.Errorf("%s: %.1f bytes a sample and term", c.name, each)
		}
	}
}
