package selfpaced

import (
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// selection derives the score for "best" from the protocol, which must be the same for all sweeps.
func (r *sectionReader) selection(n gridfile.Item, sweeps []Sweep) experiment.Select {
	if !n.Given() || gridfile.OneOf(r.Reader, n, "all", "best") != "best" || len(sweeps) == 0 {
		return experiment.SelectAll
	}
	byTest := 0
	for i := range sweeps {
		s := &sweeps[i]
		switch {
		case s.Settings.Protocol != dataset.HeldOut:
			byTest++
		case !s.Choice.scores(s.Settings.Split):
			r.ProblemAt(s.place, "select: best goes by the validation part, and split.validation is 0; a fraction > 0 is allowed, or choose.folds, or protocol: %s, where it goes by the test part", dataset.Paper)
		}
	}
	switch byTest {
	case 0:
		return experiment.SelectValidation
	case len(sweeps):
		return experiment.SelectTest
	}
	r.Problem(n, "best goes by the test part under protocol: %s and by the validation part else; all sweeps have to have the same protocol, or the grid becomes two", dataset.Paper)
	return experiment.SelectAll
}
