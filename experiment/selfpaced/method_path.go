package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/gaga"
)

var originalMethod = methodInfo{
	name: Original, algorithm: 6, models: gridfile.NamesOf(modelTable),
	fit: func(ctx context.Context, f *Fitted, c *Cell, train *dataset.Part) error {
		if c.Model.Name == ERM {
			return f.erm(ctx, c, train)
		}
		theta, kkt, err := baselines.Original(ctx, f.Problem)
		if err != nil {
			return err
		}
		f.single(theta, kkt, train.N)
		return nil
	},
	work: func(g *group, n, d float64) float64 {
		cold, _ := fitWork(g.models.Name, g.models.Kernel, n, d)
		return cold
	},
	bytes: func(c *Cell, n, d int64) int64 {
		if c.Model.Name == ERM {
			return ermBytes(n, d)
		}
		return 0
	},
}

var acsMethod = methodInfo{
	name: ACS, algorithm: 7, regularized: true, aged: true, stepped: true, auto: 2,
	fit: fitACS,
	work: func(g *group, n, d float64) float64 {
		cold, warm := fitWork(g.models.Name, g.models.Kernel, n, d)
		alternations := gridfile.Lookup(regularizerTable, g.regularizer.Name).alternations
		if g.preparation.Protocol == dataset.Scripts {
			alternations = 1
		}
		return cold + g.steps(g.age.Step)*(alternations*warm+n*d)
	},
}

var acsOnceMethod = methodInfo{
	name: ACSOnce, algorithm: 5, regularized: true, aged: true, stepped: true,
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		ages := f.steps(c.Method.Age)
		return f.alternate(baselines.ACS(ctx, f.Problem, ages, baselines.ACSOptions{Tolerance: math.Inf(1)}))
	},
	work: func(g *group, n, d float64) float64 {
		cold, warm := fitWork(g.models.Name, g.models.Kernel, n, d)
		return cold + g.steps(g.age.Step)*(warm+n*d)
	},
}

var growths = gridfile.Rule{Allows: func(x float64) bool { return x >= 0.001 && x <= 1 }, Want: "a number from 0.001 to 1"}

