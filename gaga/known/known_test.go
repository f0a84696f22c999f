package known

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/gaga"
)

func each(t *testing.T, f func(t *testing.T, p *Problem)) {
	t.Helper()
	names := map[string]bool{}
	for _, p := range Problems() {
		if names[p.Name] {
			t.Errorf("two problems are named %q", p.Name)
		}
		names[p.Name] = true
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			f(t, &p)
		})
	}
}

// end returns the age at which a branch ends.
func (p *Problem) end(k int) float64 {
	if k+1 < len(p.Branches) {
		return p.Branches[k+1].From
	}
	return p.Age.Max
}

// ages returns count ages strictly inside a branch, and two that are near its ends
// by a fraction of its length.
func (p *Problem) ages(k, count int, near float64) []float64 {
	from, to := p.Branches[k].From, p.end(k)
	list := []float64{from + near*(to-from), to - near*(to-from)}
	for i := range count {
		list = append(list, from+(to-from)*(float64(i)+0.5)/float64(count))
	}
	return list
}

// TestOptimality checks every branch at many ages against the package gaga's
// losses and weights: the optimality condition, the zones, the bounds of the
// multipliers and that it is a strict minimum.
func TestOptimality(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p *Problem) {
		if err := p.Model.Check(); err != nil {
			t.Fatal(err)
		}
		if p.Start != p.Branches[0].From {
			t.Errorf("starts at %v, its first branch at %v", p.Start, p.Branches[0].From)
		}
		d := newDesign(p.Model)
		for k, b := range p.Branches {
			for _, age := range p.ages(k, 101, 1e-6) {
				theta := p.At(age)
				if len(theta) != p.Model.Unknowns() {
					t.Fatalf("θ has %d entries, want %d", len(theta), p.Model.Unknowns())
				}
				off, multipliers := d.residual(age, theta, b.Zones)
				if !(off <= 1e-12) {
					t.Errorf("age %v, zones %s: θ = %v leaves a residual of %.2g", age, b.Zones, theta, off)
				}
				if c := d.curvature(age, theta, b.Zones); !(c > 0) {
					t.Errorf("age %v, zones %s: least curvature %v", age, b.Zones, c)
				}
				if err := d.checkZones(age, theta, b.Zones, multipliers); err != nil {
					t.Errorf("age %v, zones %s, θ = %v: %v", age, b.Zones, theta, err)
				}
			}
		}
	})
}

func (s *design) checkZones(age float64, theta []float64, zones string, multipliers map[int]float64) error {
	z := s.coordinates(theta)
	r := s.model.Regularizer
	for i := range len(zones) {
		u, letter := s.predictor(i, z), zones[i]
		loss, _, _ := s.model.Loss.Eval(u, s.model.Y[i])
		if hinge, ok := s.model.Loss.(gaga.Hinge); ok {
			gap := 1 - s.model.Y[i]*u
			alpha, pinned := multipliers[i]
			switch top := s.multiplicity(i) * hinge.C; {
			case pinned && (math.Abs(gap) > 1e-12 || alpha < -1e-12 || alpha > top*(1+1e-12)):
				return fmt.Errorf("sample %d is pinned with the gap %v and the multiplier %v in [0, %v]", i, gap, alpha, top)
			case pinned && s.model.Kernel != nil && math.Abs(alpha-theta[i]) > 1e-12*top:
				return fmt.Errorf("sample %d has the multiplier %v, θ says %v", i, alpha, theta[i])
			case !pinned && (letter == 'N') != (gap < 0):
				return fmt.Errorf("sample %d has the gap %v", i, gap)
			}
		}
		k := s.zone(letter)
		if k > 0 {
			if low, _ := r.Threshold(k-1, age); loss < low*(1-1e-12) {
				return fmt.Errorf("sample %d has the loss %v, below its zone's %v", i, loss, low)
			}
		}
		if k < len(r.Zones())-1 {
			if top, _ := r.Threshold(k, age); loss > top*(1+1e-12) {
				return fmt.Errorf("sample %d has the loss %v, above its zone's %v", i, loss, top)
			}
		}
	}
	return nil
}

