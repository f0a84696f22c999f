package benchmark

import (
	"regexp"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
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
		layout.Plain("C", dimRegime, false, layout.Equals("C")),
		layout.Plain("rows", dimRows, true, layout.Behind("rows")),
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
		Figures: []string{figureProfile, figureGrowth, figureGap}, Files: []string{solversFile},
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
