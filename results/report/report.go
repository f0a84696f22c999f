package report

import (
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
)

// Report is what the files of a run say, with figures of it. Every [Format]
// writes the same report.
type Report struct {
	*analysis.Run
	Figures []*figure.Figure
	LeftOut []string // names of the figures beyond the limit

	laidOut []section // see Sections
}

// Options say what a report holds. The zero value is the default.
type Options struct {
	Formats []Format // nil for the first of Formats
	// Figures is the largest number of figures, DefaultFigures when 0 and
	// none when negative.
	Figures int
	// Compression is that of files of tables.
	Compression results.Compression
	// Paper asks for the published numbers beside those of the run.
	Paper bool
	// Progress is told of each step before it begins; nil for nobody. It must not
	// block.
	Progress func(analysis.Step)
}

func (o *Options) tell(what string, at, of int) {
	if o.Progress != nil {
		o.Progress(analysis.Step{What: what, At: at, Of: of})
	}
}

// DefaultFigures is how many figures a report draws unless told otherwise.
const DefaultFigures = 24

func (o Options) figures() int {
	if o.Figures == 0 {
		return DefaultFigures
	}
	return max(o.Figures, 0)
}