const order = "NZEMD" // of rising loss

// TestEvents checks that events and branches tell the same: at a turning point
// the path is continuous and the sample or coordinate changes as the cause says;
// at a jump point it is torn, and the branch could not be continued.
func TestEvents(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p *Problem) {
		d := newDesign(p.Model)
		at := map[float64][]Event{}
		for _, e := range p.Events {
			at[e.Age] = append(at[e.Age], e)
		}
		if len(at) != len(p.Branches)-1 {
			t.Fatalf("%d ages with events, %d branches", len(at), len(p.Branches))
		}
		for k, b := range p.Branches[1:] {
			events := at[b.From]
			if len(events) == 0 {
				t.Fatalf("no event at %v, where a branch begins", b.From)
			}
			before := p.Branches[k]
			// Limits from both sides; a fold's is a square root away.
			from, to := before.Theta(b.From), b.Theta(b.From)
			if distance := far(from, to); (distance > 1e-3) != (events[0].Kind == gaga.Jump) || (distance > 1e-9 && distance < 1e-3) {
				t.Errorf("age %v: %v is followed by %v, from %v to %v", b.From, before.Zones, b.Zones, from, to)
			}
			for _, e := range events {
				if err := d.checkEvent(e, before.Zones, b.Zones, from); err != nil {
					t.Errorf("%+v, %s to %s: %v", e, before.Zones, b.Zones, err)
				}
			}
			if zones := changed(before.Zones, b.Zones); events[0].Kind == gaga.Turning && zones != sampleEvents(events) {
				t.Errorf("age %v: %d zones change, %s to %s, with the events %+v", b.From, zones, before.Zones, b.Zones, events)
			}
		}
	})
}

