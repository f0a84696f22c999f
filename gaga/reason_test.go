package gaga

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
)

// Texts of a path down have its ages, which the engine knows as reciprocals.
func TestReasonsHaveAgesOfThePath(t *testing.T) {
	t.Parallel()
	p := Ridge(blas64.General{Rows: 3, Cols: 1, Stride: 1, Data: []float64{1, 2, 4}}, []float64{1, 2, 5}, nil, 0.1)
	p.Regularizer = Linear{}
	track, err := newTracker(t.Context(), p, Options{Age: Range{0.5, 8}, Direction: Down})
	if err != nil {
		t.Fatal(err)
	}
	if got := track.startAt(track.first); got != "start at age 8" {
		t.Errorf("%q, want the age 8", got)
	}
	point := model.NewPoint(track.path.problem)
	for range 5 {
		point.Age = 4
		_, err = track.lander.Leave(context.Background(), point, model.Crossing{Cause: model.Stall, Index: -1}, "no progress")
	}
	if err == nil || !strings.Contains(err.Error(), "at age 2 the path stalls") {
		t.Errorf("%v, want the age 2", err)
	}
}
