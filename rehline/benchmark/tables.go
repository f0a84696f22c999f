package benchmark

import (
	"regexp"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// Tables returns the kind's tables. docs/results.md is generated from their columns' docs.
func Tables() experiment.Tables {
	return experiment.Tables{
		Labels: labelFields.Columns(), Measures: measureFields.Columns(), Further: furtherTables,
		Varying: []string{"seconds_1e3", "seconds_1e5", "seconds_1e8", "setup_seconds", "seconds"},
	}
}

var labelFields = experiment.Fields[*plannedCell]{
	{Name: "dataset", Type: experiment.Text, Value: func(c *plannedCell) any { return c.set.Name }, Doc: "name of the data set, as the grid gives it; of generated ones with rows and features"},
	{Name: "n_rows", Type: experiment.Int, Value: func(c *plannedCell) any { return c.set.N }, Doc: "rows of the problem"},
	{Name: "n_features", Type: experiment.Int, Value: func(c *plannedCell) any { return c.set.D + c.Task.appended() }, Doc: "its features, an appended column of ones included"},
	{Name: "task", Type: experiment.Text, Value: func(c *plannedCell) any { return c.Task.Name }, Doc: "svm, smoothed-svm, squared-svm, fair-svm, quantile, elastic-net-quantile, huber or epsilon-insensitive"},
	{Name: "task_params", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Task.Settings.Text()) }, Doc: "the task's settings as a JSON object; null for tasks without"},
	{Name: "regime", Type: experiment.Text, Value: func(c *plannedCell) any { return c.regime }, Doc: "the factor of the loss as the grid gives it, as in 100/n"},
	{Name: "c", Type: experiment.Float, Value: func(c *plannedCell) any { return c.C }, Doc: "the factor of the loss"},
	{Name: "method", Type: experiment.Text, Value: func(c *plannedCell) any { return c.Solver.Name }, Doc: "the solver"},
	{Name: "family", Type: experiment.Text, Value: func(c *plannedCell) any { return c.Solver.family }, Doc: "rehline, specialized or generic"},
	{Name: "repeat", Type: experiment.Int, Value: func(c *plannedCell) any { return c.repeat }, Doc: "number of the repeat, from 1; repeats differ in random orders and in what disturbs times"},
	{Name: "seed", Type: experiment.Int, Value: func(c *plannedCell) any { return c.Seed }, Doc: "seed of the cell's random streams, derived from the grid's seed and the repeat, in [0, 2^53)"},
}

var measureFields = experiment.Fields[*certified]{
	{Name: "metric", Type: experiment.Text, Value: func(*certified) any { return "seconds" }, Doc: "what is measured: seconds"},
	{Name: "seconds_1e3", Type: experiment.Float, Value: func(c *certified) any { return known(c.reached[0]) }, Doc: "least processor time, set-up included, of a point with a certified gap of at most 1e-3 and a violation of at most 1e-6; null where there is none"},
	{Name: "seconds_1e5", Type: experiment.Float, Value: func(c *certified) any { return known(c.reached[1]) }, Doc: "likewise for 1e-5; null where there is none"},
	{Name: "seconds_1e8", Type: experiment.Float, Value: func(c *certified) any { return known(c.reached[2]) }, Doc: "likewise for 1e-8; null where there is none"},
	{Name: "setup_seconds", Type: experiment.Float, Value: func(c *certified) any { return c.setup() }, Doc: "processor time of the set-up alone, the median over the solver's runs; null where it is not known"},
	{Name: "final_gap", Type: experiment.Float, Value: func(c *certified) any { return known(c.final) }, Doc: "least certified gap of a point with a violation of at most 1e-6; null where there is none"},
	{Name: "points", Type: experiment.Int, Value: func(c *certified) any { return len(c.points) }, Doc: "points of the curve"},
	{Name: "overclaims", Type: experiment.Int, Value: func(c *certified) any { return c.overclaims }, Doc: "points whose reported gap is smaller than the certified one, by more than a tenth and 1e-9"},
	{Name: "lower_bound", Type: experiment.Float, Value: func(c *certified) any { return c.bound.value }, Doc: "certified lower bound on the optimum"},
	{Name: "bound_gap", Type: experiment.Float, Value: func(c *certified) any { return c.bound.gap }, Doc: "relative gap of the solution that the bound comes from: certified gaps are known no closer"},
	{Name: "stopped", Type: experiment.Text, Value: func(c *certified) any { return experiment.NotZero(c.why) }, Doc: "why the curve ends early; null where it is complete"},
}

