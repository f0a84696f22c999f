package experiment

// Select says which cells of a method the tables of results show where a grid
// holds several values of its parameters: those of the model, the regularizer
// and the method. All cells are computed either way.
type Select string

const (
	SelectAll        Select = ""           // each value for itself
	SelectValidation Select = "validation" // in each repeat the best on the validation part
	SelectTest       Select = "test"       // in each repeat the best on the test part, as the paper does
)

// selection reads the key select. What "best" goes by follows from the protocol
// of the sweeps, which has to be the same for all of them.
func (r *reader) selection(n item, sweeps []Sweep) Select {
	if !n.given() || oneOf(r, n, "all", "best") != "best" || len(sweeps) == 0 {
		return SelectAll
	}
	paper := 0
	for i := range sweeps {
		s := &sweeps[i]
		switch {
		case s.Settings.Paper:
			paper++
		case s.Settings.Split.Validation == 0:
			r.problems.add(s.place.problem("select: best goes by the validation part, and split.validation is 0; a fraction > 0 is allowed, or protocol: %s, where it goes by the test part", protocolPaper))
		}
	}
	switch paper {
	case 0:
		return SelectValidation
	case len(sweeps):
		return SelectTest
	}
	r.problem(n, "best goes by the test part under protocol: %s and by the validation part else; all sweeps have to have the same protocol, or the grid becomes two", protocolPaper)
	return SelectAll
}
