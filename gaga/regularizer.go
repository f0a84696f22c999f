package gaga

import (
	"fmt"
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/kernel"
)

// Regularizer is a self-paced regularizer f(v, λ), given by the weight v*(l, λ) of a sample of loss
// l >= 0 at age λ > 0. Thresholds cut the losses into zones on which the weight is smooth; its
// formula must also hold a little beyond the zone's ends, where Newton's method steps.
type Regularizer interface {
	Name() string
	// Zones returns the zones in order of rising loss, at least two.
	Zones() []Zone
	// Threshold returns the loss between zones k and k+1, and its derivative in the age. A loss
	// equal to the threshold belongs to zone k+1, with [Zone.Closed] to zone k.
	Threshold(k int, age float64) (loss, slope float64)
	// Weight returns v* and its derivatives by the formula of zone k.
	Weight(k int, loss, age float64) (v, dloss, dage float64)
	// Integral returns F_λ(l) = ∫_0^l v*(t, λ) dt, the implicit loss.
	Integral(loss, age float64) float64
}

// Zone is an interval of losses on which a regularizer's weight is smooth.
type Zone struct {
	Kind   ZoneKind
	Closed bool // includes its upper threshold
	// Break marks a weight that is discontinuous at the upper threshold: each crossing is a jump.
	Break bool
}

// ZoneKind names a zone in results.
type ZoneKind uint8

const (
	Easy      ZoneKind = iota // a full or high weight
	Middle                    // between two thresholds
	Discarded                 // no weight, or for LOG a falling one
	Satisfied                 // beyond the kink of a loss: full weight, no loss
	Pinned                    // at the kink: full weight
)

func (k ZoneKind) String() string {
	return [...]string{"easy", "middle", "discarded", "satisfied", "pinned"}[k]
}

// Weights replaces losses by their weights v* at an age.
func Weights(r Regularizer, losses []float64, age float64) {
	zoning := model.NewZoning(r, engineZones(r), nil, false)
	for i, loss := range losses {
		losses[i], _, _ = r.Weight(zoning.Of(loss, age), loss, age)
	}
}

var twoZones = []Zone{{Kind: Easy}, {Kind: Discarded}}

// Hard is f = -λv (Kumar, Packer, Koller 2010): weight 1 below the age, else 0.
type Hard struct{}

func (Hard) Name() string  { return "hard" }
func (Hard) Zones() []Zone { return hardZones }

var hardZones = []Zone{{Kind: Easy, Break: true}, {Kind: Discarded}}

func (Hard) Threshold(_ int, age float64) (float64, float64) { return age, 1 }

func (Hard) Weight(k int, _, _ float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1, 0, 0
	}
	return 0, 0, 0
}

func (Hard) Series(zone int, age float64) Series {
	if zone == 0 {
		return Series{F: [4]float64{2: 1}}
	}
	return Series{F: [4]float64{age}, Rate: [4]float64{1}}
}

func (Hard) Integral(loss, age float64) float64 { return math.Min(loss, age) }

// Linear is f = λ(v²/2 - v) (Jiang et al. 2014): weight 1 - l/λ below the age.
type Linear struct{}

func (Linear) Name() string                                    { return "linear" }
func (Linear) Zones() []Zone                                   { return twoZones }
func (Linear) Threshold(_ int, age float64) (float64, float64) { return age, 1 }

func (Linear) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1 - loss/age, -1 / age, loss / (age * age)
	}
	return 0, 0, 0
}

func (Linear) Series(zone int, age float64) Series {
	if zone == 0 {
		return Series{F: [4]float64{2: 1, 3: -1 / (2 * age)}, Rate: [4]float64{3: 1 / (2 * age * age)}}
	}
	return Series{F: [4]float64{age / 2}, Rate: [4]float64{0.5}}
}

func (Linear) Integral(loss, age float64) float64 {
	if loss < age {
		return loss - loss*loss/(2*age)
	}
	return age / 2
}

// Polynomial is f = λ(v^t/t - v) of order t >= [LeastOrder] (Gong et al. 2018): weight
// (1 - l/λ)^(1/(t-1)) below the age. Order 2 is [Linear], the limit at order 1 is [Hard].
type Polynomial struct{ Order float64 }

// LeastOrder is the smallest order of [Polynomial]. At smaller ones, as at 1.1, weights below 1e-10
// fill a tenth of the zone and more: floating point does not find what samples there determine, as
// the intercept of a support vector machine, and paths end early.
const LeastOrder = 1.2

func (Polynomial) Name() string                                    { return "polynomial" }
func (Polynomial) Zones() []Zone                                   { return twoZones }
func (Polynomial) Threshold(_ int, age float64) (float64, float64) { return age, 1 }

