package known

import (
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/gaga"
)

// margin is a path of support vector machines without intercept whose samples all
// have the same margin u = y f(x): two tied samples, with the linear kernel each
// other's mirror image, with the RBF kernel of one label and at the distance where it
// is 1/2. With
// multipliers α = C v the condition is, for l = C(1 - u) > 0,
//
//	u = κ C v*(C(1 - u), λ),
//
// where κ is 2, or 1 + 1/2. While every sample is discarded u = 0 and l = C. In units L = λ/C the
// condition depends on k = κC only, and all formulas below are in these units. With
// k < 1 the fit with all weights 1 is u = k, and the path begins where it is no
// longer discarded: a weight near 0 sends it to u = 0 at once. The
// curvature of the objective along u over the penalty's is 1 + k dv/d(l/C); across,
// where κ is 1 - 1/2 with the RBF kernel, it is larger.
type margin struct {
	name       string
	k          float64
	start, max float64 // of L
	// regularizer returns the regularizer with its parameter for ages of unit C.
	regularizer func(c float64) gaga.Regularizer
	// unit is what an age of L = 1 is for the cost C.
	unit     func(c float64) float64
	branches []marginBranch
}

// marginBranch is a branch of a margin. It begins with an event, unless it is the
// first: a turning point with the cause SampleDown for each of the tied samples,
// or a jump with the given cause at the first of them.
type marginBranch struct {
	from float64 // L
	zone string
	u    func(age float64) float64
	kind gaga.Kind
	fold bool
}

func machines() []Problem {
	var all []Problem
	for _, m := range []margin{
		linearMargin(), polynomialMargin(), steepMargin(),
		mixtureMargin(1, "turning"), mixtureMargin(2.5, "fold"),
		logMargin(1, 0.5, "turning"), logMargin(2, 0.9, "fold"),
	} {
		all = append(all, m.linear(), m.rbf())
	}
	return slices.Concat(all, opposed("svm linear kernel, ", 1, nil), opposed("svm rbf kernel, ", 0, gaga.RBF{Gamma: 1}))
}

// linear returns the problem with the linear kernel: u = w.
func (m margin) linear() Problem {
	c := m.k / 2
	p := gaga.SVM(column(1, -1), []float64{1, -1}, nil, c, nil)
	return m.problem("svm linear kernel, ", p, c, func(u float64) []float64 { return []float64{u, 0} })
}

// rbf returns the problem with the RBF kernel: u = κα for both samples.
func (m margin) rbf() Problem {
	const kappa = 1.5
	c := m.k / kappa
	p := gaga.SVM(column(0, 1), []float64{1, 1}, nil, c, gaga.RBF{Gamma: math.Ln2})
	return m.problem("svm rbf kernel, ", p, c, func(u float64) []float64 { return []float64{u / kappa, u / kappa, 0} })
}

func (m margin) problem(kernel string, model *gaga.Problem, c float64, theta func(u float64) []float64) Problem {
	model.Intercept = false
	model.Regularizer = m.regularizer(c)
	unit := m.unit(c)
	// From below the start: the fit with all weights 1, u = k, is discarded there,
	// but for LOG, which does not discard.
	p := Problem{Name: kernel + m.name, Model: model, Start: m.start * unit, Age: gaga.Range{Min: 0.5 * m.start * unit, Max: m.max * unit}}
	if _, log := model.Regularizer.(gaga.LOG); log {
		p.Age.Min = p.Start
	}
	n := model.X.Rows
	for i, b := range m.branches {
		from := max(p.Start, b.from*unit)
		p.Branches = append(p.Branches, Branch{from, strings.Repeat(b.zone, n), func(age float64) []float64 { return theta(b.u(age / unit)) }})
		switch {
		case i == 0:
		case b.fold:
			p.Events = append(p.Events, jump(from, gaga.Fold, -1))
		case b.kind == gaga.Jump:
			p.Events = append(p.Events, jump(from, gaga.SampleDown, 0))
		default:
			for j := range n {
				p.Events = append(p.Events, down(from, j))
			}
		}
	}
	return p
}

func still(u float64) func(float64) float64 { return func(float64) float64 { return u } }

func same(c float64) float64 { return c }

// linearMargin has u = k (1 - (1 - u)/L), so u = k (L - 1)/(L - k). Behind L = 1
// the curvature is 1 - k/L: it turns for k < 1.
func linearMargin() margin {
	const k = 0.5
	return margin{
		name: "linear: turning", k: k, start: 1 - k, max: 20, unit: same,
		regularizer: func(float64) gaga.Regularizer { return gaga.Linear{} },
		branches: []marginBranch{
			{zone: "D", u: still(0)},
			{from: 1, zone: "E", u: func(l float64) float64 { return k * (l - 1) / (l - k) }, kind: gaga.Turning},
		},
	}
}

// polynomialMargin has order 3/2, so v = z² with z = 1 - (1 - u)/L, and u = k z²
// makes it (k/L) z² - z + 1 - 1/L = 0. Behind L = 1, where z = 0 and the weight
// enters with slope 0, the smaller zero is stable.
func polynomialMargin() margin {
	const k = 0.5
	return margin{
		name: "polynomial: turning", k: k, start: 1 - k, max: 20, unit: same,
		regularizer: func(float64) gaga.Regularizer { return gaga.Polynomial{Order: 1.5} },
		branches: []marginBranch{
			{zone: "D", u: still(0)},
			{from: 1, zone: "E", u: func(l float64) float64 {
				// the smaller zero, in the form that does not cancel
				z := 2 * (1 - 1/l) / (1 + math.Sqrt(1-4*k/l*(1-1/l)))
				return k * z * z
			}, kind: gaga.Turning},
		},
	}
}

