package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/cubic"
	"github.com/agepath/agepath/internal/kernel"
)

func (s *samples) addKink(none []float64) {
	spreads := none
	if s.Kernel == nil && !s.Sparse() {
		spreads = make([]float64, s.N)
		for i := range spreads {
			var square float64
			for j, x := range s.Row(i) {
				if s.L2[j] > 0 {
					square += x * x
				}
			}
			spreads[i] = 1 + math.Sqrt(square)
		}
	}
	s.exits[model.Satisfied] = []exit{{model.SampleUp, arrival{s, 1}, spreads}}
	s.exits[model.Pinned] = []exit{{model.SampleUp, bound{s, 1}, none}, {model.SampleDown, bound{s, -1}, none}}
	s.exits[s.Kinks] = []exit{{model.SampleDown, arrival{s, -1}, spreads}}
}

// arrive sets the multiplier of a sample at the kink to that of the zone it left.
func arrive(s *model.State, pt *model.Point, x model.Crossing) {
	if !s.Kinked() || !x.OfSample() || s.Zone[x.Index] != model.Pinned {
		return
	}
	pt.Dual[x.Index] = 0
	if x.Cause == model.SampleDown {
		pt.Dual[x.Index] = s.Bound * s.M[x.Index]
	}
}

// arrival is the kink as the end of the satisfied samples (side 1) or of the regularizer's first
// zone (side -1).
type arrival struct {
	*samples
	side float64
}

func (e arrival) at(pt *model.Point, slot int) cubic.End {
	y := e.Y[e.Watch[slot]]
	return cubic.End{Value: e.side * (y*pt.U[slot] - 1), Rate: e.side * (y * pt.DU[slot])}
}

func (e arrival) size(pt *model.Point, slot int) float64 { return 1 + math.Abs(pt.U[slot]) }

func (e arrival) gradient(g []float64, pt *model.Point, x model.Crossing) (value, size, dage float64) {
	e.condition.Row(g, x.Index)
	kernel.ScaleTo(g, e.side*e.Y[x.Index], g)
	return e.at(pt, x.Slot).Value, e.size(pt, x.Slot), 0
}

// test always passes: pinning a sample removes directions.
func (e arrival) test(*model.Point, model.Crossing) float64 { return 1 }

// bound is the upper bound of a pinned sample's multiplier (side 1) or zero (side -1).
type bound struct {
	*samples
	side float64
}

func (e bound) at(pt *model.Point, slot int) cubic.End {
	i, top := e.Watch[slot], 0.0
	if e.side > 0 {
		top = e.size(pt, slot)
	}
	return cubic.End{Value: top - e.side*pt.Dual[i], Rate: -e.side * pt.DDual[i]}
}

func (e bound) size(_ *model.Point, slot int) float64 { return e.Bound * e.M[e.Watch[slot]] }

func (e bound) gradient(g []float64, pt *model.Point, x model.Crossing) (value, size, dage float64) {
	clear(g)
	g[e.condition.UnknownOf(x.Index)] = -e.side
	return e.at(pt, x.Slot).Value, e.size(pt, x.Slot), 0
}

// test is that of a threshold; H must be positive definite without the pin.
func (e bound) test(pt *model.Point, x model.Crossing) float64 {
	change, ok := e.bend(pt, x)
	if !ok {
		return math.Inf(-1)
	}
	leverage := e.condition.Release(x.Index)
	if !(leverage > 0) {
		return leverage
	}
	return 1 + change*leverage
}
