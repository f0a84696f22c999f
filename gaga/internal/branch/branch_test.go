package branch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agepath/agepath/gaga/internal/audit"
	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/cubic"
)

// family draws problems of one kind.
type family struct {
	name string
	age  float64
	draw func(rng *rand.Rand, z int) *model.Problem
}

var families = []family{
	{"regression", 0.5, func(rng *rand.Rand, z int) *model.Problem { return regression(rng, 80, 4, zonings(false)[z]) }},
	{"many samples", 0.5, func(rng *rand.Rand, z int) *model.Problem { return regression(rng, 700, 3, zonings(false)[z]) }},
	{"logistic", 0.8, func(rng *rand.Rand, z int) *model.Problem { return logistic(rng, 80, 3, 0, 1, zonings(false)[z]) }},
	{"sparse logistic", 0.8, func(rng *rand.Rand, z int) *model.Problem { return logistic(rng, 80, 4, 1, 0, zonings(false)[z]) }},
	{"machine", 1, func(rng *rand.Rand, z int) *model.Problem { return machine(rng, 60, 3, zonings(true)[z]) }},
	{"many margins", 1, func(rng *rand.Rand, z int) *model.Problem { return machine(rng, 600, 3, zonings(true)[z]) }},
	{"kernel machine", 0.8, func(rng *rand.Rand, z int) *model.Problem { return kernelMachine(rng, 30, 2, zonings(true)[z]) }},
}

// At the end of each step the left point is a strict partial optimum on its zones, and
// behind a turning point the event function moves into the new zone.
func TestStepsEndAtPartialOptima(t *testing.T) {
	t.Parallel()
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			turned, left := 0, 0
			for seed := range uint64(8) {
				p := f.draw(rand.New(rand.NewPCG(seed, 17)), int(seed%2))
				b, ok := begin(t, p, f.age, 8*f.age)
				if !ok {
					continue
				}
				a := audit.New(p)
				var floor []float64
				if c, ok := b.condition.(*condition.Primal); ok {
					floor = c.Scope().Floor
				}
				for o := (Outcome{}); !o.Arrived && o.Kind != Left; {
					before := b.Left().Age
					if o = b.Next(8*f.age, false); b.Left().Age < before {
						t.Fatalf("seed %d: from age %v to %v", seed, before, b.Left().Age)
					}
					behind := model.Crossing{Index: -1}
					if o.Kind == Turned {
						turned++
						behind = o.Crossing
					}
					if broken := a.Check(b.state, b.Left(), floor, behind); broken != "" && o.Kind != Left {
						t.Fatalf("seed %d, age %v: %s", seed, b.Left().Age, broken)
					}
					if (o.Kind == Turned) != (o.Scalar > 0) {
						t.Errorf("seed %d, age %v: %+v", seed, b.Left().Age, o)
					}
					if o.Kind == Left {
						left++
						if b.state.At != b.Left() {
							t.Errorf("seed %d: the jump point is not assembled", seed)
						}
					}
				}
			}
			if t.Logf("%d turning points, %d jumps", turned, left); turned < 20 {
				t.Errorf("only %d turning points", turned)
			}
		})
	}
}

// A step that has become shorter than the age can tell grows again.
func TestShortestStep(t *testing.T) {
	t.Parallel()
	for _, f := range []family{families[0], families[2]} {
		b, ok := begin(t, f.draw(rand.New(rand.NewPCG(8, 3)), 1), f.age, 20)
		if !ok {
			t.Fatalf("%s: no partial optimum", f.name)
		}
		b.Begin(1e-18 * b.Left().Age)
		for range 60 {
			if o := b.Next(20, false); o.Kind == Left {
				break
			}
		}
		if b.Left().Age < f.age*(1+1e-3) || b.steps.idle > 40 {
			t.Errorf("%s: 60 steps from the shortest one end at age %v; %d of them without progress", f.name, b.Left().Age, b.steps.idle)
		}
	}
}

// remembering is a source of which nothing else is asked.
type remembering struct {
	eventSource
	last *memory
}

func (s remembering) reverses(x model.Crossing, age float64) bool { return s.last.reverses(x, age) }

// Of crossings at one place the first that was looked at comes first; but of samples that
// come to the margin there, the one at the steepest angle.
func TestTies(t *testing.T) {
	t.Parallel()
	last := &memory{}
	l := look{left: &model.Point{Age: 1}, best: candidate{Crossing: model.Crossing{At: math.Inf(1)}}}
	add := func(index int, value, rate, spread float64) {
		l.consider(remembering{last: last}, model.Crossing{Cause: model.SampleUp, Index: index}, function{left: cubic.End{Value: value, Rate: rate}, slack: 1e-11, size: 1, spread: spread})
	}
	want := func(index int) {
		t.Helper()
		if l.best.Index != index {
			t.Errorf("crossing %d is first, want %d", l.best.Index, index)
		}
	}
	add(1, 0.5, -1, 0)
	add(2, 0.25, -0.5, 0)
	want(1)
	add(3, 0.1, -1, 2)
	want(3)
	add(4, 0, -1, 0)
	want(4)
	add(5, 0, -1, 2)
	want(5)
	add(6, 0, -3, 8)
	want(5)
	add(7, 0, -9, 0)
	want(5)
	add(8, 0, -4, 4)
	want(8)
	add(9, 0, -1e-13, 1e-9) // a rate that is rounding
	want(8)
	last.changed(model.Crossing{Cause: model.SampleDown, Index: 10}, 1)
	add(10, 0, -9, 1) // it would undo the last change
	want(8)
}

