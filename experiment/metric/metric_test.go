package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
)

// TestDeclarations names what a declaration lacks.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	names, columns := map[Name]bool{}, map[string]bool{}
	for _, m := range All {
		for what, lacks := range map[string]bool{
			"a name of its own":   m.Name == "" || names[m.Name],
			"a column of its own": columns[m.Column()],
			"a task":              m.Task != dataset.Regression && m.Task != dataset.Classification,
			"a word":              m.Word == "",
			"a doc":               m.Doc == "",
			"bounds":              !(m.Min < m.Max),
			"a score":             m.Score == nil,
			"the schema version":  m.Since <= experiment.OldestSchema || m.Since > experiment.SchemaVersion,
		} {
			if lacks {
				t.Errorf("the metric %q lacks %s", m.Name, what)
			}
		}
		names[m.Name], columns[m.Column()] = true, true
	}
}

// rowsFor has predictions that are right in most rows, of classes one of which is rare.
func rowsFor(task dataset.Task, random *rand.Rand, n int) *Rows {
	r := &Rows{Probable: true, Outliers: 0.1, Rarer: 1}
	for range n {
		y := 3 * random.NormFloat64()
		u := y + random.NormFloat64()
		if task == dataset.Classification {
			y = math.Copysign(1, random.Float64()-0.7)
			u = y + 1.2*random.NormFloat64()
		}
		r.Y, r.Predicted = append(r.Y, y), append(r.Predicted, u)
	}
	return r
}

// TestStandardErrors holds each standard error against the spread of the score over samples, and each
// score against its bounds.
func TestStandardErrors(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, m := range All {
		const samples, n = 2000, 150
		var mean, squares, errors float64
		for range samples {
			score, deviation := m.Score(rowsFor(m.Task, random, n))
			if score < m.Min || score > m.Max || math.IsNaN(score) {
				t.Fatalf("%s is %v, of %v to %v", m.Name, score, m.Min, m.Max)
			}
			mean += score / samples
			squares += score * score / samples
			errors += deviation / samples
		}
		slack := map[Name]float64{"auc": 0.2}[m.Name]                                                                // as these decision values are normal
		if spread := math.Sqrt(squares - mean*mean); math.Abs(errors/spread-1) > max(slack, 0.1) && m.Name != "r2" { // whose targets vary too
			t.Errorf("the standard error of %s is %v, its spread %v", m.Name, errors, spread)
		}
	}
}

// TestBetter wants a model that predicts better to score better, and a perfect one best of all.
func TestBetter(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 1))
	for _, m := range All {
		good := rowsFor(m.Task, random, 300)
		bad, perfect := *good, *good
		bad.losses, perfect.losses, bad.Predicted, perfect.Predicted = nil, nil, make([]float64, 300), make([]float64, 300)
		for i, u := range good.Predicted {
			bad.Predicted[i], perfect.Predicted[i] = u+2*random.NormFloat64(), good.Y[i]
			if m.Name == LogLoss {
				perfect.Predicted[i] *= 1e3
			}
		}
		a, _ := m.Score(good)
		b, _ := m.Score(&bad)
		best, deviation := m.Score(&perfect)
		want := 0.0
		if m.Higher {
			want = 1
		}
		if !m.Name.Better(a, b) || best != want || deviation != 0 {
			t.Errorf("%s: %v, with noise %v, perfect %v ± %v", m.Name, a, b, best, deviation)
		}
	}
}

// TestUndefined gives rows of one class, one target, or with numbers that are not finite.
func TestUndefined(t *testing.T) {
	t.Parallel()
	one := &Rows{Y: []float64{1, 1, 1}, Predicted: []float64{1, -2, 3}, Rarer: -1, Outliers: math.NaN()}
	for name, want := range map[Name]float64{
		"r2": math.NaN(), "auc": math.NaN(), LogLoss: math.NaN(), "trimmed-rmse": math.NaN(), // scikit-learn raises or warns
		"balanced-accuracy": 2.0 / 3, "f1": 0, "mcc": 0, "accuracy": 2.0 / 3,
	} {
		if score, _ := name.Of().Score(one); math.Abs(score-want) > 1e-15 || math.IsNaN(score) != math.IsNaN(want) {
			t.Errorf("%s of one class is %v, want %v", name, score, want)
		}
	}
	for _, m := range All {
		for _, u := range []float64{math.NaN(), math.Inf(1)} {
			for _, trimmed := range []float64{0, 0.2, choice.Auto} {
				m.Score(&Rows{Y: []float64{1, -1, 1, -1}, Predicted: []float64{u, u, 2, 3}, Trimmed: trimmed, Probable: true, Rarer: 1}) // ends
			}
		}
	}
}

// TestContaminated wants no warning of errors of one distribution, and the share of gross ones.
func TestContaminated(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name  string
		draw  func() float64
		share float64
		most  int // warnings of 200
	}{
		{"normal", random.NormFloat64, 0, 0},
		{"uniform", random.Float64, 0, 0},
		{"Laplace", func() float64 { return math.Copysign(random.ExpFloat64(), random.NormFloat64()) }, 0, 10},
		{"exponential", func() float64 { return random.ExpFloat64() - 1 }, 0, 10},
		{"ten times as large", func() float64 {
			if random.Float64() < 0.3 {
				return 10 * random.NormFloat64()
			}
			return random.NormFloat64()
		}, 0.3, 200},
	} {
		warnings, mean := 0, 0.0
		for range 200 {
			errors := make([]float64, 100)
			for i := range errors {
				errors[i] = test.draw()
			}
			if share := Contaminated(errors, make([]float64, 100)); share > 0 {
				warnings++
				mean += share
			}
		}
		if warnings > test.most || test.share > 0 && (warnings < 190 || math.Abs(mean/float64(warnings)-test.share) > 0.03) {
			t.Errorf("%s: %d of 200 have contaminated rows, on average %.3f", test.name, warnings, mean/float64(warnings))
		}
	}
}

// TestDefault counts the rarer class, of labels in any order.
func TestDefault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		positive, negative int
		protocol           dataset.Protocol
		want               Name
	}{
		{1, 2, dataset.HeldOut, Accuracy}, {2, 1, dataset.HeldOut, Accuracy},
		{33, 67, dataset.HeldOut, BalancedAccuracy}, {67, 33, dataset.HeldOut, BalancedAccuracy},
		{1, 99, dataset.Paper, Accuracy},
	} {
		var y []float64
		for i := range test.positive + test.negative {
			y = append(y, map[bool]float64{true: 1, false: -1}[i < test.positive])
		}
		if got := Default(dataset.Classification, test.protocol, y); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
