package results

import (
	"context"
	"fmt"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// Fact is a name and its value, as text.
type Fact struct{ Name, Value string }

// Report is what the files of a run say: tables of scores, what failed, what
// is missing, and figures. Every [Format] writes the same report.
type Report struct {
	Name       string         // of the grid; of the folder where there is no manifest
	Facts      []Fact         // about the run
	Chosen     []*ScoreTable  // age and parameters chosen by the validation score, beside those chosen by the test score
	Tables     []*ScoreTable  // each setting for itself, or as select: best has it
	Selected   []Selected     // what select: best picked; nil for grids without
	Rankings   []*Ranking     // over data sets, where there are enough of them and of methods
	Paper      []*PaperTable  // beside the published tables, where they were asked for
	Statuses   []Fact         // number of cells of each status that occurs
	Failures   []Failure      // the first incomplete cells by their identity, then the first failed ones
	Failed     int            // how many failed
	Incomplete int            // how many are incomplete
	Absent     []ManifestData // data sets of the grid that were not there
	Missing    []string       // sentences that say what is not there, and why
	Figures    []*Figure
	LeftOut    []string // names of the figures beyond the limit

	comparisons []comparedTable // see compared
	laidOut     []section       // see sections
}

// Failure is a cell that failed or is incomplete.
type Failure struct {
	Cell    string
	Status  experiment.Status
	What    string // its setting, method and repeat
	Error   string
	Reached *float64 // last age of an incomplete path, nil for others
}

// lostWords says how many of the cells are incomplete and how many failed, "" for
// none.
func lostWords(incomplete, failed int) string {
	var parts []string
	if incomplete > 0 {
		parts = append(parts, fmt.Sprintf("%d incomplete", incomplete))
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	return strings.Join(parts, ", ")
}

// maxFailures is how many failed cells a report lists, and how many incomplete
// ones.
const maxFailures = 20

// Options say what a report holds. The zero value is the default.
type Options struct {
	Formats []Format // nil for the first of Formats
	// Figures is the largest number of figures, DefaultFigures when 0 and
	// none when negative.
	Figures int
	// Paper asks for the published numbers beside those of the run.
	Paper bool
	// Path computes the coefficients along the path of a cell, for figures
	// of runs that did not keep them; nil leaves those figures out.
	Path func(ctx context.Context, cell string) (*AgePath, error)
	// Progress is told of each step before it begins; nil for nobody. It must not
	// block.
	Progress func(Step)
}

// Step is a part of the work on a report.
type Step struct {
	What   string // for example "drawing figures"
	At, Of int    // where in it, from 1; 0 where it is not counted
}

func (o *Options) tell(what string, at, of int) {
	if o.Progress != nil {
		o.Progress(Step{what, at, of})
	}
}

func (o Options) figures() int {
	switch {
	case o.Figures == 0:
		return DefaultFigures
	case o.Figures < 0:
		return 0
	}
	return o.Figures
}
