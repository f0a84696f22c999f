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
	for target, want := range map[string]bool{"minmax": true, "standard": true, "none": true, "nonsense": false} {
		m := &results.Manifest{Kind: selfpaced.Name, Grid: fmt.Sprintf(grid, target)}
		if section := sectionOf(m); (section != nil) != want {
			t.Errorf("%s: the section %v", target, section)
		}
	}
	if sectionOf(nil) != nil || sectionOf(&results.Manifest{Kind: "other"}) != nil {
		t.Error("a section of no grid")
	}
}