func changed(a, b string) (n int) {
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

func sampleEvents(events []Event) (n int) {
	for _, e := range events {
		if e.Cause == gaga.SampleDown || e.Cause == gaga.SampleUp {
			n++
		}
	}
	return n
}

// checkEvent checks an event that leaves θ with the zones before for those behind.
func (s *design) checkEvent(e Event, before, behind string, theta []float64) error {
	curvature := s.curvature(e.Age, theta, before)
	switch e.Cause {
	case gaga.Fold:
		if e.Kind != gaga.Jump || math.Abs(curvature) > 1e-6 {
			return fmt.Errorf("the curvature is %v", curvature)
		}
		return nil
	case gaga.Activated, gaga.Dropped:
		// The coordinate is 0 but for rounding; a hair above it counts as active, and
		// its gradient must be at the L1 weight.
		moved := append([]float64(nil), theta...)
		moved[e.Index] = 1e-300
		if off, _ := s.residual(e.Age, moved, before); !(off < 1e-11) {
			return fmt.Errorf("the gradient is not at the L1 weight but %.2g off", off)
		}
		if c := s.curvature(e.Age, moved, before); (c > 0) != (e.Kind == gaga.Turning) {
			return fmt.Errorf("the curvature is %v", c)
		}
		return nil
	}
	i := e.Index
	step := 1
	if e.Cause == gaga.SampleDown {
		step = -1
	}
	// The zone that the sample enters, or would enter.
	letters := order
	if _, hinge := s.model.Loss.(gaga.Hinge); !hinge {
		letters = "EMD"
	}
	if len(s.model.Regularizer.Zones()) == 2 {
		letters = strings.Replace(letters, "M", "", 1)
	}
	entered := letters[strings.IndexByte(letters, before[i])+step]
	zones := []byte(before)
	for j := range zones { // tied samples go together
		if zones[j] == zones[i] && j != i && behind[j] == behind[i] && math.Abs(s.lossAt(j, theta)-s.lossAt(i, theta)) < 1e-12 {
			zones[j] = entered
		}
	}
	zones[i] = entered
	if e.Kind == gaga.Turning && behind[i] != entered {
		return fmt.Errorf("sample %d enters %c", i, entered)
	}
	if err := s.checkBoundary(e.Age, theta, before, i, entered); err != nil {
		return err
	}
	lower := s.zone(before[i])
	if step < 0 {
		lower = s.zone(entered)
	}
	if s.model.Regularizer.Zones()[lower].Break && before[i] != 'Z' && entered != 'Z' {
		if e.Kind != gaga.Jump {
			return errors.New("the weight breaks")
		}
		return nil
	}
	if c := s.curvature(e.Age, theta, string(zones)); (c > 0) != (e.Kind == gaga.Turning) {
		return fmt.Errorf("the curvature behind is %v", c)
	}
	return nil
}

func (s *design) lossAt(i int, theta []float64) float64 {
	loss, _, _ := s.model.Loss.Eval(s.predictor(i, s.coordinates(theta)), s.model.Y[i])
	return loss
}

// checkBoundary checks that sample i is where its two zones meet.
func (s *design) checkBoundary(age float64, theta []float64, before string, i int, entered byte) error {
	const tolerance = 1e-11
	gap := 1 - s.model.Y[i]*s.predictor(i, s.coordinates(theta))
	if before[i] == 'Z' {
		_, multipliers := s.residual(age, theta, before)
		bound := 0.0
		if entered == 'E' {
			bound = s.multiplicity(i) * s.model.Loss.(gaga.Hinge).C
		}
		if math.Abs(multipliers[i]-bound) > tolerance {
			return fmt.Errorf("the multiplier is %v, not %v", multipliers[i], bound)
		}
		return nil
	}
	if entered == 'Z' {
		if math.Abs(gap) > tolerance {
			return fmt.Errorf("the gap is %v", gap)
		}
		return nil
	}
	threshold, _ := s.model.Regularizer.Threshold(min(s.zone(before[i]), s.zone(entered)), age)
	if loss := s.lossAt(i, theta); math.Abs(loss-threshold) > tolerance*threshold {
		return fmt.Errorf("the loss is %v, the threshold %v", loss, threshold)
	}
	return nil
}

func far(a, b []float64) (distance float64) {
	for j := range a {
		distance = math.Max(distance, math.Abs(a[j]-b[j]))
	}
	return distance
}

// TestAlternation checks starts and landing points against plain alternate convex
// search: from the fit with all weights 1 at the start, and from where the branch
// was left at an age a little beyond each jump.
func TestAlternation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p *Problem) {
		search, err := gaga.NewAlternation(p.Model)
		if err != nil {
			t.Skip(err)
		}
		ctx := context.Background()
		reach := func(age float64) {
			t.Helper()
			var unsettled *gaga.NotConverged
			_, err := search.Converge(ctx, age, 1e-10, 20_000)
			if errors.Is(err, gaga.ErrDiscarded) { // then a partial optimum is the fit to nobody
				err = search.Fit(ctx, make([]float64, p.Model.X.Rows))
			}
			if err != nil && !errors.As(err, &unsettled) {
				t.Fatal(err)
			}
			if want := p.At(age); far(search.Theta(), want) > 1e-6 {
				t.Errorf("age %v: alternation reaches %v, the path is at %v", age, search.Theta(), want)
			}
		}
		if err := search.FitAll(ctx); err != nil {
			t.Fatal(err)
		}
		start := p.Start
		if start > p.Age.Min {
			if !search.Discards(start * (1 - 1e-9)) {
				t.Errorf("age %v, before the start, does not discard every sample", start*(1-1e-9))
			}
			start *= 1 + 1e-6
			if search.Discards(start) {
				t.Errorf("age %v, behind the start, discards every sample", start)
			}
		}
		reach(start)
		for _, e := range p.Events {
			if e.Kind == gaga.Jump {
				search.SetTheta(p.At(e.Age * (1 - 1e-9)))
				reach(e.Age * (1 + 1e-3))
			}
		}
	})
}