// Weight continues the power to an odd function beyond the age, so that orders up to 2 stay smooth
// there; above order 2 the slope at the age is infinite.
func (p Polynomial) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k != 0 {
		return 0, 0, 0
	}
	base := 1 - loss/age
	q, size := 1/(p.Order-1), math.Abs(base)
	v = power(size, q)
	slope := q * v / size
	if size == 0 {
		slope = q * math.Pow(0, q-1)
	}
	return math.Copysign(v, base), -slope / age, slope * loss / (age * age)
}

func (p Polynomial) CheckParameters() error {
	return checkParameter("Order", p.Order, p.Order >= LeastOrder, fmt.Sprintf("a number >= %v; Hard is the limit at 1", LeastOrder))
}

// Integral stays accurate for small losses.
func (p Polynomial) Integral(loss, age float64) float64 {
	order := 1/(p.Order-1) + 1
	if loss >= age {
		return age / order
	}
	return -age / order * math.Expm1(order*math.Log1p(-loss/age))
}

// power returns x^q for x >= 0 and q > 0, to a few roundings times |q ln x|, faster than math.Pow.
func power(x, q float64) float64 { return kernel.Exp(q * math.Log(x)) }

// Mixture is f = γ²/(v + γ/λ) (Zhao et al. 2015): weight 1 where
// √l <= λγ/(λ+γ), 0 where √l >= λ, and γ(1/√l - 1/λ) between. γ > 0.
type Mixture struct{ Gamma float64 }

func (Mixture) Name() string  { return "mixture" }
func (Mixture) Zones() []Zone { return mixtureZones }

var mixtureZones = []Zone{{Kind: Easy, Closed: true}, {Kind: Middle}, {Kind: Discarded}}

func (m Mixture) Threshold(k int, age float64) (float64, float64) {
	if k == 1 {
		return age * age, 2 * age
	}
	root := age * m.Gamma / (age + m.Gamma)
	ratio := m.Gamma / (age + m.Gamma)
	return root * root, 2 * root * ratio * ratio
}

func (m Mixture) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	switch k {
	case 0:
		return 1, 0, 0
	case 1:
		root := math.Sqrt(loss)
		return m.Gamma * (1/root - 1/age), -m.Gamma / (2 * loss * root), m.Gamma / (age * age)
	}
	return 0, 0, 0
}

func (m Mixture) Series(zone int, age float64) Series {
	if zone == 0 {
		return Series{F: [4]float64{2: 1}}
	}
	g := m.Gamma
	low, dlow := m.Threshold(0, age)
	root := math.Sqrt(low)
	// F = low + γ(2(|r| - √low) - (r² - low)/λ); its derivative in low is 0.
	f0 := low - 2*g*root + g*low/age
	df0 := dlow*(1-g/root+g/age) - g*low/(age*age)
	if zone == 1 {
		return Series{
			F:    [4]float64{f0, 2 * g, -g / age},
			Rate: [4]float64{0: df0, 2: g / (age * age)},
		}
	}
	return Series{F: [4]float64{f0 + 2*g*age - g*age}, Rate: [4]float64{df0 + g}}
}

func (m Mixture) CheckParameters() error {
	return checkParameter("Gamma", m.Gamma, m.Gamma > 0, "a number > 0")
}

func (m Mixture) Integral(loss, age float64) float64 {
	low, _ := m.Threshold(0, age)
	if loss <= low {
		return loss
	}
	top := math.Min(loss, age*age)
	return low + m.Gamma*(2*(math.Sqrt(top)-math.Sqrt(low))-(top-low)/age)
}

// LOG is the logarithmic regularizer KL(1+aλ, v)/a, a > 0: weight 1 up to λ, (1+aλ)/(1+al) beyond.
type LOG struct{ A float64 }

func (LOG) Name() string                                    { return "log" }
func (LOG) Zones() []Zone                                   { return logZones }
func (LOG) Threshold(_ int, age float64) (float64, float64) { return age, 1 }

var logZones = []Zone{{Kind: Easy, Closed: true}, {Kind: Discarded}}

func (g LOG) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1, 0, 0
	}
	den := 1 + g.A*loss
	v = (1 + g.A*age) / den
	return v, -v * g.A / den, g.A / den
}

func (g LOG) CheckParameters() error {
	return checkParameter("A", g.A, g.A > 0, "a number > 0")
}

func (g LOG) Integral(loss, age float64) float64 {
	if loss <= age {
		return loss
	}
	return age + (1+g.A*age)/g.A*math.Log((1+g.A*loss)/(1+g.A*age))
}
