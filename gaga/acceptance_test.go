package gaga_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/agepath/agepath/gaga"
)

// Every pair of model and regularizer on real data: the path is complete, and
// the optimality condition, computed from the problem alone, holds at every
// knot and at 200 random ages. With AGEPATH_LONG=1 at full size, a table row a
// cell; -run TestAcceptance/svm/linear/digits/30 selects.
func TestAcceptance(t *testing.T) {
	t.Parallel()
	runCells(t, acceptanceCells(), measureResiduals)
}

// residualLimit is the largest relative residual allowed.
const residualLimit = 1e-9

// residualBudget is the number of multiplications that the knots of one cell may
// take: beyond it every k-th knot is looked at.
const residualBudget = 1e11

func measureResiduals(t *testing.T, ctx context.Context, c cell) {
	p := c.problem(t)
	begin := time.Now()
	path, err := gaga.Track(ctx, p, c.options())
	took := time.Since(begin)
	if path == nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Errorf("the tracker failed: %v", err)
	}
	if path.Status() != gaga.Complete {
		t.Errorf("status %v at age %v: %s", path.Status(), path.Range().Max, path.Reason())
	}
	o := newOptimality(p)
	knots := path.Knots()
	every := 1 + int(float64(len(knots))*o.cost()/residualBudget)
	var own, worst, worstAge, between, betweenAge float64
	checked, bad := 0, 0
	for i, k := range knots {
		own = math.Max(own, k.KKT)
		if i%every != 0 {
			continue
		}
		checked++
		off := o.violation(k.Theta, k.Age)
		if !(off <= worst) {
			worst, worstAge = off, k.Age
		}
		if !(off <= residualLimit) {
			if bad++; bad <= 3 {
				t.Errorf("knot %d, %v at age %v (%s): residual %.3g, the knot says %.3g", i, k.Kind, k.Age, k.Detail, off, k.KKT)
			}
		}
	}
	ages, failed := 0, 0
	random := rand.New(rand.NewPCG(4, 2))
	for range 200 {
		age := 0.1 * math.Pow(200, random.Float64())
		if age < path.Range().Min || age > path.Range().Max {
			continue
		}
		theta, err := path.At(age)
		if _, ok := errors.AsType[*gaga.GapError](err); ok {
			continue
		}
		ages++
		off := math.NaN()
		if err == nil {
			off = o.violation(theta, age)
		}
		if !(off <= between) {
			between, betweenAge = off, age
		}
		if !(off <= residualLimit) {
			if failed++; failed <= 3 {
				t.Errorf("age %v: residual %.3g, error %v", age, off, err)
			}
		}
	}
	turning, jumps := count(path)
	alternations, kinds := 0, map[string]int{}
	for _, r := range path.Restarts() {
		alternations += r.Iterations
	}
	for _, e := range path.Events() {
		if e.Kind == gaga.Jump {
			kinds[e.Cause.String()]++
		}
	}
	t.Logf("ROW1 %v | %dx%d | %v [%.4g, %.4g] | %d turning, %d jumps %v, %d gaps | %d landings, %d alternations | KKT own %.1e, knots %.1e at %.6g (%d of %d, %d bad), between %.1e at %.6g (%d, %d bad) | %.2f s",
		c, p.X.Rows, p.X.Cols, path.Status(), path.Range().Min, path.Range().Max, turning, jumps, kinds, len(path.Gaps()),
		len(path.Restarts()), alternations, own, worst, worstAge, checked, len(knots), bad, between, betweenAge, ages, failed, took.Seconds())
	if ages == 0 {
		t.Error("no age was looked at")
	}
	if !(own <= residualLimit) {
		t.Errorf("a knot says that its residual is %.3g", own)
	}
}
