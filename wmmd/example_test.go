package wmmd_test

import (
	"fmt"

	"github.com/agepath/agepath/wmmd"
)

// Four texts of three words: the first class uses the words 0 and 1, the second 2 and 3.
func Example() {
	embedding := wmmd.Embedding[float64]{Dim: 2, Data: []float64{
		0, 0,
		0.1, 0,
		1, 1,
		1, 0.9,
	}}
	sample := wmmd.Sample{
		Texts:  [][]int32{{0, 1, 0}, {1, 1, 0}, {2, 3, 3}, {3, 2, 2}},
		Labels: []int{0, 0, 1, 1},
	}
	e := wmmd.New[float64](wmmd.Options{})
	gradient := make([]float64, len(embedding.Data))
	value := e.AddGradient(gradient, 1, embedding, sample)
	fmt.Printf("wMMD² %.3f, σ² %.3f\n", value, e.Bandwidth(embedding, sample, 0, 1))
	fmt.Printf("moving word 2 along the first axis changes it by %.3f a unit\n", gradient[2*2])
	// Output:
	// wMMD² 0.816, σ² 1.715
	// moving word 2 along the first axis changes it by 0.318 a unit
}