// A critical point beyond the budget is reported, and nothing changes there.
func TestSpent(t *testing.T) {
	t.Parallel()
	p := families[0].draw(rand.New(rand.NewPCG(1, 17)), 1)
	b, ok := begin(t, p, 0.5, 4)
	if !ok {
		t.Fatal("no partial optimum")
	}
	var o Outcome
	for o = b.Next(4, true); !o.Spent && !o.Arrived; o = b.Next(4, true) {
	}
	if !o.Spent || o.Kind != Moved || !o.Crossing.OfSample() {
		t.Fatalf("the first critical point is reported as %+v", o)
	}
	zones, age := slices.Clone(b.state.Zone), b.Left().Age
	next := b.Next(4, false)
	if next.Kind != Turned || next.Crossing.Cause != o.Crossing.Cause || next.Crossing.Index != o.Crossing.Index || b.Left().Age > age*(1+1e-12) {
		t.Errorf("with a budget the critical point is %+v, reported was %+v", next, o)
	}
	if i := o.Crossing.Index; zones[i] != next.From || b.state.Zone[i] != next.To {
		t.Errorf("sample %d goes from zone %d to %d, not as in %+v", i, zones[i], b.state.Zone[i], next)
	}
}

// Follow goes to an age and back to where it began.
func TestFollow(t *testing.T) {
	t.Parallel()
	for _, f := range families {
		b, ok := begin(t, f.draw(rand.New(rand.NewPCG(3, 17)), 0), f.age, 8)
		if !ok {
			continue
		}
		from, theta := b.Left().Age, slices.Clone(b.Left().Theta)
		b.horizon.Ahead(b.Left())
		to := from * (1 + 1e-6)
		if !b.Follow(to) || b.Left().Age != to || !b.Follow(from) {
			t.Errorf("%s: the branch ends between age %v and %v", f.name, from, to)
			continue
		}
		for j, w := range b.Left().Theta {
			if math.Abs(w-theta[j]) > 1e-9*(1+math.Abs(theta[j])) {
				t.Errorf("%s: back at age %v coefficient %d is %v, was %v", f.name, from, j, w, theta[j])
			}
		}
	}
}

// A change behind which the point is no partial optimum near is taken back.
func TestChangeIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, f := range families {
		b, ok := begin(t, f.draw(rand.New(rand.NewPCG(2, 17)), 0), f.age, 8)
		if !ok {
			continue
		}
		b.horizon.Ahead(b.Left())
		s, pt := b.state, b.Left()
		describe := func() string {
			return fmt.Sprint(s.Zone, s.Sign, s.Members, s.Frozen, pt.Theta, pt.Dual)
		}
		if len(s.Pins) == len(s.Active) && s.Kinked() {
			continue // the samples at the margin hold θ where it is, whatever the others weigh
		}
		active := slices.Sorted(slices.Values(s.Active))
		before := describe()
		tried := 0
		for slot, i := range s.Watch {
			if tried == 5 || pt.U[slot]*s.Y[i] > 0.9 || s.Kinked() && s.Zone[i] != uint8(s.Kinks) {
				continue
			}
			tried++
			x := model.Crossing{Cause: model.SampleUp, Index: i, Slot: slot}
			if int(s.Zone[i]) == len(s.Zones)-1 {
				x.Cause = model.SampleDown
			}
			if b.change(x) {
				t.Fatalf("%s: sample %d changes its zone far from its end", f.name, i)
			}
			if now := describe(); now != before || !slices.Equal(slices.Sorted(slices.Values(s.Active)), active) {
				t.Fatalf("%s: the change of sample %d leaves\n%s, was\n%s", f.name, i, now, before)
			}
		}
		if tried == 0 {
			t.Errorf("%s: no sample to try", f.name)
		}
	}
}

// A coordinate that repeats an active one is hidden when its gradient reaches the L1
// weight, until the change of a sample may tell them apart.
func TestCollinearCoordinates(t *testing.T) {
	t.Parallel()
	hidden := 0
	for seed := range uint64(60) {
		p := regression(rand.New(rand.NewPCG(seed, 19)), 40, 4, zonings(false)[seed%2])
		for i := range p.N {
			p.Row(i)[3] = 2*p.Row(i)[0] - p.Row(i)[1]
		}
		b, ok := begin(t, p, 0.5, 10)
		if !ok {
			continue
		}
		source := b.sources[1].(*coordinates)
		for o, steps := (Outcome{}), 0; !o.Arrived && o.Kind != Left; steps++ {
			o = b.Next(10, false)
			if steps > 2000 {
				t.Fatalf("seed %d: no end", seed)
			}
			if slices.Contains(source.hidden, true) {
				hidden++
			}
			if o.Kind == Turned && o.Crossing.Cause != model.SampleUp && slices.Contains(source.hidden, true) {
				t.Errorf("seed %d: hidden behind %+v", seed, o.Crossing)
			}
		}
	}
	if t.Logf("%d steps with a hidden coordinate", hidden); hidden == 0 {
		t.Error("no coordinate was hidden")
	}
}
