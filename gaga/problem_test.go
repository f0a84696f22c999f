package gaga_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/convex"
)

// A linear kernel is stated by none: solutions are coefficients then, not multipliers.
func TestLinearKernelIsRefused(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{0, 1}}
	p := gaga.SVM(x, []float64{-1, 1}, nil, 1, convex.Linear{})
	p.Regularizer = gaga.Linear{}
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "leave it nil") {
		t.Errorf("a linear kernel: %v", err)
	}
	if p.Kernel = nil; p.Check() != nil {
		t.Errorf("none: %v", p.Check())
	}
}