var curveFields = experiment.Fields[*certifiedPoint]{
	{Name: "point", Type: experiment.Int, Value: func(p *certifiedPoint) any { return p.number }, Doc: "number of the point in the order of computing, from 0"},
	{Name: "tolerance", Type: experiment.Float, Value: func(p *certifiedPoint) any { return known(p.tolerance) }, Doc: "what the run was asked for; null for iterates of one run"},
	{Name: "seconds", Type: experiment.Float, Value: func(p *certifiedPoint) any { return p.seconds }, Doc: "processor time from having the data in memory to the point's coefficients, set-up included"},
	{Name: "passes", Type: experiment.Float, Value: func(p *certifiedPoint) any { return known(p.passes) }, Doc: "passes over the data, or iterations; null where it is not known"},
	{Name: "objective", Type: experiment.Float, Value: func(p *certifiedPoint) any { return p.objective }, Doc: "objective, computed from the coefficients alone"},
	{Name: "gap", Type: experiment.Float, Value: func(p *certifiedPoint) any { return p.gap }, Doc: "certified relative gap: objective less lower_bound, with twice the constraint's multiplier times the violation, over the larger size of the two"},
	{Name: "reported_gap", Type: experiment.Float, Value: func(p *certifiedPoint) any { return known(p.reported) }, Doc: "the gap that the solver itself gives; null where it has none"},
	{Name: "violation", Type: experiment.Float, Value: func(p *certifiedPoint) any { return p.violation }, Doc: "by how much the constraint is violated"},
	{Name: "overclaims", Type: experiment.Int, Value: func(p *certifiedPoint) any { return p.overclaims }, Doc: "1 where the point counts in the measure of that name, else 0"},
}

var (
	curveTable    = experiment.Table{Name: "curve", Kept: true, Number: "point", Count: "points", Columns: curveFields.Further()}
	furtherTables = []experiment.Table{curveTable}
)

// The dimensions, in the order of sorting.
const (
	dimDataset layout.Dimension = iota
	dimTask
	dimParams
	dimRegime
	dimRows
)

// Layout says how reports read the results; solvers are the methods.
var Layout = &layout.Layout{
	Dimensions: []layout.DimensionInfo{
		dimDataset: {Column: "dataset"},
		dimTask:    {Column: "task"},
		dimParams:  {Column: "task_params"},
		dimRegime:  {Column: "regime", Named: true},
		dimRows:    {Column: "n_rows", Named: true},
	},
	Aspects: []layout.Aspect{
		layout.Plain("data set", dimDataset, false, nil),
		layout.Plain("task", dimTask, false, nil),
		{Name: "settings", Dimensions: []layout.Dimension{dimParams}, Text: func(s layout.Setting) string {
			return analysis.SettingsText(s[dimParams].Text)
		}},
		layout.Plain("C", dimRegime, false, layout.Around("C=", "")),
		layout.Plain("rows", dimRows, true, layout.Around("", " rows")),
	},
	Conditions: []layout.Dimension{dimParams, dimRegime},
	Methods: []layout.Method{
		{Name: "rehline", Label: "rehline", Style: 4},
		{Name: "rehline-coordinate-descent", Label: "rehline, descent alone", Style: 7},
		{Name: "liblinear", Label: "LIBLINEAR", Style: 5},
		{Name: "liblinear-newton", Label: "LIBLINEAR, Newton", Style: 2},
		{Name: "lbfgs", Label: "L-BFGS", Style: 1},
		{Name: "scipy-lbfgsb", Label: "SciPy's L-BFGS-B", Style: 8},
		{Name: "cvxopt", Label: "CVXOPT", Style: 3},
		{Name: "ecos", Label: "ECOS", Style: 6},
		{Name: "clp", Label: "Clp"},
		{Name: "osqp", Label: "OSQP"},
		{Name: "scs", Label: "SCS"},
	},
	Step: layout.Step{Word: "tolerance"},
	Own: &layout.Own{
		Figures:  []string{figureProfile, figureGrowth, figureGap},
		Unscored: true,
	},
}

var generatedName = regexp.MustCompile(`^generated-\d+x(\d+)(?:-seed-(\d+))?$`)

// generator describes a [Generated.name] except for rows, "" for other data.
func generator(name string) string {
	found := generatedName.FindStringSubmatch(name)
	switch {
	case found == nil:
		return ""
	case found[2] == "":
		return "generated, " + found[1] + " features"
	}
	return "generated, " + found[1] + " features, seed " + found[2]
}
