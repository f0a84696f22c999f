package selfpaced

import (
	"math"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

const mosplGrid = `
name: mospl
data: [r1]
models: [{lasso: {alpha: 0.001}}]
regularizers: [linear, {mixture: {gamma: [0.2, 0.5]}}]
methods: [{mospl: {population: 12, generations: 20, refit: 10, order: [1.2, 1.35]}}]
`

// TestMOSPL computes cells whose order varies with the mixture only, and wants
// ages that do not fall and the same numbers again.
func TestMOSPL(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mosplGrid)
	if p.Count() != 1+2*2+1 {
		t.Errorf("%d cells, want one for linear, four for mixture and the constant", p.Count())
	}
	for task := range p.Tasks() {
		cell, err := DecodeCell(task.Spec)
		if err != nil {
			t.Fatal(err)
		}
		if cell.Method.Name == Constant {
			continue
		}
		set, err := testLibrary{}.Load(t.Context(), dataset.Source{Name: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		prepared, err := cell.Prepare(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		first, err := cell.fitOver(t.Context(), prepared, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := cell.fitOver(t.Context(), prepared, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(first.status, "complete") || len(first.Knots) < 4 || len(first.Knots) != len(again.Knots) {
			t.Fatalf("%s: %d knots, then %d", first.status, len(first.Knots), len(again.Knots))
		}
		last := 0.0
		for k, knot := range first.Knots {
			if !(knot.Age >= last) || math.IsInf(knot.Age, 0) || knot.KKT > 1e-8 {
				t.Errorf("knot %d: age %v after %v, residual %v", k, knot.Age, last, knot.KKT)
			}
			if knot.Age != again.Knots[k].Age || knot.Theta[0] != again.Knots[k].Theta[0] {
				t.Errorf("knot %d is another one when computed again", k)
			}
			last = knot.Age
		}
	}
}

func TestBadMOSPL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ settings, place, says string }{
		{"{population: 3}", "population: ", `"3" is not allowed; a whole number from 4 to `},
		{"{generations: 0}", "generations: ", `"0" is not allowed; a whole number from 1 to `},
		{"{refit: 0.5}", "refit: ", `"0.5" is not allowed; a whole number from 1 to `},
		{"{order: [1.2, 1.1]}", "order.1: ", `"1.1" is not allowed; a number >= 1.2 (`},
		{"{crossover: 30}", "crossover: ", "unknown key; allowed are population, generations, refit, order"},
	} {
		_, err := experiment.Parse([]byte(strings.Replace(base, "original", "{mospl: "+test.settings+"}", 1)), "bad.yaml", nil)
		if want := "bad.yaml:9: methods.0.mospl." + test.place; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.settings, err)
		}
	}
	g, err := experiment.Parse([]byte(strings.Replace(mosplGrid, "[linear,", "[{log: {a: 1}},", 1)), "mospl.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "mospl.yaml:6: methods.0: mospl knows the regularizers hard, linear, polynomial, mixture, not log: its search needs"
	if _, err = g.Plan(t.Context(), testLibrary{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
