package gaga_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// The paper's section D.4 on the embedded sets: alternate convex search at a
// fine grid against the path; jumps are compared both ways. With AGEPATH_LONG=1
// over [0.1, 20] with steps 1e-3, digits 1e-2, a table row a cell.
func TestConsistency(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	runCells(t, acceptanceCells("diabetes", "breast_cancer", "digits"), measureConsistency)
}

const (
	agreement = 1e-4 // of the scale: what path and alternation may differ by
	probe     = 1e-4 // step of alternation around a recorded jump
)

// consistency compares one cell's path with alternation.
type consistency struct {
	p         *gaga.Problem
	path      *gaga.Path
	acs       *gaga.Alternation
	predictor *gaga.Predictor // of kernel models
	a, b      []float64       // n, scratch
	scale     float64
	jumps     []jumpKnot
	step      float64
}

// jumpKnot is a recorded jump.
type jumpKnot struct {
	age, landing, size float64
	index              int
	from, to           []float64 // θ before and behind
	detail             string
}

func measureConsistency(t *testing.T, ctx context.Context, c cell) {
	p, o, step := c.problem(t), c.options(), 0.001
	switch {
	case !needs.Long():
		o.Age.Max, step = 0.5, 0.005
	case c.data == "digits":
		step = 0.01
	}
	begin := time.Now()
	path, err := gaga.Track(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	tracked := time.Since(begin)
	begin = time.Now()
	m := newConsistency(t, p, path, step)
	acs := m.alternate(ctx, t, baselines.Ages(o.Age.Min, o.Age.Max, step))
	searched := time.Since(begin)
	g := m.agree(t, acs)
	d := m.discontinuities(t, acs)
	begin = time.Now()
	j := m.probes(t)
	alternations := 0
	for _, r := range path.Restarts() {
		alternations += r.Iterations
	}
	t.Logf("ROW2 %v | %dx%d | path %v %.2f s, ACS to %.4g %.2f s %d alternations, %d unconverged, %d one class | agree %d of %d (%.3f %%), off: %d within a step of a jump, %d lasting since one, %d elsewhere, worst %.1e | ACS breaks %d: %d at recorded jumps, %d not, %d off the path | recorded jumps %d: %d seen, %d smaller than %.0e, %d seen with steps of 1e-9 only, %d land elsewhere, %d not seen, %d skipped (%.1f s)",
		c, p.X.Rows, p.X.Cols, path.Status(), tracked.Seconds(), acs.reached, searched.Seconds(), acs.alternations, acs.unconverged, acs.oneClass,
		g.agree, g.compared, 100*float64(g.agree)/float64(max(1, g.compared)), g.near, g.lasting, g.elsewhere, g.worst,
		d.recorded+d.missed+d.astray, d.recorded, d.missed, d.astray, len(m.jumps), j.seen, j.small, agreement, j.coarse, j.otherwise, j.unseen, j.skipped, time.Since(begin).Seconds())
	if g.compared == 0 {
		t.Error("no age was compared")
	}
	if needs.Long() {
		if float64(g.agree) < 0.99*float64(g.compared) {
			t.Errorf("agreement at %d of %d ages", g.agree, g.compared)
		}
	}
}

// alternating is what alternation found at the grid's ages.
type alternating struct {
	points                              []acsPoint
	alternations, unconverged, oneClass int
	reached                             float64
}

type acsPoint struct {
	age   float64
	theta []float64
	first bool // no age before it, or not on the same warm-started run
}

// alternate runs alternate convex search as baselines.ACS does, on each gapless
// part of the path from the fit with all weights 1 at its beginning: that is
// where the path begins, at the lowest age from which alternation keeps both
// classes, as far as that is located: where it does not keep them yet, it begins
// at the next age. Where it loses one later it ends in that part.
func (m *consistency) alternate(ctx context.Context, t *testing.T, ages []float64) alternating {
	var found alternating
	cover := m.path.Range()
	starts, ends := []float64{cover.Min}, []float64{}
	for _, g := range m.path.Gaps() {
		ends = append(ends, g.From)
		if g.To < cover.Max {
			starts = append(starts, g.To)
		}
	}
	ends = append(ends, cover.Max)
	for k, start := range starts {
		part := []float64{start}
		for _, age := range ages {
			if age > start && age <= ends[k] {
				part = append(part, age)
			}
		}
		first := true
		for q, age := range part {
			if first {
				if err := m.acs.FitAll(ctx); err != nil {
					t.Fatal(err)
				}
			}
			n, err := m.acs.Converge(ctx, age, 0, 0)
			found.alternations += n
			var slow *gaga.NotConverged
			switch {
			case ctx.Err() != nil:
				return found
			case errors.As(err, &slow):
				found.unconverged++
			case errors.Is(err, gaga.ErrOneClass) && first:
				found.oneClass++
				continue
			case errors.Is(err, gaga.ErrOneClass):
				found.oneClass += len(part) - q
			case err != nil:
				t.Errorf("age %v: %v", age, err)
			}
			if err != nil && slow == nil {
				break
			}
			found.points = append(found.points, acsPoint{age, slices.Clone(m.acs.Theta()), first})
			found.reached, first = age, false
		}
	}
	return found
}

func newConsistency(t *testing.T, p *gaga.Problem, path *gaga.Path, step float64) *consistency {
	t.Helper()
	acs, err := gaga.NewAlternation(p)
	if err != nil {
		t.Fatal(err)
	}
	m := &consistency{p: p, path: path, acs: acs, step: step}
	if p.Kernel != nil {
		if m.predictor, err = gaga.NewPredictor(p, p.X); err != nil {
			t.Fatal(err)
		}
		m.a, m.b = make([]float64, p.X.Rows), make([]float64, p.X.Rows)
	}
	knots := path.Knots()
	for i := 0; i < len(knots); i += 1 + len(knots)/1000 {
		for _, w := range m.values(knots[i].Theta, &m.a) {
			m.scale = max(m.scale, math.Abs(w))
		}
	}
	for i, k := range knots {
		if k.Kind == gaga.Jump {
			j := jumpKnot{age: k.Age, landing: math.NaN(), index: k.Index, from: k.Theta, detail: k.Detail}
			if i+1 < len(knots) {
				j.landing, j.to = knots[i+1].Age, knots[i+1].Theta
				j.size = m.apart(j.from, j.to)
			}
			m.jumps = append(m.jumps, j)
		}
	}
	return m
}

// values returns what two points are compared by: the coefficients, of a kernel
// model the decision values of the training samples, which determine
// the multipliers only as far as the kernel matrix does.
func (m *consistency) values(theta []float64, into *[]float64) []float64 {
	if m.predictor == nil {
		return theta
	}
	m.predictor.Predict(*into, theta)
	return *into
}

// apart returns how far two points are apart, relative to the path's scale.
func (m *consistency) apart(a, b []float64) float64 {
	return distance(m.values(a, &m.a), m.values(b, &m.b)) / m.scale
}

// jumpBetween reports whether a jump is recorded between two ages, the hair up
// to its landing included.
func (m *consistency) jumpBetween(lo, hi float64) bool {
	slack := 1e-3 * m.step
	return slices.ContainsFunc(m.jumps, func(j jumpKnot) bool {
		return j.age >= lo-slack && j.age <= hi+slack || j.landing >= lo-slack && j.landing <= hi+slack
	})
}

type agreeing struct {
	compared, agree          int
	near, lasting, elsewhere int // disagreements
	worst                    float64
}

// agree compares path and alternation at the grid's ages. A disagreement is near
// where a jump is within a step, lasting where all ages since such a one
// disagree.
func (m *consistency) agree(t *testing.T, acs alternating) agreeing {
	var g agreeing
	lost := false
	for _, k := range acs.points {
		theta, err := m.path.At(k.age)
		var gap *gaga.GapError
		var outside *gaga.AgeError
		if errors.As(err, &gap) || errors.As(err, &outside) {
			lost = false
			continue
		}
		if err != nil {
			t.Errorf("age %v: %v", k.age, err)
			continue
		}
		g.compared++
		off := m.apart(theta, k.theta)
		switch {
		case off <= agreement:
			g.agree++
			lost = false
			continue
		case m.jumpBetween(k.age-m.step, k.age+m.step):
			g.near++
			lost = true
		case lost:
			g.lasting++
		default:
			if g.elsewhere++; g.elsewhere <= 3 {
				t.Errorf("age %v: path and ACS are %.3g of the scale apart, no jump is near", k.age, off)
			}
		}
		g.worst = max(g.worst, off)
	}
	return g
}

type breaking struct{ recorded, missed, astray int }

// discontinuities counts the steps over which alternation's solution is
// discontinuous: those that hold a recorded jump, those that do not but begin
// on the path, those that begin on another branch. A step is
// discontinuous where alternation in steps a tenth, a hundredth ... of it still
// makes one change of the same order; not where both its ends are on the path,
// which has no jump between them.
func (m *consistency) discontinuities(t *testing.T, acs alternating) breaking {
	var b breaking
	for i := 1; i < len(acs.points); i++ {
		k, l := acs.points[i-1], acs.points[i]
		if l.first || m.apart(k.theta, l.theta) <= agreement {
			continue
		}
		recorded := m.jumpBetween(k.age, l.age)
		off := m.off(k)
		if !recorded && off <= agreement && m.off(l) <= agreement {
			continue // it moves as the path does, which is continuous there
		}
		at, size, ok := m.refine(t, k.theta, k.age, l.age)
		if !ok {
			continue
		}
		if recorded {
			b.recorded++
			continue
		}
		if off > agreement { // on another branch it says nothing of the path
			b.astray++
			continue
		}
		if b.missed++; b.missed <= 3 {
			t.Errorf("age %v: ACS jumps by %.3g of the scale, the path does not; before they are %.3g apart", at, size, off)
		}
	}
	return b
}

// off returns how far alternation is from the path at one of its ages, NaN where
// there is no path.
func (m *consistency) off(k acsPoint) float64 {
	theta, err := m.path.At(k.age)
	if err != nil {
		return math.NaN()
	}
	return m.apart(theta, k.theta)
}

// refine follows alternation from θ at lo to hi in smaller and smaller steps, and
// returns where its largest change is and how large that is.
func (m *consistency) refine(t *testing.T, theta []float64, lo, hi float64) (at, size float64, jump bool) {
	const parts = 10
	start, whole := slices.Clone(theta), 0.0
	for level := range 4 {
		m.acs.SetTheta(start)
		last, left := slices.Clone(start), slices.Clone(start)
		first := lo
		size = 0
		for q := range parts {
			age := first + (hi-first)*float64(q+1)/parts
			if _, err := m.acs.Converge(t.Context(), age, 0, 0); err != nil {
				return age, math.NaN(), true
			}
			if change := m.apart(m.acs.Theta(), last); change > size {
				size, at = change, age
				copy(left, last)
			}
			copy(last, m.acs.Theta())
		}
		lo, hi = at-(hi-first)/parts, at
		copy(start, left)
		if level == 0 {
			whole = size
		}
		if size <= math.Max(agreement, 0.3*whole) {
			return at, size, false
		}
	}
	return at, size, true
}

type probing struct{ seen, small, coarse, otherwise, unseen, skipped int }

// probes starts alternation on the path just before each recorded jump and makes
// a step of 1e-4 to before and one to behind it. The jump is seen where
// alternation stays before it, and behind it is where the path is. Where it is
// not, the step may be too coarse: then alternation at the landing's own age,
// from the jump point, goes where the path does.
func (m *consistency) probes(t *testing.T) probing {
	var found probing
	for i, j := range m.jumps {
		lo, hi := j.age-probe, j.age+probe
		// Between other jumps close by there is less room.
		if i > 0 {
			lo = max(lo, 0.5*(m.jumps[i-1].landing+j.age))
		}
		if i+1 < len(m.jumps) {
			hi = min(hi, 0.5*(m.jumps[i+1].age+j.landing))
		}
		before, err1 := m.path.At(max(lo, m.path.Range().Min))
		behind, err2 := m.path.At(min(hi, m.path.Range().Max))
		if err1 != nil || err2 != nil || !(lo < j.age && j.landing < hi) {
			found.skipped++
			continue
		}
		m.acs.SetTheta(before)
		_, err := m.acs.Converge(t.Context(), lo, 0, 0)
		stayed := m.apart(m.acs.Theta(), before)
		if err == nil {
			_, err = m.acs.Converge(t.Context(), hi, 0, 0)
		}
		off := m.apart(m.acs.Theta(), behind)
		moved := m.apart(m.acs.Theta(), before)
		switch {
		case err != nil:
			found.skipped++
		case stayed <= agreement && off <= agreement && j.size <= agreement:
			found.small++
		case stayed <= agreement && off <= agreement:
			found.seen++
		case stayed <= agreement && m.lands(t, j):
			found.coarse++
		case moved >= 0.5*j.size:
			if found.otherwise++; found.otherwise <= 3 {
				t.Errorf("jump at %v (%s) of %.3g of the scale: ACS stays within %.2g before, lands %.3g away", j.age, j.detail, j.size, stayed, off)
			}
		default:
			if found.unseen++; found.unseen <= 3 {
				t.Errorf("jump at %v (%s) of %.3g of the scale: not seen by ACS: before %.2g, behind %.3g away, moved %.3g", j.age, j.detail, j.size, stayed, off, moved)
			}
		}
	}
	return found
}

// lands reports whether alternation from a jump point goes to its landing point.
func (m *consistency) lands(t *testing.T, j jumpKnot) bool {
	m.acs.SetTheta(j.from)
	if _, err := m.acs.Converge(t.Context(), j.landing, 0, 0); err != nil {
		return false
	}
	return m.apart(m.acs.Theta(), j.to) <= agreement
}

// A landing is where plain alternation goes, also past hollows that Newton's method
// would fall into: behind the jump at age 2.469 alternation passes by one that lasts
// until 2.470.
func TestLandingPastHollows(t *testing.T) {
	t.Parallel()
	c := cell{"logistic", "polynomial3", "diabetes", 0.3, 1}
	p := c.problem(t)
	path, err := gaga.Track(t.Context(), p, c.options())
	if err != nil {
		t.Fatal(err)
	}
	m, jumps := newConsistency(t, p, path, 0), 0
	for _, j := range m.jumps {
		if j.index < 0 {
			continue // alternation from a fold takes long
		}
		if jumps++; !m.lands(t, j) {
			t.Errorf("jump at %v (%s): alternation goes elsewhere", j.age, j.detail)
		}
	}
	if jumps < 30 {
		t.Errorf("only %d jumps", jumps)
	}
}
