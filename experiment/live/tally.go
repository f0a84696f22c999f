package live

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/report"
)

const (
	mostSlow     = 20
	mostFailures = 100
	// mostParts bounds the pairs of data set and method; others are counted together.
	mostParts = 5000
	// errorBytes of an error are kept, nameBytes of names of workers and metrics.
	errorBytes = 4 << 10
	nameBytes  = 256
	// labelBytes bounds the texts of a cell's labels; longer ones count as unreadable.
	labelBytes = 2 << 10
)

// buckets are the upper ends, in seconds, of the histogram of durations; a last one is open.
var buckets = [...]float64{0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400}

type partKey struct{ dataset, method string }

var rest = partKey{"(others)", "(others)"}

type partCount struct {
	done               int64   // cells with an outcome
	incomplete, failed int64   // of these
	wall               float64 // total seconds
}

// tally counts outcomes and holds a bounded number of cells.
type tally struct {
	schemas  map[string]*schema // by kind
	total    int64
	wall     float64 // total seconds
	parts    map[partKey]*partCount
	buckets  [len(buckets)]uint64 // not cumulative
	slowest  []Cell               // longest first
	failures []Cell               // failed and incomplete, newest last
	reasons  experiment.Reasons   // of all of these, also those not in failures
	answers  answers
}

// schema is how outcomes of a kind are read.
type schema struct {
	*experiment.Registration
	tables experiment.Tables
}

func schemasOf(kinds []*experiment.Registration) map[string]*schema {
	all := map[string]*schema{}
	for _, kind := range kinds {
		all[kind.Name()] = &schema{kind, kind.Tables()}
	}
	return all
}

// label returns a text of an outcome's labels, "" for none; s is nil if they are unreadable.
func (s *schema) label(o *experiment.Outcome, name string) string {
	if s == nil {
		return ""
	}
	return s.tables.Text(&o.Labels, name)
}

func newTally(schemas map[string]*schema) *tally {
	return &tally{
		schemas: schemas, parts: map[partKey]*partCount{},
		slowest: []Cell{}, failures: []Cell{},
		answers: answers{room: mostScored},
	}
}

// add counts an outcome. An invalid time, which only a foreign worker sends, counts as 0.
func (t *tally) add(o *experiment.Outcome) {
	if !(o.Wall >= 0 && o.Wall <= math.MaxFloat32) {
		o.Wall = 0
	}
	t.total++
	t.wall += o.Wall
	if i, _ := slices.BinarySearch(buckets[:], o.Wall); i < len(buckets) {
		t.buckets[i]++
	}
	s := t.schemaOf(o)
	key := partKey{s.label(o, "dataset"), s.label(o, "method")}
	if t.parts[key] == nil && len(t.parts) >= mostParts {
		key = rest
	}
	part := t.parts[key]
	if part == nil {
		part = new(partCount)
		t.parts[key] = part
	}
	part.done++
	part.wall += o.Wall
	switch {
	case o.Status.Failed():
		part.failed++
	case o.Status == experiment.Incomplete:
		part.incomplete++
	}
	t.answers.add(s, o)
	t.list(s, o)
}

func (t *tally) list(s *schema, o *experiment.Outcome) {
	same := func(c Cell) bool { return c.Cell == o.Cell } // replaced
	t.slowest, t.failures = slices.DeleteFunc(t.slowest, same), slices.DeleteFunc(t.failures, same)
	slow := len(t.slowest) < mostSlow || o.Wall > t.slowest[len(t.slowest)-1].Seconds
	failed := o.Status != experiment.OK && o.Status != experiment.Skipped
	if !slow && !failed {
		return
	}
	cell := s.cell(o)
	if slow {
		at, _ := slices.BinarySearchFunc(t.slowest, o.Wall, func(c Cell, wall float64) int {
			if c.Seconds >= wall {
				return -1
			}
			return 1
		})
		t.slowest = slices.Insert(t.slowest, at, cell)
		t.slowest = t.slowest[:min(len(t.slowest), mostSlow)]
	}
	if failed {
		t.reasons.Add(cell.Method, o.Status, o.Error, o.Cell, o.Repeats)
		t.failures = append(t.failures, cell)
		t.failures = t.failures[max(0, len(t.failures)-mostFailures):]
	}
}

// schemaOf returns nil if the labels are of another version, or too long.
func (t *tally) schemaOf(o *experiment.Outcome) *schema {
	s := t.schemas[o.Kind]
	if s == nil || s.tables.FitsLabels(&o.Labels) != nil {
		return nil
	}
	size := 0
	for j := range o.Labels.Columns {
		for _, text := range o.Labels.Columns[j].Texts {
			size += len(text)
		}
	}
	if size > labelBytes {
		return nil
	}
	return s
}

// what describes a cell among those of its data set and method.
func (s *schema) what(o *experiment.Outcome) string {
	if s == nil {
		return ""
	}
	setting := s.Setting(&o.Labels)
	setting[layout.Dataset] = layout.Value{}
	words := []string{analysis.SettingsText(s.label(o, "method_params")), s.Layout.Describe(setting.Without(s.Layout.Conditions...))}
	if repeat := s.tables.Repeat(&o.Labels); repeat != 0 {
		words = append(words, fmt.Sprintf("repeat %d", repeat))
	}
	return strings.Join(slices.DeleteFunc(words, func(text string) bool { return text == "" }), ", ")
}

func (s *schema) cell(o *experiment.Outcome) Cell {
	return Cell{
		Cell: o.Cell, Dataset: s.label(o, "dataset"), Method: analysis.MethodLabel(s.label(o, "method")), What: s.what(o), Status: o.Status,
		Error: shortened(o.Error), Attempts: o.Attempts, Seconds: o.Wall, Peak: o.Peak, Worker: strings.ToValidUTF8(strings.Clone(o.Worker[:min(len(o.Worker), nameBytes)]), ""),
		Finished: o.Finished.UTC().Truncate(time.Second),
	}
}

// shortened keeps beginning and end of an error: the last line of a trace says most.
func shortened(text string) string {
	if len(text) <= errorBytes {
		return strings.Clone(text)
	}
	const half = errorBytes / 2
	return strings.ToValidUTF8(text[:half], "") + "\n...\n" + strings.ToValidUTF8(text[len(text)-half:], "")
}

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
