package analysis

import (
	"fmt"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results"
)

func TestTargetScale(t *testing.T) {
	t.Parallel()
	const grid = `
name: g
data: [{name: diabetes}]
models: [{lasso: {alpha: [0.1]}}]
regularizers: [linear]
methods: [gaga]
scale: {target: %s}
`
	for target, want := range map[string]string{
		"minmax": "target scaled to [0, 1]", "standard": "target scaled to standard deviation 1", "none": "", "nonsense": "",
	} {
		m := &results.Manifest{Kind: selfpaced.Name, Grid: fmt.Sprintf(grid, target)}
		if got := targetScale(m); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	if targetScale(nil) != "" || targetScale(&results.Manifest{Kind: "other"}) != "" {
		t.Error("the scale of no grid")
	}
}
