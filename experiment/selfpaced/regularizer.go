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

type regularizerInfo struct {
	name     string
	settings []gridfile.SettingInfo
	make     func(param float64) gaga.Regularizer
}

func (r *regularizerInfo) Declaration() (string, []gridfile.SettingInfo) { return r.name, r.settings }

// regularizerTable has the order of messages and documents.
var regularizerTable = []*regularizerInfo{
	{Hard, nil, func(float64) gaga.Regularizer { return gaga.Hard{} }},
	{Linear, nil, func(float64) gaga.Regularizer { return gaga.Linear{} }},
	{Polynomial, parameter("order", polynomialOrder), func(order float64) gaga.Regularizer { return gaga.Polynomial{Order: order} }},
	{Mixture, parameter("gamma", gridfile.Positive), func(gamma float64) gaga.Regularizer { return gaga.Mixture{Gamma: gamma} }},
	{LOG, parameter("a", gridfile.Positive), func(a float64) gaga.Regularizer { return gaga.LOG{A: a} }},
}

var polynomialOrder = gridfile.Rule{
	Allows: func(x float64) bool { return x >= gaga.LeastOrder },
	Want:   fmt.Sprintf("a number >= %v (weights of smaller orders are too steep for exact paths; hard is their limit)", gaga.LeastOrder),
}

func parameter(name string, allowed gridfile.Rule) []gridfile.SettingInfo {
	return []gridfile.SettingInfo{{Name: name, Rule: allowed, Needed: true, Example: "[1.5]"}}
}
