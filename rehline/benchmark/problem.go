package benchmark

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/rehline"
)

// problem is
//
//	min over β of  c Σ_i ℓ(w_i) + ½‖β‖² + κ ‖β‖₁   subject to  |f·β| <= t
//
// with w_i = 1 - y_i x_i·β for classes and y_i - x_i·β for targets.
type problem struct {
	task *taskInfo
	of   Task
	loss loss
	x    blas64.General // n × d, may end with a column of ones
	y    []float64
	c    float64
	l1   float64   // κ
	fair []float64 // f, nil if unconstrained
	tol  float64   // t
}

// newProblem standardizes features, and targets of a regression, in place to mean 0 and standard
// deviation 1.
func newProblem(of Task, c float64, d *dataset.Dataset) (*problem, error) {
	info := gridfile.Lookup(taskTable, of.Name)
	if d.Task != info.of {
		return nil, fmt.Errorf("%s is a task of %s; %s is a data set of %s", of.Name, info.of, d.Name, d.Task)
	}
	if err := dataset.Standard.Apply(d.X, d.D); err != nil {
		return nil, err
	}
	if d.Task == dataset.Regression {
		if err := dataset.Standard.Apply(d.Y, 1); err != nil {
			return nil, err
		}
	}
	p := &problem{task: info, of: of, loss: info.loss(&of.Settings), y: d.Y, c: c}
	p.x = blas64.General{Rows: d.N, Cols: d.D, Stride: d.D, Data: d.X}
	if of.appended() > 0 {
		p.x = withOnes(p.x)
	}
	if info.has(l1) {
		p.l1 = of.Settings.Number(l1)
	}
	if info.has(tolerance) {
		p.fair, p.tol = covariance(p.x, p.y), of.Settings.Number(tolerance)
	}
	return p, nil
}

func withOnes(x blas64.General) blas64.General {
	wide := blas64.General{Rows: x.Rows, Cols: x.Cols + 1, Stride: x.Cols + 1, Data: make([]float64, 0, x.Rows*(x.Cols+1))}
	for i := range x.Rows {
		wide.Data = append(append(wide.Data, x.Data[i*x.Stride:][:x.Cols]...), 1)
	}
	return wide
}

// covariance returns Xᵀz/n for the standardized feature z with the highest correlation with y.
func covariance(x blas64.General, y []float64) []float64 {
	n, d := x.Rows, x.Cols
	with := func(value func(i int) float64) []float64 {
		sums := make([]float64, d)
		for i := range n {
			for j, v := range x.Data[i*x.Stride:][:d] {
				sums[j] += v * value(i) / float64(n)
			}
		}
		return sums
	}
	best, most := 0, 0.0
	for j, v := range with(func(i int) float64 { return y[i] }) {
		if math.Abs(v) > most {
			best, most = j, math.Abs(v)
		}
	}
	return with(func(i int) float64 { return x.Data[i*x.Stride+best] })
}

func (p *problem) rehline() rehline.Problem {
	r := rehline.Problem{X: p.x, Loss: p.task.rehline(p.y, &p.of.Settings), C: p.c}
	if p.l1 > 0 {
		r.L1 = slices.Repeat([]float64{p.l1}, p.x.Cols)
	}
	if p.fair != nil {
		rows := slices.Clone(p.fair)
		for _, v := range p.fair {
			rows = append(rows, -v)
		}
		r.Constraints = rehline.Constraints{
			A: blas64.General{Rows: 2, Cols: p.x.Cols, Stride: p.x.Cols, Data: rows}, B: []float64{p.tol, p.tol},
		}
	}
	return r
}

// sign returns σ_i, and base o_i, in w_i = o_i - σ_i x_i·β.
func (p *problem) sign(i int) float64 {
	if p.task.of == dataset.Classification {
		return p.y[i]
	}
	return 1
}

func (p *problem) base(i int) float64 {
	if p.task.of == dataset.Classification {
		return 1
	}
	return p.y[i]
}

// Generated describes random data: features with correlation 0.6 with the one before, a linear
// model and its noise, normal for classes, Student's t with 3 degrees of freedom for targets.
type Generated struct {
	Rows     int   `json:"rows"`
	Features int   `json:"features"`
	Seed     int64 `json:"seed"`
}

func (g Generated) name() string {
	name := fmt.Sprintf("generated-%dx%d", g.Rows, g.Features)
	if g.Seed != standardSeed {
		name += fmt.Sprintf("-seed-%d", g.Seed)
	}
	return name
}

func (g Generated) draw(task dataset.Task) *dataset.Dataset {
	r := experiment.Stream(g.Seed, "generated")
	n, d := g.Rows, g.Features
	set := &dataset.Dataset{Name: g.name(), Task: task, N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n)}
	model := make([]float64, d)
	for j := range model {
		model[j] = r.NormFloat64() / math.Sqrt(float64(d))
	}
	size := 0.0 // mean square of the scores
	for i := range n {
		row := set.X[i*d:][:d]
		for j := range row {
			row[j] = r.NormFloat64()
			if j > 0 {
				row[j] = 0.6*row[j-1] + 0.8*row[j]
			}
			set.Y[i] += row[j] * model[j]
		}
		size += set.Y[i] * set.Y[i] / float64(n)
	}
	for i, score := range set.Y {
		if task == dataset.Classification {
			set.Y[i] = math.Copysign(1, score+0.5*math.Sqrt(size)*r.NormFloat64())
		} else {
			set.Y[i] = score + 0.5*student3(r)
		}
	}
	return set
}

