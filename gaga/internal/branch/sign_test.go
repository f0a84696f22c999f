package branch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/model"
)

// The scalar of the sign test against determinants of H behind and before each crossing,
// from the problem alone.
func TestScalarIsRatioOfDeterminants(t *testing.T) {
	t.Parallel()
	for _, f := range families {
		if f.name == "kernel machine" || f.name == "many samples" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			compared, total := map[string]int{}, 0
			for seed := range uint64(12) {
				p := f.draw(rand.New(rand.NewPCG(seed, 23)), int(seed%2))
				b, ok := begin(t, p, f.age, 8*f.age)
				if !ok {
					continue
				}
				for o := (Outcome{}); !o.Arrived && o.Kind != Left; {
					o = b.Next(8*f.age, false)
					if o.Crossing.Cause == model.NoCause || math.IsNaN(o.Scalar) {
						continue
					}
					want, kind := ratio(b, o)
					total++
					if compared[kind]++; math.Abs(o.Scalar-want) > 1e-6*(1+math.Abs(want)) {
						t.Errorf("seed %d, age %v, %s: scalar %v, determinants say %v", seed, b.Left().Age, kind, o.Scalar, want)
					}
				}
			}
			if t.Logf("%v", compared); total < 30 {
				t.Errorf("only %d were compared", total)
			}
		})
	}
}

// ratio returns what the scalar of an outcome should be.
func ratio(b *Branch, o Outcome) (want float64, kind string) {
	x, s := o.Crossing, b.state
	zones, active := slices.Clone(s.Zone), slices.Clone(s.Active)
	sized := func(zone uint8, without int) float64 {
		zones := slices.Clone(zones)
		zones[x.Index] = zone
		return determinant(b, zones, active, without)
	}
	pin := uint8(model.Pinned)
	switch {
	case x.Cause == model.Dropped, s.Kinked() && o.To == pin:
		return 1, "taken away"
	case x.Cause == model.Activated:
		active = slices.DeleteFunc(active, func(j int) bool { return j == x.Index })
		before := determinant(b, zones, active, -1)
		behind := determinant(b, zones, append(slices.Clone(active), x.Index), -1)
		var magnitude float64
		for i, z := range zones {
			magnitude += math.Abs(slopeOf(b, i, z)) * s.Row(i)[x.Index] * s.Row(i)[x.Index]
		}
		return behind / before / (magnitude + s.L2[x.Index]), "activated"
	case s.Kinked() && o.From == pin:
		free := sized(pin, x.Index)
		if leverage := sized(pin, -1) / free; leverage <= 0 { // no minimum without the pin
			return leverage, "released"
		}
		return sized(o.To, -1) / free, "released"
	}
	return sized(o.To, -1) / sized(o.From, -1), "threshold"
}

// determinant returns that of H over the active coordinates, bordered by the rows of the
// pinned samples but one.
func determinant(b *Branch, zones []uint8, active []int, without int) float64 {
	s := b.state
	var pins []int
	for i, z := range zones {
		if s.Kinked() && z == model.Pinned && i != without {
			pins = append(pins, i)
		}
	}
	k := len(active)
	if k == 0 {
		return 1
	}
	h := mat.NewDense(k+len(pins), k+len(pins), nil)
	for r, j := range active {
		h.Set(r, r, s.L2[j])
		for q, i := range pins {
			h.Set(r, k+q, s.Row(i)[j])
			h.Set(k+q, r, s.Row(i)[j])
		}
	}
	for i, z := range zones {
		c := slopeOf(b, i, z)
		for r, j := range active {
			for q, l := range active {
				h.Set(r, q, h.At(r, q)+c*s.Row(i)[j]*s.Row(i)[l])
			}
		}
	}
	if len(pins)%2 == 1 {
		return -mat.Det(h)
	}
	return mat.Det(h)
}

// slopeOf returns m ∂φ/∂u of a sample at the left point by the formula of a zone.
func slopeOf(b *Branch, i int, zone uint8) float64 {
	s, pt := b.state, b.Left()
	loss, slope, curvature := s.Eval(zone, b.condition.PredictOne(i, pt.Theta), s.Y[i])
	v, dv, _ := s.Weight(zone, loss, pt.Age)
	return s.M[i] * (dv*slope*slope + v*curvature)
}
