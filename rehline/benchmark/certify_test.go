package benchmark

import (
	"math"
	"math/big"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// taskOf returns a task with its default settings but for those that are given.
func taskOf(t testing.TB, name string, changes ...gridfile.Setting) Task {
	t.Helper()
	info := gridfile.Lookup(taskTable, name)
	of := Task{Name: name}
	for i, s := range info.settings {
		of.Settings[i] = s.Standard
		of.Settings[i].Name = s.Name
		for _, change := range changes {
			if change.Name == s.Name {
				of.Settings[i] = change
			}
		}
	}
	return of
}

// problemOf makes a problem of an embedded data set.
func problemOf(t testing.TB, of Task, data string, c float64) *problem {
	t.Helper()
	set, err := new(dataset.Library).Load(t.Context(), dataset.Source{Name: data})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProblem(of, c, set)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEvaluator computes the objective, the violation and the gap of 100 random points anew in
// numbers of 300 bits, by the losses as the documents give them.
func TestEvaluator(t *testing.T) {
	t.Parallel()
	r := experiment.Stream(1, "points")
	for k := range 100 {
		info := taskTable[k%len(taskTable)]
		g := Generated{Rows: 30 + k, Features: 1 + k%7, Seed: int64(k)}
		of := taskOf(t, info.name, gridfile.Setting{Name: intercept, Word: penalized}, gridfile.Setting{Name: level, Number: 0.3})
		p, err := newProblem(of, math.Exp(3*r.NormFloat64()), g.draw(info.of))
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.certify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		beta := make([]float64, p.x.Cols)
		for j := range beta {
			beta[j] = r.NormFloat64()
		}
		objective, violation := p.primal(beta), p.violation(beta)
		for what, pair := range map[string][2]float64{
			"objective": {objective, exactObjective(p, beta)},
			"violation": {violation, exactViolation(p, beta)},
			"gap": {p.gap(objective, violation, b), (exactObjective(p, beta) - b.value + 2*b.xi*exactViolation(p, beta)) /
				max(math.Abs(objective), math.Abs(b.value))},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*math.Abs(pair[1]) {
				t.Errorf("%s: the %s is %v, exactly %v", info.name, what, pair[0], pair[1])
			}
		}
		if !(b.value <= objective+2*b.xi*violation) || b.gap > 1e-10 {
			t.Errorf("%s: the bound %v, %v from an optimum, beside %v", info.name, b.value, b.gap, objective)
		}
	}
}

func precise(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }

func exactDot(a, b []float64) *big.Float {
	total := precise(0)
	for i := range a {
		total.Add(total, new(big.Float).Mul(precise(a[i]), precise(b[i])))
	}
	return total
}

// exactObjective is the objective by the losses of docs/solver-benchmark.md.
func exactObjective(p *problem, beta []float64) float64 {
	value := func(f *big.Float) float64 { x, _ := f.Float64(); return x }
	total := precise(0)
	for i, y := range p.y {
		z := exactDot(p.x.Data[i*p.x.Stride:][:p.x.Cols], beta)
		h := new(big.Float).Sub(precise(1), new(big.Float).Mul(precise(y), z))
		if h.Sign() < 0 {
			h = precise(0)
		}
		residual := new(big.Float).Sub(precise(y), z)
		size := new(big.Float).Abs(residual)
		one, half := precise(1), precise(0.5)
		var l *big.Float
		switch p.of.Name {
		case "svm", "fair-svm":
			l = h
		case "smoothed-svm":
			if l = new(big.Float).Mul(half, new(big.Float).Mul(h, h)); h.Cmp(one) > 0 {
				l = new(big.Float).Sub(h, half)
			}
		case "squared-svm":
			l = new(big.Float).Mul(h, h)
		case "quantile", "elastic-net-quantile":
			q := precise(p.of.Settings.Number(level))
			if l = new(big.Float).Mul(q, residual); residual.Sign() < 0 {
				l = new(big.Float).Mul(new(big.Float).Sub(one, q), size)
			}
		case "huber": // with the threshold 1
			if l = new(big.Float).Mul(half, new(big.Float).Mul(size, size)); size.Cmp(one) > 0 {
				l = new(big.Float).Sub(size, half)
			}
		case "epsilon-insensitive":
			if l = new(big.Float).Sub(size, precise(p.of.Settings.Number(epsilon))); l.Sign() < 0 {
				l = precise(0)
			}
		}
		total.Add(total, new(big.Float).Mul(precise(p.c), l))
	}
	total.Add(total, new(big.Float).Mul(precise(0.5), exactDot(beta, beta)))
	for _, b := range beta {
		total.Add(total, new(big.Float).Mul(precise(p.l1), precise(math.Abs(b))))
	}
	return value(total)
}

func exactViolation(p *problem, beta []float64) float64 {
	if p.fair == nil {
		return 0
	}
	score, _ := new(big.Float).Sub(new(big.Float).Abs(exactDot(p.fair, beta)), precise(p.tol)).Float64()
	return max(score, 0)
}

// TestKnownOptima compares bounds with optima that other solvers found.
func TestKnownOptima(t *testing.T) {
	t.Parallel()
	lower := []gridfile.Setting{{Name: level, Number: 0.25}, {Name: intercept, Word: penalized}}
	for _, of := range []struct {
		task    Task
		data    string
		c, want float64 // c times the rows, or 0 for 1
	}{
		{taskOf(t, "svm"), "breast_cancer", 1, 0.305348560633},
		{taskOf(t, "svm"), "breast_cancer", 0, 26.5370382065},
		{taskOf(t, "smoothed-svm"), "breast_cancer", 100, 3.61767709906},
		{taskOf(t, "squared-svm"), "breast_cancer", 0, 31.5850877544},
		{taskOf(t, "fair-svm"), "breast_cancer", 100, 78.1309918351},
		{taskOf(t, "quantile"), "diabetes", 0, 123.863985977},
		{taskOf(t, "quantile", lower...), "diabetes", 1, 0.327050364879},
		{taskOf(t, "huber"), "diabetes", 100, 23.2904732767},
	} {
		p := problemOf(t, of.task, of.data, 1)
		if of.c > 0 {
			p.c = of.c / float64(len(p.y))
		}
		b, err := p.certify(t.Context())
		if err != nil || math.Abs(b.value/of.want-1) > 3e-9 || b.gap > 1e-10 {
			t.Errorf("%s, %s, c = %v: bound %.12g with gap %.1e, want %.12g; %v", of.task.Name, of.data, p.c, b.value, b.gap, of.want, err)
		}
	}
}