func student3(r *rand.Rand) float64 {
	square := 0.0
	for range 3 {
		x := r.NormFloat64()
		square += x * x
	}
	return r.NormFloat64() / math.Sqrt(square/3)
}

// feasible is the violation up to which a point counts.
const feasible = 1e-6

// bound is a lower bound on the optimum, with the sum of the constraint's multipliers.
type bound struct {
	value float64
	xi    float64
	gap   float64 // relative, of the solution that gives the bound
}

// certificateTol is the relative gap of the solution that gives the bound.
const certificateTol = 1e-12

// certify returns a lower bound: the dual objective at the solver's dual point, made feasible,
// whatever the solver's accuracy.
func (p *problem) certify(ctx context.Context) (bound, error) {
	solution, err := rehline.Solve(ctx, p.rehline(), rehline.Options{Tol: certificateTol})
	if err != nil {
		return bound{}, err
	}
	loss := p.task.rehline(p.y, &p.of.Settings)
	dual := make([]float64, len(p.y))
	for i := range dual {
		var slope float64 // of c ℓ with respect to the score
		for l := range loss.U.Rows {
			slope += loss.U.Data[l*loss.U.Stride+i] * solution.Dual.Lambda.Data[l*solution.Dual.Lambda.Stride+i]
		}
		for h := range loss.S.Rows {
			slope += loss.S.Data[h*loss.S.Stride+i] * solution.Dual.Gamma.Data[h*solution.Dual.Gamma.Stride+i]
		}
		dual[i] = -p.sign(i) * slope / p.c
	}
	var xi [2]float64
	copy(xi[:], solution.Dual.Xi)
	b := bound{value: p.dual(dual, xi), xi: xi[0] + xi[1]}
	b.gap = p.gap(p.primal(solution.Beta), p.violation(solution.Beta), b)
	return b, nil
}

// dual returns the dual objective
//
//	c Σ_i (u_i o_i - ℓ*(u_i)) - t (ξ_1 + ξ_2) - ½ Σ_j max(0, |v_j| - κ)²,
//	v = c Σ_i u_i σ_i x_i + (ξ_1 - ξ_2) f
//
// at the point projected onto its bounds, by compensated summation: a lower bound on the optimum.
func (p *problem) dual(u []float64, xi [2]float64) float64 {
	var value sum
	v := make([]sum, p.x.Cols)
	for i, ui := range u {
		ui = min(max(ui, p.loss.low), p.loss.high)
		value.addProduct(p.c*ui, p.base(i))
		value.add(-p.c * p.loss.conjugate(ui))
		if ui == 0 {
			continue
		}
		factor := p.c * ui * p.sign(i)
		for j, x := range p.x.Data[i*p.x.Stride:][:p.x.Cols] {
			v[j].addProduct(factor, x)
		}
	}
	xi[0], xi[1] = max(xi[0], 0), max(xi[1], 0)
	value.addProduct(-p.tol, xi[0]+xi[1])
	for j := range v {
		if p.fair != nil {
			v[j].addProduct(xi[0]-xi[1], p.fair[j])
		}
		over := max(math.Abs(v[j].value())-p.l1, 0)
		value.addProduct(-over/2, over)
	}
	return value.value()
}

// primal returns the objective, by compensated summation.
func (p *problem) primal(beta []float64) float64 {
	var value sum
	for i := range p.y {
		w := sum{high: p.base(i)}
		sign := p.sign(i)
		for j, x := range p.x.Data[i*p.x.Stride:][:p.x.Cols] {
			w.addProduct(-sign*x, beta[j])
		}
		value.addProduct(p.c, p.loss.value(w.value()))
	}
	for _, b := range beta {
		value.addProduct(b/2, b)
		value.addProduct(p.l1, math.Abs(b))
	}
	return value.value()
}

func (p *problem) violation(beta []float64) float64 {
	if p.fair == nil {
		return 0
	}
	var score sum
	for j, f := range p.fair {
		score.addProduct(f, beta[j])
	}
	return max(math.Abs(score.value())-p.tol, 0)
}

// gap adds what the violation can have gained.
func (p *problem) gap(objective, violation float64, b bound) float64 {
	return max(objective-b.value+2*b.xi*violation, 0) / max(math.Abs(objective), math.Abs(b.value), math.SmallestNonzeroFloat64)
}

// sum has about twice float64's precision (Ogita, Rump and Oishi, Accurate sum and dot product,
// SIAM J. Sci. Comput. 26, 2005).
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	t := s.high + x
	z := t - s.high
	s.low += (s.high - (t - z)) + (x - z)
	s.high = t
}

func (s *sum) addProduct(x, y float64) {
	product := x * y
	s.low += math.FMA(x, y, -product)
	s.add(product)
}

func (s *sum) value() float64 { return s.high + s.low }
