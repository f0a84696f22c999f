package selfpaced

import (
	"math"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Rules of single settings.
var (
	coverages  = gridfile.Rule{Allows: func(x float64) bool { return x >= 0.5 && x <= 1 }, Want: "a number from 0.5 to 1"}
	growths    = gridfile.Rule{Allows: func(x float64) bool { return x >= 0.001 && x <= 1 }, Want: "a number from 0.001 to 1"}
	belowHalf  = gridfile.Rule{Allows: func(x float64) bool { return x >= 0 && x < 0.5 }, Want: "a number from 0 to below 0.5"}
	foldCounts = gridfile.Whole(2, 100)
	rowCounts  = gridfile.Rule{Allows: func(x float64) bool { return x >= 3 && x <= math.MaxInt32 && x == math.Trunc(x) }, Want: "a whole number from 3"}
)
