package gaga_test

import (
	"context"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
)

// TestTinyFeatures follows a path whose features are so small that the length of an escape
// from a jump overflows: it must end.
func TestTinyFeatures(t *testing.T) {
	t.Parallel()
	x := []float64{
		1.0000000003602783e-161, 9.99999999070226e-162, 1.0000000013894147e-161, 9.999999996869316e-162, 1.0000000026915655e-161, 1.0000000001231194e-161,
		9.999999986803659e-162, 9.999999985547517e-162, 1.0000000007493025e-161, 1.0000000000145361e-161, 1.0000000013284156e-161, 1.000000000554078e-161,
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	ended := make(chan struct{})
	go func() { // ends with the path
		defer close(ended)
		for n := 2; n <= 6; n++ {
			p := gaga.SVM(blas64.General{Rows: n, Cols: 2, Stride: 2, Data: x}, []float64{1, -1, -1, -1, -1, 1}[:n], nil, 1, nil)
			p.Regularizer = gaga.Linear{}
			_, _ = gaga.Track(ctx, p, gaga.Options{Age: gaga.Range{Min: 0.1, Max: 5}})
		}
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("a path does not end, its context neither")
	}
}