// TestTrack compares the tracker's path with the known one.
func TestTrack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p *Problem) {
		if err := gaga.Supports(p.Model); err != nil {
			t.Skip(err)
		}
		if _, err := gaga.NewAlternation(p.Model); err != nil {
			t.Skip(err)
		}
		// A tracker that stands still fails here instead of running on.
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		path, err := gaga.Track(ctx, p.Model, gaga.Options{Age: p.Age, MaxEvents: 100, MaxAlternations: 100_000, Verify: true})
		if err != nil || path.Status() != gaga.Complete {
			t.Fatalf("%v, %v %s", err, path.Status(), path.Reason())
		}
		if start := path.Range().Min; start < p.Start || start > p.Start*(1+2e-6) {
			t.Errorf("starts at %v, want %v", start, p.Start)
		}
		compareEvents(t, path.Events(), p.Events)
		for k := range p.Branches {
			for _, age := range p.ages(k, 23, 1e-8) {
				if age < path.Range().Min {
					continue
				}
				theta, err := path.At(age)
				if err != nil {
					t.Fatal(err)
				}
				want := p.At(age)
				if off := far(theta, want); off > 1e-8*(far(want, make([]float64, len(want)))+1e-3) {
					t.Errorf("age %v: θ = %v, want %v", age, theta, want)
				}
			}
		}
	})
}

func compareEvents(t *testing.T, got []gaga.Event, want []Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("events %+v, want %+v", got, want)
		return
	}
	for i, w := range want {
		g := got[i]
		if g.Kind != w.Kind || g.Cause != w.Cause || g.Index != w.Index || math.Abs(g.Age-w.Age) > 1e-9*w.Age {
			t.Errorf("event %d is %+v, want %+v, %.2g off", i, g, w, g.Age/w.Age-1)
		}
	}
}

// TestPairs checks that there is a problem for each model with each regularizer,
// and the events that the package promises.
func TestPairs(t *testing.T) {
	t.Parallel()
	pairs, events := map[string]bool{}, map[string]bool{}
	for _, p := range Problems() {
		model := p.Model.Loss.Name()
		if p.Model.Kernel != nil {
			model += " kernel"
		}
		pairs[model+" "+p.Model.Regularizer.Name()] = true
		for i, e := range p.Events {
			name := fmt.Sprint(e.Kind, " ", e.Cause)
			if i > 0 && e.Age == p.Events[i-1].Age {
				events["tie"] = true
			}
			if _, hinge := p.Model.Loss.(gaga.Hinge); hinge && e.Index >= 0 {
				before, behind := p.Zones(e.Age * (1 - 1e-12))[e.Index], p.Zones(e.Age)[e.Index]
				name = fmt.Sprintf("hinge %v %c to %c", e.Kind, before, behind)
			}
			events[name] = true
		}
	}
	for _, model := range []string{"squared", "logistic", "hinge", "hinge kernel"} {
		for _, r := range []string{"hard", "linear", "polynomial", "mixture", "log"} {
			if !pairs[model+" "+r] {
				t.Errorf("no problem for %s with %s", model, r)
			}
		}
	}
	for _, name := range []string{
		"tie", "turning sample up", "turning sample down", "turning activated", "turning dropped",
		"jump sample down", "jump activated", "jump fold",
		"hinge turning D to E", "hinge turning E to Z", "hinge turning Z to E", "hinge turning Z to N", "hinge turning N to Z",
		"hinge turning M to D", "hinge turning D to M", "hinge turning M to E", "hinge jump D to E", "hinge jump D to Z", "hinge jump Z to E",
	} {
		if !events[name] {
			t.Errorf("no event %q", name)
		}
	}
}