var acsShareMethod = methodInfo{
	name: ACSShare, algorithm: 3, regularized: true,
	settings: []gridfile.SettingInfo{
		{Name: "start", Rule: gridfile.Ratio, Standard: gridfile.Setting{Number: 0.5}, Meaning: "share of the samples that is in first"},
		{Name: "growth", Rule: growths, Standard: gridfile.Setting{Number: 0.1}, Meaning: "share by which it grows each time, up to all"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		shares := baselines.Shares(c.Method.Settings.Number("start"), c.Method.Settings.Number("growth"))
		return f.alternate(baselines.ACSShares(ctx, f.Problem, shares, baselines.ACSOptions{}))
	},
	work: func(g *group, n, d float64) float64 {
		cold, warm := fitWork(g.models.Name, g.models.Kernel, n, d)
		growth := math.Inf(1)
		for _, setting := range g.settings.Values("growth") {
			growth = min(growth, setting.Number)
		}
		return cold + (1+0.5/growth)*(gridfile.Lookup(regularizerTable, g.regularizer.Name).alternations*warm+n*d)
	},
}

var gagaMethod = methodInfo{
	name: GAGA, algorithm: 27, regularized: true, aged: true,
	fit: fitGAGA,
	work: func(g *group, n, d float64) float64 {
		if g.preparation.Protocol == dataset.Scripts {
			return scriptedWork(g, n, d)
		}
		cold, _ := fitWork(g.models.Name, g.models.Kernel, n, d)
		return cold + pathWork(g.models.Name, g.models.Kernel, g.regularizer.Name, n, d)
	},
	bytes: pathBytes,
}

// single makes a solution without an age the only knot.
func (f *Fitted) single(theta []float64, kkt float64, rows int) {
	f.Knots = []gaga.Knot{{Kind: gaga.End, Index: -1, Theta: theta, KKT: kkt, Easy: rows, Active: active(theta)}}
}

func active(theta []float64) (n int) {
	for _, w := range theta[:len(theta)-1] {
		if w != 0 {
			n++
		}
	}
	return n
}

func fitACS(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
	if c.Settings.Protocol == dataset.Scripts {
		return f.scriptedSearch(ctx, c)
	}
	if f.span != nil {
		return f.alternate(baselines.ACSOver(ctx, f.Problem, *f.span, autoAges, baselines.ACSOptions{}))
	}
	return f.alternate(baselines.ACS(ctx, f.Problem, f.steps(c.Method.Age), baselines.ACSOptions{}))
}

func (f *Fitted) alternate(path *baselines.ACSPath, err error) error {
	if err != nil {
		return discards(err, raiseAge)
	}
	f.Knots = path.Knots
	f.status = gaga.Complete.String()
	if !path.Complete() {
		f.status = fmt.Sprintf("of %d ages %d did not converge and %d left one class only", path.Ages, path.Unconverged, path.OneClass)
	}
	if path.Discarded > 0 {
		f.status += fmt.Sprintf("; %d of %d ages discard every sample", path.Discarded, path.Ages)
	}
	if path.Passed > 0 {
		f.status += fmt.Sprintf("; %d of %d shares were in before their turn", path.Passed, path.Passed+path.Ages)
	}
	return nil
}

const raiseAge = "raise age.max, or scale the target"

// discards makes the cell diverge, with a remedy, if every sample is discarded.
func discards(err error, remedy string) error {
	if !errors.Is(err, gaga.ErrDiscarded) {
		return err
	}
	return &experiment.StatusError{Status: experiment.Diverged, Err: fmt.Errorf("%w; %s", err, remedy)}
}

// pathKnots is the number of evenly spaced ages at which a path over given ages is scored, in
// addition to its critical points. Derived ages are spaced as those of [ACS].
const pathKnots = 100

func fitGAGA(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
	if c.Settings.Protocol == dataset.Scripts {
		return f.scriptedPath(ctx, c)
	}
	age := c.Method.Age
	options := gaga.Options{
		Age:  gaga.Range{Min: age.Min, Max: age.Max},
		Grid: baselines.Ages(age.Min, age.Max, (age.Max-age.Min)/pathKnots),
	}
	if f.span != nil {
		options.Grid = f.span.Ages(pathKnots + 1)
	}
	path, err := gaga.Track(ctx, f.Problem, options)
	if err != nil {
		return err
	}
	if path.Status() == gaga.Interrupted {
		return errors.Join(ctx.Err(), errors.New(path.Reason()))
	}
	f.follow(path, &options)
	return nil
}

func (f *Fitted) follow(path *gaga.Path, options *gaga.Options) {
	f.Knots, f.status, f.critical = path.Knots(), path.Status().String(), true
	if path.Status().Early() {
		f.status += ": " + path.Reason()
		f.stopped = fmt.Sprintf("the path stops at age %.4g of %.4g: %s", path.Range().Max, options.Age.Max, f.status)
	}
	f.status += gapText(path.Gaps())
	f.restarts = len(path.Restarts())
}

func gapText(gaps []gaga.Gap) string {
	if len(gaps) == 0 {
		return ""
	}
	list := make([]string, len(gaps))
	for k, gap := range gaps {
		list[k] = fmt.Sprintf("%.4g to %.4g", gap.From, gap.To)
	}
	return "; one class only at ages " + strings.Join(list, ", ")
}

// pathBytes estimates a factor over at most n changing multipliers with a kernel, otherwise the
// tracker's copies of the data and matrices over the coefficients; and for each knot all
// coefficients, or n multipliers. The number of knots is a guess: 0.3 for each row, 1 for a support
// vector machine, whose samples enter and leave the margin.
func pathBytes(c *Cell, n, d int64) int64 {
	knots := pathKnots + 10 + int64(0.3*float64(n))
	if c.Model.Name == SVM {
		knots = pathKnots + 10 + n
	}
	if c.Model.Kernel == RBF {
		return 8*n*n + 8*n*knots
	}
	return 8*(2*n*d+10*d*d) + 8*d*knots
}
