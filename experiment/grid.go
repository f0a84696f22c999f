package experiment

import (
	"context"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Grid is an experiment as a grid file describes it, checked as far as that
// goes without reading data. docs/grid.md describes the file.
type Grid struct {
	Name    string
	Kind    string // the file's key experiment
	Seed    int64
	Repeats int
	Limits  Limits  // of each cell
	Keep    Keep    // the further tables that cells fill
	Section Section // what the kind read of its own keys

	File   string   // as given to ParseFile or Parse
	Source []byte   // the file's text, from which Parse makes the grid again
	Set    []string // the overrides

	place gridfile.Place
	kind  *Registration
}

// Section is what a kind of experiment read of its keys of a grid file.
type Section interface {
	// Plan expands the section to groups of cells, in the order of the grid. What makes
	// no sense, and data that cannot be read, become problems of the planner; an error
	// is anything else.
	Plan(ctx context.Context, p *Planner) ([]Group, error)
	// Selection says which cells the tables of results show.
	Selection() Select
}

// ScoredSection is a [Section] that can say more about its scores.
type ScoredSection interface {
	Section
	// ScoreUnit says what scores are measured in, "" where that is not known or not the
	// same for all of them.
	ScoreUnit() string
	// BesidePublished says in sentences how the cells differ from those of the numbers
	// published for the kind, and names the columns in which published rows may state
	// something else.
	BesidePublished() (words, otherwise []string)
}

// Select says which cells of a method the tables of results show where a grid
// holds several values of its parameters: those of the model, the regularizer
// and the method. All cells are computed either way.
type Select string

const (
	SelectAll        Select = ""           // each value for itself
	SelectValidation Select = "validation" // in each repeat the best on the validation part
	SelectTest       Select = "test"       // in each repeat the best on the test part, as the paper does
)
