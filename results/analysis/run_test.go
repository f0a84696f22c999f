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

func TestDiffersFromPaper(t *testing.T) {
	t.Parallel()
	grid := func(protocol string) *results.Manifest {
		return &results.Manifest{Kind: selfpaced.Name, Grid: "name: table14\n" + protocol +
			"data: [{name: music}]\nmodels: [{lasso: {alpha: 0.006}}]\nregularizers: [linear]\nmethods: [gaga]\n"}
	}
	for name, c := range map[string]struct {
		manifest *results.Manifest
		want     bool
	}{
		"the paper's":                       {grid("protocol: paper\n"), false},
		"its scripts'":                      {grid("protocol: scripts\n"), false},
		"clean rules":                       {grid(""), true},
		"no manifest yet, which tells none": {nil, false},
	} {
		if got := differsFromPaper(c.manifest); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
