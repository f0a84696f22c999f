package gaga_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// agreed counts landings of a model against plain alternation from the same point.
type agreed struct{ same, elsewhere, slow int }

// TestLandingAgreement compares landings behind jumps on real data with where plain
// alternation goes from the same jump point at the same age. Behind one jump several
// optima can be in reach, so that single ones may differ: at least 95 in 100 of each
// model must not. With AGEPATH_LONG=1 it looks at the cells of [TestCompare], up to
// 120 jumps each, and prints a row a model; AGEPATH_ROWS chooses cells as there.
func TestLandingAgreement(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	cells, most, steps := smallCells(), 12, 5_000
	if needs.Long() {
		most, steps = 120, 20_000
		cells = slices.DeleteFunc(comparedCells(), func(c cell) bool {
			return !slices.ContainsFunc(strings.Split(os.Getenv("AGEPATH_ROWS"), ","), func(text string) bool { return strings.Contains(c.String(), text) })
		})
	}
	models := map[string]*agreed{}
	for _, c := range cells {
		model, _, _ := strings.Cut(c.String(), "/")
		if models[model] == nil {
			models[model] = &agreed{}
		}
		p := c.problem(t)
		path, err := gaga.Track(t.Context(), p, c.options())
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		before := *models[model]
		compareLandings(t, p, path, models[model], most, steps)
		if now := models[model]; needs.Long() {
			t.Logf("%v: %d same, %d elsewhere, %d too slow to tell", c, now.same-before.same, now.elsewhere-before.elsewhere, now.slow-before.slow)
		}
	}
	all := 0
	for model, n := range models {
		t.Logf("%s: %d landings where plain alternation goes, %d elsewhere, %d where it was too slow to tell", model, n.same, n.elsewhere, n.slow)
		all += n.same + n.elsewhere
		if n.elsewhere*20 > n.same+n.elsewhere {
			t.Errorf("%s: %d of %d landings are elsewhere", model, n.elsewhere, n.same+n.elsewhere)
		}
	}
	t.Logf("%d jumps", all)
}

// compareLandings looks at up to so many jumps of a path, spread over it.
func compareLandings(t *testing.T, p *gaga.Problem, path *gaga.Path, n *agreed, most, steps int) {
	knots := path.Knots()
	var jumps []int
	for i, k := range knots[:len(knots)-1] {
		if k.Kind == gaga.Jump && k.Cause != gaga.Stall && knots[i+1].Kind == gaga.Start {
			jumps = append(jumps, i)
		}
	}
	a, err := gaga.NewAlternation(p)
	if err != nil {
		t.Fatal(err)
	}
	for j := 0; j < len(jumps); j += 1 + len(jumps)/most {
		from, landing := knots[jumps[j]], knots[jumps[j]+1]
		a.SetTheta(from.Theta)
		_, err := a.Converge(t.Context(), landing.Age, 1e-11, steps)
		var slow *gaga.NotConverged
		switch {
		case errors.As(err, &slow):
			n.slow++
		case err != nil:
			t.Fatal(err)
		case apart(a.Theta(), landing.Theta) > 1e-5:
			n.elsewhere++
		default:
			n.same++
		}
	}
}

// apart returns the distance of two vectors relative to the larger.
func apart(a, b []float64) float64 {
	var off, size float64
	for j := range a {
		off = math.Max(off, math.Abs(a[j]-b[j]))
		size = math.Max(size, math.Max(math.Abs(a[j]), math.Abs(b[j])))
	}
	if size == 0 {
		return 0
	}
	return off / size
}
