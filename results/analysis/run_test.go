package analysis

import (
	"fmt"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results"
)

func TestSectionOf(t *testing.T) {
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
		got := ""
		if section := sectionOf(m); section != nil {
			got = section.ScoreUnit()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	if sectionOf(nil) != nil || sectionOf(&results.Manifest{Kind: "other"}) != nil {
		t.Error("a section of no grid")
	}
}
