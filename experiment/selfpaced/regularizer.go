package selfpaced

import (
	"fmt"

	"github.com/agepath/agepath/gaga"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Self-paced regularizers; Linear is another.
const (
	Hard       = "hard"
	Polynomial = "polynomial"
	Mixture    = "mixture"
	LOG        = "log"
)

// Regularizer is zero for none. Its JSON is part of the canonical form of a cell.
type Regularizer struct {
	Name  string  `json:"name"`
	Param float64 `json:"param,omitempty"` // order t of Polynomial, γ of Mixture, a of LOG
}

// regularizerInfo declares a regularizer and its effect on work, see cost.go.
type regularizerInfo struct {
	name     string
	settings []gridfile.SettingInfo
	make     func(param float64) gaga.Regularizer

	alternations float64 // of alternate convex search at one age
	points       float64 // critical points, relative to the linear regularizer
	sampled      float64 // work for each number of the data, without zone sums
	landings     float64 // warm fits at a point, if all are jumps
}

func (r *regularizerInfo) Declaration() (string, []gridfile.SettingInfo) { return r.name, r.settings }

// regularizerTable has the order of messages and documents.
var regularizerTable = []*regularizerInfo{
	{name: Hard, make: func(float64) gaga.Regularizer { return gaga.Hard{} }, alternations: 4, points: 0.25, landings: 3},
	{name: Linear, make: func(float64) gaga.Regularizer { return gaga.Linear{} }, alternations: 35, points: 1},
	{
		name: Polynomial, settings: parameter("order", polynomialOrder), alternations: 65, points: 1.6, sampled: 10,
		make: func(order float64) gaga.Regularizer { return gaga.Polynomial{Order: order} },
	},
	{
		name: Mixture, settings: parameter("gamma", gridfile.Positive), alternations: 45, points: 2,
		make: func(gamma float64) gaga.Regularizer { return gaga.Mixture{Gamma: gamma} },
	},
	{
		name: LOG, settings: parameter("a", gridfile.Positive), alternations: 15, points: 1, sampled: 2,
		make: func(a float64) gaga.Regularizer { return gaga.LOG{A: a} },
	},
}

var polynomialOrder = gridfile.Rule{
	Allows: func(x float64) bool { return x >= gaga.LeastOrder },
	Want:   fmt.Sprintf("a number >= %v (weights of smaller orders are too steep for exact paths; hard is their limit)", gaga.LeastOrder),
}

func parameter(name string, allowed gridfile.Rule) []gridfile.SettingInfo {
	return []gridfile.SettingInfo{{Name: name, Rule: allowed, Needed: true, Example: "[1.5]"}}
}
