package baselines_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// BenchmarkRobust has the sizes of the training parts of music and ailerons, and
// kernels for the former and twice as many rows.
func BenchmarkRobust(b *testing.B) {
	for _, size := range []struct {
		n, d   int
		kernel gaga.Kernel
	}{{794, 116, nil}, {10312, 40, nil}, {794, 116, gaga.RBF{Gamma: 0.01}}, {1588, 116, gaga.RBF{Gamma: 0.01}}} {
		name := fmt.Sprintf("kernel=%v/n=%d", size.kernel, size.n)
		random := rand.New(rand.NewPCG(1, 1))
		s, labelled := plane(random, size.n, size.d, false, 0.3), plane(random, size.n, size.d, true, 0.3)
		p := baselines.LSSVM(s.x, s.y, nil, 1, size.kernel)
		b.Run("rlssvm/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := baselines.RLSSVM(b.Context(), p, baselines.TrimOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("relssvm/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := baselines.ReLSSVM(b.Context(), p, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("robust-svm/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := baselines.RobustSVM(b.Context(), gaga.SVM(labelled.x, labelled.y, nil, 1, size.kernel), 0.3); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
