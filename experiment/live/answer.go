package live

import (
	"slices"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/report"
)

const (
	// mostScored bounds the cells in the answers of all runs, some 300 bytes each; others are only
	// counted.
	mostScored  = 300_000
	addedAtOnce = 256
)

// Scores are the current results of a run.
type Scores struct {
	*layout.Answer
	Left int64 `json:"left"` // cells left out
}

// answers builds the answer of a run.
type answers struct {
	kind     *experiment.Registration // of the first outcome: a run has one kind
	standing *analysis.Standing
	waiting  []*experiment.Outcome // to be added
	kept     int64                 // outcomes in it or waiting
	room     int64                 // maximum of kept
	left     int64

	made *Scores
	of   int64 // number of its outcomes
	over bool  // of a finished run
	at   time.Time
	took time.Duration
}

// add takes nil for an outcome with unreadable labels.
func (a *answers) add(s *schema, o *experiment.Outcome) {
	if s == nil || a.kind != nil && a.kind != s.Registration || a.kept >= a.room || !s.fits(o) {
		a.left++
		return
	}
	if a.kind == nil {
		a.kind, a.standing = s.Registration, analysis.NewStanding(s.Registration)
	}
	a.kept++
	own := *o
	own.Further, own.Error = nil, shortened(o.Error)
	if a.waiting = append(a.waiting, &own); len(a.waiting) == addedAtOnce {
		a.flush()
	}
}

// fits reports whether measures are of this version, with texts of bounded size.
func (s *schema) fits(o *experiment.Outcome) bool {
	if o.Measures.Rows > 1 || o.Measures.Rows == 1 && o.Measures.Fits(s.tables.Measures) != nil {
		return false
	}
	if _, err := results.ParseCell(o.Cell); err != nil {
		return false
	}
	return !slices.ContainsFunc(o.Measures.Columns, func(v experiment.Vector) bool {
		return slices.ContainsFunc(v.Texts, func(text string) bool { return len(text) > labelBytes })
	})
}

func (a *answers) flush() {
	if a.standing == nil {
		return
	}
	if err := a.standing.Add(a.waiting...); err != nil {
		a.left += int64(len(a.waiting))
	}
	clear(a.waiting)
	a.waiting = a.waiting[:0]
}

// scores returns the answer, not to be changed; over says that the run has ended. A slow answer is
// renewed less often than outcomes arrive.
func (a *answers) scores(over bool) *Scores {
	now := a.kept + a.left
	if a.made != nil && (a.of == now && a.over == over || time.Since(a.at) < 10*a.took) {
		return a.made
	}
	begun := time.Now()
	a.flush()
	s := &Scores{Answer: &layout.Answer{Verdict: []string{}, Sheets: []*layout.Sheet{}}, Left: a.left}
	if a.standing != nil {
		run := a.standing.Run()
		run.Partial = !over
		s.Answer = report.NewAnswer(run)
	}
	a.made, a.of, a.over, a.at, a.took = s, now, over, time.Now(), time.Since(begun)
	return s
}
