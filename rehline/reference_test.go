package rehline_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/rehline"
)

// reference returns the optimal objective of p by a dense primal-dual
// interior-point method on the quadratic program with a slack variable per
// term:
//
//	min ½xᵀQx + c·x  subject to  Gx >= h, Ex = f
//
// It shares nothing with the solver: neither the dual nor the smoothing.
func reference(t *testing.T, p rehline.Problem) float64 {
	t.Helper()
	q := newProgram(p)
	value, ok := q.solve()
	if !ok {
		t.Fatal("the reference method failed")
	}
	return value
}

type program struct {
	size     int
	q        []float64 // diagonal of Q
	c        []float64
	g, e     [][]float64
	h, f     []float64
	constant float64
}

// variable adds a variable and returns its index; rows grow later.
func (p *program) variable(quadratic, linear float64) int {
	p.q = append(p.q, quadratic)
	p.c = append(p.c, linear)
	p.size++
	return p.size - 1
}

// atLeast adds Σ coefficients x >= bound.
func (p *program) atLeast(row map[int]float64, bound float64) {
	r := make([]float64, p.size)
	for j, v := range row {
		r[j] = v
	}
	p.g = append(p.g, r)
	p.h = append(p.h, bound)
}

func or1(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
}

func newProgram(p rehline.Problem) *program {
	q := &program{}
	n, d := p.X.Rows, p.X.Cols
	ridge := or1(p.Ridge)
	if p.NoRidge {
		ridge = 0
	}
	for range d {
		q.variable(ridge, 0)
	}
	intercept := -1
	if p.Intercept == rehline.FreeIntercept {
		intercept = q.variable(0, 0)
	}
	score := func(i int, u float64) map[int]float64 {
		r := map[int]float64{}
		for j := range d {
			r[j] = u * p.X.Data[i*p.X.Stride+j]
		}
		if intercept >= 0 {
			r[intercept] = u
		}
		return r
	}
	l := p.Loss
	for i := range n {
		w := or1(p.C)
		if p.Weights != nil {
			w *= p.Weights[i]
		}
		if w == 0 {
			continue
		}
		if l.Offset != nil {
			q.constant += w * l.Offset[i]
		}
		for k := range l.U.Rows {
			s := q.variable(0, w)
			row := score(i, -l.U.Data[k*l.U.Stride+i])
			row[s] = 1
			q.atLeast(row, l.V.Data[k*l.V.Stride+i])
			q.atLeast(map[int]float64{s: 1}, 0)
		}
		for k := range l.S.Rows {
			if l.Tau.Data[k*l.Tau.Stride+i] == 0 {
				continue // the term is zero
			}
			// ReHU_τ(x) = min of ½r² + τs over r + s >= x, r >= 0, s >= 0
			row := score(i, -l.S.Data[k*l.S.Stride+i])
			r := q.variable(w, 0)
			row[r] = 1
			q.atLeast(map[int]float64{r: 1}, 0)
			if tau := l.Tau.Data[k*l.Tau.Stride+i]; !math.IsInf(tau, 1) {
				s := q.variable(0, w*tau)
				row[s] = 1
				q.atLeast(map[int]float64{s: 1}, 0)
			}
			q.atLeast(row, l.T.Data[k*l.T.Stride+i])
		}
	}
	for j, v := range p.L1 {
		if v > 0 {
			s := q.variable(0, v)
			q.atLeast(map[int]float64{s: 1, j: 1}, 0)
			q.atLeast(map[int]float64{s: 1, j: -1}, 0)
		}
	}
	a := p.Constraints
	for k := range a.A.Rows {
		row := map[int]float64{}
		for j := range d {
			row[j] = a.A.Data[k*a.A.Stride+j]
		}
		if a.Equality != nil && a.Equality[k] {
			r := make([]float64, q.size)
			for j, v := range row {
				r[j] = v
			}
			q.e = append(q.e, r)
			q.f = append(q.f, -a.B[k])
			continue
		}
		q.atLeast(row, -a.B[k])
	}
	return q
}

// dot allows for rows that were made when there were fewer variables.
func dot(row, x []float64) float64 {
	var s float64
	for j, v := range row {
		s += v * x[j]
	}
	return s
}

func (p *program) solve() (float64, bool) {
	n, m, k := p.size, len(p.g), len(p.e)
	x, y := make([]float64, n), make([]float64, k)
	s, z := make([]float64, m), make([]float64, m)
	for i := range s {
		s[i], z[i] = 1, 1
	}
	value := func() float64 {
		t := p.constant
		for j, v := range x {
			t += v * (p.q[j]*v/2 + p.c[j])
		}
		return t
	}
	var mu, worst float64
	for range 200 {
		mu, worst = 0, 0
		rd, re, rg := make([]float64, n), make([]float64, k), make([]float64, m)
		for j := range x {
			rd[j] = p.q[j]*x[j] + p.c[j]
		}
		for i, row := range p.g {
			for j, v := range row {
				rd[j] -= v * z[i]
			}
			rg[i] = dot(row, x) - p.h[i] - s[i]
			mu += s[i] * z[i] / float64(m)
			worst = max(worst, math.Abs(rg[i]))
		}
		for i, row := range p.e {
			for j, v := range row {
				rd[j] -= v * y[i]
			}
			re[i] = dot(row, x) - p.f[i]
			worst = max(worst, math.Abs(re[i]))
		}
		for _, v := range rd {
			worst = max(worst, math.Abs(v))
		}
		if mu*float64(m) < 1e-10*(1+math.Abs(value())) && worst < 1e-9 {
			return value(), true
		}
		kkt := mat.NewDense(n+k, n+k, nil)
		for j := range n {
			kkt.Set(j, j, p.q[j])
		}
		rhs := mat.NewVecDense(n+k, nil)
		for j := range n {
			rhs.SetVec(j, -rd[j])
		}
		target := 0.1 * mu
		for i, row := range p.g {
			w := z[i] / s[i]
			r := (target-z[i]*s[i])/s[i] - w*rg[i]
			for a, u := range row {
				if u == 0 {
					continue
				}
				rhs.SetVec(a, rhs.AtVec(a)+u*r)
				for b, v := range row {
					kkt.Set(a, b, kkt.At(a, b)+w*u*v)
				}
			}
		}
		for i, row := range p.e {
			for j, v := range row {
				kkt.Set(n+i, j, v)
				kkt.Set(j, n+i, v)
			}
			kkt.Set(n+i, n+i, -1e-10) // rows may be redundant
			rhs.SetVec(n+i, -re[i])
		}
		step := mat.NewVecDense(n+k, nil)
		if err := step.SolveVec(kkt, rhs); err != nil {
			if _, poor := errors.AsType[mat.Condition](err); !poor {
				return 0, false
			}
		}
		dx := step.RawVector().Data[:n]
		ds, dz, length := make([]float64, m), make([]float64, m), 1.0
		for i, row := range p.g {
			ds[i] = dot(row, dx) + rg[i]
			dz[i] = (target - z[i]*s[i] - z[i]*ds[i]) / s[i]
			if ds[i] < 0 {
				length = min(length, -0.99*s[i]/ds[i])
			}
			if dz[i] < 0 {
				length = min(length, -0.99*z[i]/dz[i])
			}
		}
		for j := range x {
			x[j] += length * dx[j]
		}
		for i := range y {
			y[i] -= length * step.AtVec(n+i)
		}
		for i := range s {
			s[i] = max(s[i]+length*ds[i], 1e-14)
			z[i] = max(z[i]+length*dz[i], 1e-14)
		}
	}
	return 0, false
}
