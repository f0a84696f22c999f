package docs

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// The body is the example of docs/library.md.
func Example() {
	ctx := context.Background()
	set, err := new(dataset.Library).Load(ctx, dataset.Source{Name: "diabetes"})
	if err != nil {
		log.Fatal(err)
	}
	parts, err := dataset.Prepare(ctx, set, dataset.Settings{
		Split:    dataset.Split{Train: 3, Test: 1},
		Features: dataset.Standard,
		Target:   dataset.MinMax,
	}, func(string) *rand.Rand { return rand.New(rand.NewPCG(40, 1)) })
	if err != nil {
		log.Fatal(err)
	}

	train := parts.Train
	x := blas64.General{Rows: train.N, Cols: train.D, Stride: train.D, Data: train.X}
	problem := gaga.Lasso(x, train.Y, train.Multiplicity, 0.006)
	problem.Regularizer, problem.Intercept = gaga.Linear{}, true
	path, err := gaga.Track(ctx, problem, gaga.Options{Age: gaga.Range{Min: 0.01, Max: 10}})
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(path.Status())
	for _, event := range path.Events()[:3] {
		fmt.Printf("age %.4f: %v, %s\n", event.Age, event.Kind, event.Detail)
	}
	theta, err := path.At(0.25) // at any age, not only at knots
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d events; bmi at age 0.25: %.4f\n", len(path.Events()), theta[2])
	// Output:
	// complete
	// age 0.0103: turning, sample 15: discarded to easy
	// age 0.0103: turning, sample 273: discarded to easy
	// age 0.0103: turning, sample 296: discarded to easy
	// 206 events; bmi at age 0.25: 0.0788
}
