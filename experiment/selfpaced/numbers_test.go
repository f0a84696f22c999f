package selfpaced

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/metric"
)

// recordedNumbers has a line "subject, version: digest" for everything that has a version.
const recordedNumbers = "testdata/numbers.txt"

// numbered is something whose numbers have a version: a digest of what it computes on small fixed
// data, by which a changed number is noticed wherever it stands.
type numbered struct {
	subject string
	version int
	raise   string // what to raise
	digest  func(t *testing.T, h hash.Hash)
}

func (n *numbered) key() string { return fmt.Sprintf("%s, version %d", n.subject, n.version) }

// TestNumbersHaveVersions wants the version of a method, kind of noise, choice or derivation to rise
// with its numbers: cells keep their names otherwise, and --reuse mixes old ones with new ones. A new
// version is recorded with -update.
func TestNumbersHaveVersions(t *testing.T) {
	if !experiment.SameArithmetic("linux/amd64", experiment.Platform()) {
		t.Skip("fused operations give other last digits")
	}
	was := readNumbers(t)
	now := maps.Clone(was)
	maps.DeleteFunc(now, func(key, _ string) bool {
		return !slices.ContainsFunc(numberedSubjects(), func(n numbered) bool { return n.key() == key })
	})
	for _, n := range numberedSubjects() {
		t.Run(n.subject, func(t *testing.T) {
			h := sha256.New()
			n.digest(t, h)
			key := n.key()
			if now[key] = hex.EncodeToString(h.Sum(nil)[:8]); was[key] != "" && was[key] != now[key] {
				t.Errorf("the numbers of %s have changed: raise %s, then record them with go test ./experiment/selfpaced -run TestNumbersHaveVersions -update", key, n.raise)
			}
		})
	}
	switch {
	case t.Failed() || maps.Equal(was, now):
	case *update:
		var text strings.Builder
		for _, key := range slices.Sorted(maps.Keys(now)) {
			fmt.Fprintf(&text, "%s: %s\n", key, now[key])
		}
		if err := os.WriteFile(recordedNumbers, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not have what is there now: record it with -update", recordedNumbers)
	}
}

func readNumbers(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(recordedNumbers)
	if err != nil && !(os.IsNotExist(err) && *update) {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		key, digest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		list[key] = digest
	}
	return list
}

func numberedSubjects() (list []numbered) {
	for _, m := range methodTable {
		if m.algorithm == 0 { // of a test
			continue
		}
		add := func(cells string, digest func(t *testing.T, h hash.Hash)) {
			list = append(list, numbered{"method " + m.name + cells, m.algorithm, "its algorithm in methodTable and the table in docs/grid.md, or choiceNeed", digest})
		}
		add("", func(_ *testing.T, h hash.Hash) {
			for _, setting := range m.settings {
				fmt.Fprintln(h, setting.Name, setting.Standard)
			}
		})
		for _, model := range slices.Concat(numberedModels, furtherModels) {
			if model.of(m) {
				by := ""
				if model.choose != "" && model.choose != "none" { // by a choice with a version of its own
					by = fmt.Sprintf(", choice %d", choiceNeed.Version)
				}
				add(" "+model.cells+by, func(t *testing.T, h hash.Hash) { model.digest(t, m, h) })
			}
		}
		switch m.name {
		case Original:
			add(" solver", digestSolver)
		case GAGA:
			add(" paths", digestPaths)
		}
	}
	for _, task := range []dataset.Task{dataset.Regression, dataset.Classification} {
		for _, kind := range dataset.NoiseKinds(task) {
			list = append(list, numbered{"noise " + kind, dataset.NoiseVersion(kind), "dataset.NoiseVersion", func(t *testing.T, h hash.Hash) {
				levels, repeats := []float64{0.3, 1}, int64(1) // a third of 1 hits other rows where few are of a class
				if kind == dataset.StatP {                     // rounds to corners, which hides small changes in few rows
					repeats = 5
				}
				protocols := []dataset.Protocol{dataset.HeldOut, dataset.Paper, dataset.Scripts}
				for k := range int64(3*len(levels)) * repeats {
					level := levels[k/3%int64(len(levels))]
					prepared := numberedParts(t, task, dataset.Noise{Kind: kind, Level: level}, protocols[k%3], k/3/int64(len(levels)))
					for _, part := range []dataset.Part{prepared.Train, prepared.Validation, prepared.Test} {
						addFloats(h, part.X...)
						addFloats(h, part.Y...)
					}
				}
			}})
		}
	}
	for _, m := range metric.All {
		version := map[metric.Name]int{metric.LogLoss: 2, "r2": 2}[m.Name] // version 1 had other last digits on other processors
		list = append(list, numbered{"metric " + string(m.Name), max(version, 1), "nothing, but give it another name, since columns keep their meaning", func(_ *testing.T, h hash.Hash) {
			random := experiment.Stream(1, "metric")
			r := metric.Rows{Y: make([]float64, 60), Predicted: make([]float64, 60), Rarer: 1, Probable: true, Outliers: 0.2}
			for i := range r.Y {
				r.Y[i] = math.Copysign(1, random.NormFloat64())
				r.Predicted[i] = r.Y[i] + random.NormFloat64()
			}
			score, deviation := m.Score(&r)
			addFloats(h, score, deviation)
		}})
	}
	list = append(list,
		numbered{"choice", choiceNeed.Version, "the version of choiceNeed", digestChoices},
		numbered{"choice labels", choiceNeed.Version, "the version of choiceNeed", digestLabels},
		numbered{"far rows", 1, "nothing, but give their columns other names", digestFar},
		numbered{"far rows errors", 1, "nothing, but give their columns other names", digestErrors},
		numbered{"age auto", autoAge, "autoAge", func(t *testing.T, h hash.Hash) {
			for _, model := range numberedModels {
				if model.name == ERM {
					continue
				}
				c, prepared := model.cell(t)
				for _, regularizer := range regularizerTable {
					c.Method.Regularizer = Regularizer{Name: regularizer.name, Param: 1.35}
					problem, err := c.Problem(&prepared.Train)
					if err != nil {
						t.Fatal(err)
					}
					ages, err := baselines.FindAges(t.Context(), problem, nil, autoAges)
					if err != nil {
						t.Fatal(err)
					}
					addFloats(h, ages...)
				}
			}
		}},
		numbered{"age auto start", autoAge, "autoAge", digestStart})
	return list
}

func digestChoices(_ *testing.T, h hash.Hash) {
	random := experiment.Stream(1, "choice")
	predicted, y := make([]float64, 60), make([]float64, 60)
	for _, name := range []metric.Name{metric.RMSE, metric.MAE, metric.Accuracy} {
		for _, trimmed := range []float64{0, 0.25, choice.Auto} {
			c := choice.Curve{Higher: name.Of().Higher}
			for k := range 25 {
				for i := range y {
					y[i] = math.Copysign(1, random.NormFloat64())
					predicted[i] = y[i] + (0.5+math.Abs(float64(k)-12)/12)*random.NormFloat64()
				}
				score, deviation := name.Of().Score(&metric.Rows{Y: y, Predicted: predicted, Trimmed: trimmed})
				mae, _ := metric.MAE.Of().Score(&metric.Rows{Y: y, Predicted: predicted})
				addFloats(h, score, deviation, mae)
				c.Add(0.1*math.Pow(1.1, float64(k)), score, deviation, k%9 == 0, k >= 13)
			}
			for _, rule := range choice.Rules {
				knot, value := rule.Choose(&c)
				addFloats(h, float64(knot), value)
			}
		}
	}
}

// digestFar has ever farther rows, and models that explain more and more of the others.
func digestFar(_ *testing.T, h hash.Hash) {
	random := experiment.Stream(1, "far")
	predicted, y := make([]float64, 80), make([]float64, 80)
	for step := range 120 {
		for i := range y {
			predicted[i] = random.NormFloat64()
			y[i] = predicted[i] + (1+float64(step%10)/3)*random.NormFloat64()
			if i%8 == 0 {
				y[i] += float64(step) * (1 + random.Float64())
			}
		}
		addFloats(h, metric.Far(predicted, y), metric.Contaminated(predicted, y))
	}
}

// digestLabels adds corrected labels, and which errors are those of contaminated rows.
func digestLabels(t *testing.T, h hash.Hash) {
	random := experiment.Stream(1, "labels")
	part := dataset.Part{N: 60, D: 2, Rows: make([]int, 60)}
	for range part.N {
		a, b := random.NormFloat64(), random.NormFloat64()
		part.X, part.Y = append(part.X, a, b), append(part.Y, math.Copysign(1, a*b+random.NormFloat64()/2))
	}
	for _, by := range []metric.Name{metric.Accuracy, metric.BalancedAccuracy} {
		labels, err := (&Cell{Metric: by}).correctLabels(t.Context(), &part)
		if err != nil {
			t.Fatal(err)
		}
		addFloats(h, labels...)
	}
	for range 600 {
		e := randomErrors(random, 60)
		fmt.Fprintln(h, metric.Disturbed(e.y, e.predicted, e.plain, e.x))
	}
}

// digestErrors has errors near the thresholds of far rows on all sides.
func digestErrors(_ *testing.T, h hash.Hash) {
	random := experiment.Stream(1, "errors")
	for _, rows := range []int{12, 60} { // of few rows more are between two kinds
		for range 500 {
			e := randomErrors(random, rows)
			addFloats(h, metric.Far(e.predicted, e.y), metric.Contaminated(e.predicted, e.y))
			without := metric.Without(e.predicted, e.y)
			addFloats(h, without[:]...)
		}
	}
	fmt.Fprintln(h, metric.WithoutColumns())
	addFloats(h, metric.AtMost(0.1, 60, 20), metric.AtMost(0.8, 3, 2))
}

type errorsOfModels struct{ y, predicted, plain, x []float64 }

// randomErrors has two models of some rows, some of which are off by other sizes, more or less explained
// by the second model and with more or less outlying features.
func randomErrors(random *rand.Rand, rows int) (e errorsOfModels) {
	share, size, explained, moved := 0.5*random.Float64(), math.Exp(6*random.Float64()), random.Float64(), 6*random.Float64()
	noise, spread, tied := 3*random.Float64(), 2*random.Float64(), random.IntN(8) == 0
	for range rows {
		at, off, x := random.NormFloat64(), noise*random.NormFloat64(), [3]float64{random.NormFloat64(), random.NormFloat64(), 0}
		if random.IntN(3) == 0 { // most values of the last feature are equal
			x[2] = random.NormFloat64()
		}
		plain := at
		switch {
		case random.Float64() < share:
			far := size * math.Exp(spread*random.NormFloat64())
			off, plain = off+far, at+explained*far
			x[random.IntN(3)] += moved
		case tied:
			off = 0
		}
		e.y, e.predicted, e.plain, e.x = append(e.y, at+off), append(e.predicted, at), append(e.plain, plain), append(e.x, x[:]...)
	}
	return e
}

func addFloats(h hash.Hash, list ...float64) {
	for _, x := range list {
		fmt.Fprintf(h, "%x ", math.Float64bits(x))
	}
}
