package selfpaced

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/rehline"
)

// OwnMethod is a method of a program that imports this package.
type OwnMethod struct {
	Name    string
	Version int // from 1; increases when numbers change

	Models      []string // supported; nil for all but [ERM]
	Regularized bool     // one cell per regularizer
	Aged        bool     // uses the range of ages

	// Fit returns the knots of a path in ascending age, or one without an age, with coefficients as
	// for [gaga.NewPredictor]. The problem has the cell's model and training part, and the
	// regularizer if Regularized. Age is zero unless Aged, then 0 < Min < Max.
	Fit func(ctx context.Context, p *gaga.Problem, age Age) ([]gaga.Knot, error)
	// Seconds estimates the time of a cell; default 1.
	Seconds func(rows, features int) float64
}

// RegisterMethod adds a method for grids. Registrations must precede any other use of this package,
// and be equal in the programs that plan grids and compute cells. It panics for an invalid
// declaration or a name in use.
func RegisterMethod(m OwnMethod) {
	if m.Fit == nil || m.Version < 1 {
		panic(fmt.Sprintf("experiment: method %q: Fit is needed, and a version from 1", m.Name))
	}
	for _, model := range m.Models {
		if gridfile.Lookup(modelTable, model) == nil || model == ERM {
			panic(fmt.Sprintf("experiment: method %q: there is no model %q, or its problem is not gaga's", m.Name, model))
		}
	}
	seconds := m.Seconds
	if seconds == nil {
		seconds = func(int, int) float64 { return 1 }
	}
	register(&methodTable, m.Name, &methodInfo{
		name: m.Name, algorithm: m.Version, regularized: m.Regularized, aged: m.Aged, models: m.Models,
		fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) (err error) {
			if f.Knots, err = m.Fit(ctx, f.Problem, c.Method.Age); err != nil || !m.Aged || len(f.Knots) == 0 {
				return err
			}
			f.status = gaga.Complete.String()
			if last := f.Knots[len(f.Knots)-1].Age; last < c.Method.Age.Max {
				f.status = "stopped"
				f.stopped = fmt.Sprintf("the path stops at age %.4g of %.4g", last, c.Method.Age.Max)
			}
			return nil
		},
		work: func(_ *group, n, d float64) float64 { return 1e9 * seconds(int(n), int(d)) },
	})
}

// OwnRegularizer is a self-paced regularizer of a program that imports this package. If its numbers
// change, so must its name.
type OwnRegularizer struct {
	Name      string
	Parameter string // name, "" for none; values > 0
	Make      func(param float64) gaga.Regularizer
}

// RegisterRegularizer adds a regularizer, like [RegisterMethod].
func RegisterRegularizer(r OwnRegularizer) {
	if r.Make == nil {
		panic(fmt.Sprintf("experiment: regularizer %q: Make is needed", r.Name))
	}
	info := &regularizerInfo{name: r.Name, make: r.Make}
	if r.Parameter != "" {
		info.settings = parameter(r.Parameter, gridfile.Positive)
	}
	register(&regularizerTable, r.Name, info)
}

// OwnLoss is a loss of the model [ERM] of a program that imports this package. If its numbers
// change, so must its name.
type OwnLoss struct {
	Name string
	Task dataset.Task
	// Parameter is "" for none; Standard is its default.
	Parameter string
	Standard  float64
	Make      func(y []float64, param float64) rehline.Loss
}

// RegisterLoss adds a loss of [ERM], like [RegisterMethod].
func RegisterLoss(l OwnLoss) {
	if l.Make == nil || l.Task != dataset.Regression && l.Task != dataset.Classification || math.IsNaN(l.Standard) {
		panic(fmt.Sprintf("experiment: loss %q: Make is needed, and a task", l.Name))
	}
	info := &lossInfo{name: l.Name, task: l.Task}
	info.loss = func(y []float64, s *gridfile.Settings) rehline.Loss {
		if l.Parameter == "" {
			return l.Make(y, 0)
		}
		return l.Make(y, s.Number(l.Parameter))
	}
	if l.Parameter != "" {
		info.settings = []gridfile.SettingInfo{{Name: l.Parameter, Rule: gridfile.AnyNumber, Standard: gridfile.Setting{Number: l.Standard}}}
	}
	register(&lossTable, l.Name, info)
}

func register[T gridfile.Declared](table *[]T, name string, d T) {
	if !experiment.PlainName.MatchString(name) {
		panic(fmt.Sprintf("experiment: %q is not a valid name; use up to 40 of a-z, 0-9 and -, not starting with -", name))
	}
	if slices.Contains(gridfile.NamesOf(*table), name) {
		panic(fmt.Sprintf("experiment: the name %s is taken", name))
	}
	*table = append(*table, d)
}