// steepMargin has order 3, so v = √z, and the weight enters with infinite slope:
// it jumps at L = 1, over u < k√z, to the positive zero of
// u² - (k²/L) u - k² (1 - 1/L) = 0.
func steepMargin() margin {
	const k = 0.5
	return margin{
		name: "polynomial of order 3: jump", k: k, start: 1 - k, max: 20, unit: same,
		regularizer: func(float64) gaga.Regularizer { return gaga.Polynomial{Order: 3} },
		branches: []marginBranch{
			{zone: "D", u: still(0)},
			{from: 1, zone: "E", u: func(l float64) float64 {
				half := 0.5 * k * k / l
				return half + math.Sqrt(half*half+k*k*(1-1/l))
			}, kind: gaga.Jump},
		},
	}
}

// mixtureMargin is in the units L = λ/√C, g = γ/√C and ρ = √(l/C) = √(1 - u). In
// the middle zone ρ² = 1 - kg (1/ρ - 1/L), so ρ³ - (1 + kg/L) ρ + kg = 0, of which
// the largest zero is stable, as the curvature is 1 - kg/(2ρ³). It begins at
// L = 1, ρ = 1 and ends where ρ has fallen to √(1 - k), at L = ρg/(g - ρ), with all
// samples easy, or before that in a fold, at ρ³ = kg/2.
func mixtureMargin(g float64, what string) margin {
	const k = 0.5
	easy, zone := math.Sqrt(1-k), marginBranch{zone: "E", u: still(k)}
	if at := math.Cbrt(k * g / 2); at > easy {
		zone.fold = true
		zone.from = 1 / (1/at - (1-at*at)/(k*g))
	} else {
		zone.kind = gaga.Turning
		zone.from = easy * g / (g - easy)
	}
	return margin{
		name: "mixture: " + what, k: k, start: math.Sqrt(1 - k), max: 20, unit: math.Sqrt,
		regularizer: func(c float64) gaga.Regularizer { return gaga.Mixture{Gamma: g * math.Sqrt(c)} },
		branches: []marginBranch{
			{zone: "D", u: still(0)},
			{from: 1, zone: "M", u: func(l float64) float64 {
				rho := largeCubic(1+k*g/l, k*g)
				return (1 - rho) * (1 + rho)
			}, kind: gaga.Turning},
			zone,
		},
	}
}

// logMargin has u = k (1 + aL)/(1 + a (1 - u)) while l > λ, with a in units of
// 1/C: a u² - (1 + a) u + k (1 + aL) = 0, of which the smaller zero is stable. The
// samples are easy from u = k, L = 1 - k on, unless the two zeros meet before, at
// u = (1 + a)/2a, which is a fold.
func logMargin(a, k float64, what string) margin {
	easy := marginBranch{from: 1 - k, zone: "E", u: still(k), kind: gaga.Turning}
	if (1+a)/(2*a) < k {
		easy.fold = true
		easy.from = ((1+a)*(1+a)/(4*a*k) - 1) / a
	}
	return margin{
		name: "LOG: " + what, k: k, start: 0.01, max: 5, unit: same,
		regularizer: func(c float64) gaga.Regularizer { return gaga.LOG{A: a / c} },
		branches: []marginBranch{
			{zone: "D", u: func(l float64) float64 {
				n := k * (1 + a*l)
				return 2 * n / (1 + a + math.Sqrt(math.Max(0, (1+a)*(1+a)-4*a*n)))
			}},
			easy,
		},
	}
}

// opposed returns problems of two samples of opposite labels at one place x with
// k(x, x) = 1, the second of multiplicity m < 1: with the first's margin u the gaps
// are 1 - u and 1 + u, and u = α₁ - α₂.
func opposed(name string, x float64, kernel gaga.Kernel) []Problem {
	build := func(what string, c, m float64, r gaga.Regularizer) Problem {
		p := gaga.SVM(column(x, x), []float64{1, -1}, []float64{1, m}, c, kernel)
		p.Intercept = false
		p.Regularizer = r
		return Problem{Name: name + what, Model: p}
	}
	theta := func(a1, a2 float64) func(float64) []float64 {
		if kernel == nil {
			return constant(a1-a2, 0)
		}
		return constant(a1, a2, 0)
	}
	// Hard, C = 1/2: the first alone rests at u = 1/2, and the second comes in at
	// its loss there, 3/4; both rest at u = 1/2 - 1/4.
	hard := build("hard: jump", 0.5, 0.5, gaga.Hard{})
	hard.Age, hard.Start = gaga.Range{Min: 0.5, Max: 5}, 0.5
	hard.Branches = []Branch{{0.5, "ED", theta(0.5, 0)}, {0.75, "EE", theta(0.5, 0.25)}}
	hard.Events = []Event{jump(0.75, gaga.SampleDown, 1)}
	// Linear, C = 2: both rest at u = 2 - 1.6 with all weights 1, the first with the
	// loss 1.2. From there u falls to 0. At λ = C both would come in; the first
	// does, with the curvature 1 - C²/λ < 0, and u = C (1 - C (1 - u)/λ) > u up to
	// the kink u = 1, where the second's loss is 2C.
	kink := build("linear: jump to the kink", 2, 0.8, gaga.Linear{})
	kink.Age, kink.Start = gaga.Range{Min: 0.5, Max: 3.9}, 1.2
	kink.Branches = []Branch{{1.2, "DD", theta(0, 0)}, {2, "ZD", theta(1, 0)}}
	kink.Events = []Event{jump(2, gaga.SampleDown, 0)}
	return []Problem{hard, kink}
}
