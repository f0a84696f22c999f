package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/lists"
)

var originalMethod = methodInfo{
	name: Original, algorithm: 7, models: gridfile.NamesOf(modelTable),
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
		return fitted(fitOf, g, n, d)
	},
	bytes: func(c *Cell, n, d int64) int64 {
		if c.Model.Name != ERM {
			return 0
		}
		return 400*n + 16*min(d, 1500)*min(d, 1500) // without the features
	},
}

var acsMethod = methodInfo{
	name: ACS, algorithm: 9, regularized: true, aged: true, stepped: true, directed: true,
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		if c.Settings.Protocol == dataset.Scripts {
			return f.scriptedSearch(ctx, c)
		}
		return f.search(ctx, c.Method.Age, baselines.ACSOptions{})
	},
	work: func(g *group, n, d float64) float64 {
		if g.preparation.Protocol == dataset.Scripts {
			return agesWork(onceOf, g, n, d)
		}
		return agesWork(searchOf, g, n, d)
	},
}

var acsOnceMethod = methodInfo{
	name: ACSOnce, algorithm: 7, regularized: true, aged: true, stepped: true, directed: true,
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		return f.search(ctx, c.Method.Age, baselines.ACSOptions{Tolerance: math.Inf(1)})
	},
	work: func(g *group, n, d float64) float64 { return agesWork(onceOf, g, n, d) },
}

var growths = gridfile.Rule{Allows: func(x float64) bool { return x >= 0.001 && x <= 1 }, Want: "a number from 0.001 to 1"}

var (
	startSetting  = gridfile.SettingInfo{Name: "start", Rule: gridfile.Ratio, Standard: gridfile.Setting{Number: 0.5}, Meaning: "share of the samples that is in first"}
	growthSetting = gridfile.SettingInfo{Name: "growth", Rule: growths, Standard: gridfile.Setting{Number: 0.1}, Meaning: "share by which it grows each time, up to all"}
)

var acsShareMethod = methodInfo{
	name: ACSShare, algorithm: 5, regularized: true,
	settings: []gridfile.SettingInfo{startSetting, growthSetting},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		shares := baselines.Shares(c.Method.Settings.Number("start"), c.Method.Settings.Number("growth"))
		return f.alternate(baselines.ACSShares(ctx, f.Problem, shares, baselines.ACSOptions{}))
	},
	work: func(g *group, n, d float64) float64 { return sharesWork(g) * fitted(searchOf, g, n, d) },
}

// sharesWork is relative to that at derived ages.
func sharesWork(g *group) float64 {
	growth := math.Inf(1)
	for _, setting := range g.settings.Values("growth") {
		growth = min(growth, setting.Number)
	}
	return (1 + 0.5/growth) / autoAges
}

var gagaMethod = methodInfo{
	name: GAGA, algorithm: 30, regularized: true, aged: true, directed: true,
	fit: fitGAGA,
	work: func(g *group, n, d float64) float64 {
		if g.preparation.Protocol == dataset.Scripts {
			return scriptedWork(g, n, d)
		}
		return agesWork(pathOf, g, n, d)
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

func (f *Fitted) search(ctx context.Context, age Age, o baselines.ACSOptions) error {
	ages := f.steps(age)
	o.Weights = f.start
	for _, way := range age.ways() {
		if way == gaga.Down {
			ages, o.Weights = slices.Clone(ages), nil
			slices.Reverse(ages)
		}
		if err := f.alternate(baselines.ACS(ctx, f.Problem, ages, o)); err != nil {
			return err
		}
	}
	return nil
}

func (f *Fitted) alternate(path *baselines.ACSPath, err error) error {
	if err != nil {
		return discards(err, raiseAge)
	}
	status := gaga.Complete.String()
	if !path.Complete() {
		status = fmt.Sprintf("of %d ages %d did not converge and %d left one class only", path.Ages, path.Unconverged, path.OneClass)
	}
	if path.Discarded > 0 {
		status += fmt.Sprintf("; %d of %d ages discard every sample", path.Discarded, path.Ages)
	}
	if path.Passed > 0 {
		status += fmt.Sprintf("; %d of %d shares were in before their turn", path.Passed, path.Passed+path.Ages)
	}
	f.add(path.Knots, status, path.Direction)
	return nil
}

// add adds the path of one direction.
func (f *Fitted) add(knots []gaga.Knot, status string, way gaga.Direction) {
	if f.status != "" && f.status != status {
		status = fmt.Sprintf("%s: %s; %s: %s", gaga.Up, f.status, gaga.Down, status)
	}
	if way == gaga.Down {
		f.falling = len(knots)
	}
	f.Knots, f.status = append(f.Knots, knots...), status
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
		Grid: baselines.Ages(age.Min, age.Max, (age.Max-age.Min)/pathKnots), Weights: f.start,
	}
	if f.span != nil {
		options.Grid = f.between(pathKnots + 1)
	}
	for _, options.Direction = range age.ways() {
		path, err := gaga.Track(ctx, f.Problem, options)
		if err != nil {
			return err
		}
		if path.Status() == gaga.Interrupted {
			return errors.Join(ctx.Err(), errors.New(path.Reason()))
		}
		f.follow(path, &options)
	}
	return nil
}

func (f *Fitted) follow(path *gaga.Path, options *gaga.Options) {
	status, stopped := path.Status().String(), fmt.Sprintf("the path stops at age %.4g of %.4g", path.Range().Max, options.Age.Max)
	if options.Direction == gaga.Down {
		stopped = fmt.Sprintf("the path down stops at age %.4g of %.4g", path.Range().Min, options.Age.Min)
	}
	if path.Status().Early() {
		status += ": " + path.Reason()
		f.stopped = strings.TrimPrefix(f.stopped+"; "+stopped+": "+status, "; ")
	}
	f.critical = true
	f.restarts += len(path.Restarts())
	f.add(path.Knots(), status+gapText(path.Gaps()), options.Direction)
}

func gapText(gaps []gaga.Gap) string {
	if len(gaps) == 0 {
		return ""
	}
	list := lists.Map(gaps, func(gap gaga.Gap) string { return fmt.Sprintf("%.4g to %.4g", gap.From, gap.To) })
	return "; one class only at ages " + strings.Join(list, ", ")
}

// pathBytes estimates a factor over at most n changing multipliers with a kernel, otherwise the
// tracker's copies of the data and matrices over the unknowns; and for each knot all
// coefficients, or n multipliers. The number of knots is a guess: 0.3 for each row, 1 for a support
// vector machine, whose samples enter and leave the margin.
func pathBytes(c *Cell, n, d int64) int64 {
	knots := pathKnots + 10 + int64(0.3*float64(n))
	if c.Model.Name == SVM {
		knots = pathKnots + 10 + n
	}
	unknowns := d
	switch c.Model.Name {
	case SVM, Logistic, Ridge: // at most the samples' span
		unknowns = min(n, d)
	}
	if c.Model.Kernel == RBF {
		return 8*n*n + 8*n*knots
	}
	return 8*(2*n*d+10*unknowns*unknowns) + 8*d*knots
}
