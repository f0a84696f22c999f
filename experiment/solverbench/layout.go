package solverbench

import "github.com/agepath/agepath/results/layout"

// The dimensions in the order rows are sorted by.
const (
	dimDataset layout.Dimension = iota
	dimTask
	dimParams
	dimRegime
)

// Layout says how reports read the kind's results: solvers are its methods.
var Layout = &layout.Layout{
	Dimensions: []layout.DimensionInfo{
		dimDataset: {Column: "dataset"},
		dimTask:    {Column: "task"},
		dimParams:  {Column: "task_params"},
		dimRegime:  {Column: "regime", Named: true},
	},
	Aspects: []layout.Aspect{
		layout.Plain("data set", dimDataset, false, nil),
		layout.Plain("task", dimTask, false, nil),
		layout.Plain("settings", dimParams, false, nil),
		layout.Plain("C", dimRegime, false, layout.Equals("C")),
	},
	Conditions: []layout.Dimension{dimParams, dimRegime},
	Methods: []layout.Method{
		{Name: "rehline", Label: "rehline", Style: 1},
		{Name: "rehline-coordinate-descent", Label: "rehline, coordinate descent alone", Style: 2},
		{Name: "lbfgs", Label: "L-BFGS", Style: 3},
	},
	Step:  "tolerance",
	Files: "curves of gap against time", GroupBy: "task",
}
