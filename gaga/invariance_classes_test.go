package gaga

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// The path of a support vector machine or of logistic regression must not depend
// on the order of samples and features, on what is called the positive class and,
// with an intercept, on how far from 0 the features are, and only in its ages on a common factor of C and the regularizer's scale.
func TestInvarianceClasses(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	for _, model := range []struct {
		name     string
		draw     func(*rand.Rand) *Problem
		problems int
	}{{"linear", distinctLinearSVM, 120}, {"rbf", distinctKernelSVM, 60}, {"logistic", randomLogistic, 20}} {
		for _, name := range []string{"samples permuted", "features permuted", "feature signs", "labels flipped", "losses scaled", "multiplicities", "shifted"} {
			t.Run(model.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				checkInvariance(t, name, model.draw, model.problems)
			})
		}
	}
}

// checkInvariance compares the paths of random problems with those of their
// other forms, at 21 ages and in the number of their critical points.
func checkInvariance(t *testing.T, name string, draw func(*rand.Rand) *Problem, problems int) {
	t.Helper()
	ages := Range{0.05, 20}
	compared, events := 0, 0
	for seed := range problems {
		rng := rand.New(rand.NewPCG(uint64(seed), 19))
		p := draw(rng)
		q, back, scale := transformClasses(name, p, rng)
		a := mustTrack(t, p, ages)
		b := mustTrack(t, q, Range{ages.Min * scale, ages.Max * scale})
		if a == nil || b == nil {
			continue
		}
		compared++
		events += len(a.Events())
		if here, there := a.eventAges(), b.eventAges(); here != there && name != "multiplicities" {
			t.Errorf("seed %d: events at %d ages, and at %d; %s", seed, here, there, describeProblem(p))
			continue
		}
		if name == "shifted" {
			compareEvents(t, seed, a, b)
		}
		for x := 0.0; x <= 1; x += 0.05 {
			age := ages.Min * math.Pow(ages.Max/ages.Min, x)
			if age < a.Range().Min*(1+1e-5) || age > ages.Max || a.nearGap(age) {
				continue
			}
			off := far(mustAt(t, a, age), back(mustAt(t, b, math.Min(age*scale, ages.Max*scale))))
			if off > 1e-6 {
				t.Errorf("seed %d, age %v: %.2g apart; %s", seed, age, off, describeProblem(p))
				break
			}
		}
	}
	t.Logf("%d pairs compared, %d events", compared, events)
	if compared < problems*5/6 {
		t.Errorf("only %d of %d pairs were compared", compared, problems)
	}
}

// nearGap reports whether the age is within a gap of the path, or up to rounding
// at its end.
func (p *Path) nearGap(age float64) bool {
	return slices.ContainsFunc(p.Gaps(), func(g Gap) bool { return age >= g.From*(1-1e-9) && age <= g.To*(1+1e-9) })
}

// distinctLinearSVM draws a support vector machine without a kernel.
func distinctLinearSVM(rng *rand.Rand) *Problem { return distinctSVM(rng, false) }

// distinctKernelSVM draws one with the RBF kernel.
func distinctKernelSVM(rng *rand.Rand) *Problem { return distinctSVM(rng, true) }

// distinctSVM draws a support vector machine in general position, with a
// penalty other than 1 now and then.
func distinctSVM(rng *rand.Rand, kernel bool) *Problem {
	for {
		p := randomSVM(rng)
		c := p.Loss.(Hinge).C
		if (p.Kernel != nil) != kernel || integers(p.X.Data[:1]) || p.X.Rows < 3 || !distinct(p.X.Data) || oneClass(p.Y) || (c == 1 && !p.Intercept) {
			continue // ties
		}
		if r, ok := p.Regularizer.(Polynomial); ok && r.Order > 2 {
			continue // from w = 0, where all tie, one jump follows another
		}
		if rng.IntN(3) == 0 {
			p.Penalty.L2 = 0.5
		}
		// Where multipliers at their bounds balance, the intercept is not unique.
		p.Multiplicity = make([]float64, p.X.Rows)
		for i := range p.Multiplicity {
			p.Multiplicity[i] = 1 + rng.Float64()
		}
		return p
	}
}

// eventAges returns the number of different ages with critical points at which
// w is not 0: while it is, samples tie and their multipliers are not unique.
func (p *Path) eventAges() int {
	n, last, largest := 0, 0.0, 0.0
	for _, k := range p.knots {
		largest = math.Max(largest, coefficient(k.Theta))
	}
	for _, k := range p.knots {
		if (k.Kind != Turning && k.Kind != Jump) || coefficient(k.Theta) <= 1e-6*largest+1e-12 {
			continue
		}
		if k.Age > last*(1+1e-7) {
			n++
		}
		last = k.Age
	}
	return n
}

// coefficient returns the largest entry of θ but for the intercept.
func coefficient(theta []float64) float64 {
	largest := 0.0
	for _, w := range theta[:len(theta)-1] {
		largest = math.Max(largest, math.Abs(w))
	}
	return largest
}

func oneClass(y []float64) bool {
	for _, v := range y {
		if v != y[0] {
			return false
		}
	}
	return true
}

// transformClasses returns another form of p, the map of its solution back to p's,
// and by how much its ages are longer.
func transformClasses(name string, p *Problem, rng *rand.Rand) (q *Problem, back func([]float64) []float64, scale float64) {
	n, d := p.X.Rows, p.X.Cols
	q = clone(p)
	rows, columns, signs, label := identity(n), identity(d), make([]float64, d), 1.0
	for j := range signs {
		signs[j] = 1
	}
	scale = 1
	switch name {
	case "samples permuted":
		rows = rng.Perm(n)
	case "features permuted":
		columns = rng.Perm(d)
	case "feature signs":
		for j := range signs {
			signs[j] = float64(1 - 2*rng.IntN(2))
		}
	case "labels flipped":
		label = -1
	case "losses scaled": // C, the penalty and the ages four times as large
		p.Regularizer = withoutScale(p.Regularizer)
		q.Regularizer, scale = p.Regularizer, 4
		switch l := p.Loss.(type) {
		case Hinge:
			q.Loss = Hinge{scale * l.C}
		case Logistic:
			q.Loss = Logistic{scale * l.C}
		}
		q.Penalty.L2 *= scale
	case "shifted":
		return shift(p, rng)
	case "multiplicities":
		p.Intercept = false // multiplicities that are whole numbers balance
		return repeat(p), func(theta []float64) []float64 { return merge(p, theta) }, 1
	}
	for i, from := range rows {
		for j, column := range columns {
			q.X.Data[i*d+j] = signs[j] * p.X.Data[from*d+column]
		}
		q.Y[i] = label * p.Y[from]
		if p.Multiplicity != nil {
			q.Multiplicity[i] = p.Multiplicity[from]
		}
	}
	return q, func(theta []float64) []float64 {
		out := append([]float64(nil), theta...)
		last := len(theta) - 1
		out[last] *= label
		if p.Kernel != nil { // multipliers know no features and no labels
			for i, from := range rows {
				out[from] = theta[i]
			}
			return out
		}
		for j, column := range columns {
			out[column] = label * signs[j] * theta[j]
		}
		return out
	}, scale
}

// merge returns the solution of p that has the multiplicities of a solution
// with the rows repeated: multipliers add up.
func merge(p *Problem, theta []float64) []float64 {
	if p.Kernel == nil {
		return theta
	}
	out := make([]float64, len(p.Y)+1)
	at := 0
	for i, m := range p.Multiplicity {
		for range int(m) {
			out[i] += theta[at]
			at++
		}
	}
	out[len(p.Y)] = theta[at]
	return out
}
