package audit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/convex"
)

type multipliers struct{}

func expand(p *model.Problem) []float64 {
	rows := make([]float64, p.N*p.P)
	points := convex.NewPoints(p.X)
	p.Kernel.Block(blas64.General{Rows: p.N, Cols: p.N, Stride: p.P, Data: rows}, points, points)
	for i := range p.N {
		row := rows[i*p.P : (i+1)*p.P]
		for j, y := range p.Y {
			row[j] *= y
		}
		row[p.N] = 1
	}
	return rows
}

func (multipliers) residual(e *evaluation) string {
	p := e.p
	var sum, size float64
	for i, alpha := range e.pt.Theta[:p.N] {
		sum += p.Y[i] * alpha
		size += math.Abs(alpha)
		s := &e.of[i]
		if s.zone == pinned {
			continue
		}
		top, rounding := e.bound*p.M[i], math.Abs(s.dloss)*p.Cost*s.terms
		if !(math.Abs(alpha-top*s.weight) <= tolerance.KKT*top*(1+rounding)) {
			return fmt.Sprintf("sample %d has the multiplier %v, its loss says %v", i, alpha, top*s.weight)
		}
	}
	if p.Intercept && !e.Frozen && !(math.Abs(sum) <= tolerance.KKT*(size+e.bound)) {
		return fmt.Sprintf("the multipliers with their signs sum to %.3g, their terms to %.3g", sum, size)
	}
	return ""
}

// jacobian has as many positive eigenvalues as samples are pinned.
func (multipliers) jacobian(e *evaluation) (j *mat.SymDense, positive int) {
	p := e.p
	for i := range e.of {
		if e.of[i].zone == pinned {
			positive++
		}
	}
	j = mat.NewSymDense(len(e.Active), nil)
	for r, a := range e.Active {
		if a == p.N {
			continue
		}
		for q, b := range e.Active {
			j.SetSym(r, q, p.Y[a]*e.row(a)[b])
		}
		if e.of[a].zone != pinned {
			bend := 1 / (e.bound * p.M[a] * p.Cost * math.Abs(e.flattest(a)))
			j.SetSym(r, r, j.At(r, r)-math.Min(bend, tolerance.AuditSteepest))
		}
	}
	return j, positive
}
