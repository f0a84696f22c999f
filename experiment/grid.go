package experiment

import (
	"context"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Grid is a checked grid file, before any data are read. docs/grid.md describes the file.
type Grid struct {
	Name    string
	Kind    string // the file's key experiment
	Seed    int64
	Repeats int
	Limits  Limits // per cell
	Keep    Keep   // further tables that cells fill
	Section Section

	File   string
	Source []byte
	Set    []string // overrides

	place gridfile.Place
	kind  *Registration
}

// Section holds a kind's own keys of a grid file.
type Section interface {
	// Plan expands the section to groups of cells, in the order of the grid. Invalid combinations
	// and unreadable data are reported to the planner, anything else is an error.
	Plan(ctx context.Context, p *Planner) ([]Group, error)
	// Selection says which cells the tables of results show.
	Selection() Select
}

// ScoredSection is a [Section] that describes its scores.
type ScoredSection interface {
	Section
	// ScoreUnit returns the unit of scores, "" if unknown or not the same for all.
	ScoreUnit() string
}

// Select says which cells of a method tables show if the grid has several values of parameters. All
// cells are computed anyway.
type Select string

const (
	SelectAll        Select = ""
	SelectValidation Select = "validation" // per repeat, the best on the validation part
	SelectTest       Select = "test"       // per repeat, the best on the test part, as in the paper
)
