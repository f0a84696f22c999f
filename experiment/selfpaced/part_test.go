package selfpaced

import (
	"maps"
	"testing"
)

// TestParts counts the cells of a plan by data set and method one by one.
func TestParts(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, mixed)
	want := map[[2]string]int64{}
	for cell := range cellsOf(plan) {
		want[[2]string{cell.Data.Name, cell.Method.Name}]++
	}
	got := map[[2]string]int64{}
	var seconds float64
	for _, part := range plan.Parts() {
		got[[2]string{part.Dataset, part.Method}] += part.Cells
		seconds += part.Seconds
	}
	if !maps.Equal(got, want) || len(plan.Parts()) != len(want) {
		t.Errorf("parts %v, want %v", plan.Parts(), want)
	}
	if ratio := seconds / plan.Cost(); ratio < 1-1e-9 || ratio > 1+1e-9 {
		t.Errorf("parts take %g s, the plan %g s", seconds, plan.Cost())
	}
}
