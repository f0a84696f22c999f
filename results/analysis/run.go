// Package analysis evaluates the files of a run: it tabulates scores, chooses hyperparameters,
// compares methods on the same splits, ranks them over data sets and compares scores with published
// numbers.
package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// Run is the evaluation of a run's files.
type Run struct {
	Dir        string
	Layout     *layout.Layout
	Name       string // of the grid or, without a manifest, the folder
	Facts      []layout.Fact
	Overall    []*ScoreTable // age, parameters and variants chosen
	Chosen     []*ScoreTable // each variant separately; Overall if methods have one
	Tables     []*ScoreTable // each value of the parameters, or as select: best has it
	Selected   []Selected    // by select: best
	Ranking    *Ranking      // nil if too small
	Paper      bool          // whether published numbers are requested
	Own        *layout.Part  // or nil
	Failures   []Failure     // first incomplete ones, then failed, by identity
	Reasons    []Reason      // by descending number of cells
	Failed     int
	Incomplete int
	Missing    []string // sentences
	Data       *DataFacts
	Partial    bool

	Contaminated []Contaminated // data sets that are ranked by trimmed RMSE
	Times        []MethodTime   // by descending processor time
}

// MethodTime sums the last attempt of every cell of a method, failed ones included.
type MethodTime struct {
	Method  string
	Cells   int     // all
	Timed   int     // with a processor time
	CPU     float64 // seconds, of Timed
	Elapsed float64 // seconds, of Cells
}

// Reason is why cells of a method are not ok. Reasons that differ only in numbers or in names of
// methods and settings are merged.
type Reason struct {
	Method string
	Status experiment.Status
	Text   string // differing parts replaced by …
	Like   string // all names and numbers replaced by …
	Cells  int
	Cell   string // first by identity
	What   string

	error string // of Cell, while counting
}

// Failure is a cell that failed or is incomplete.
type Failure struct {
	Cell   string
	Status experiment.Status
	What   string // setting, method and repeat
	Error  string
}

// MaxFailures limits the listed cells, failed and incomplete separately.
const MaxFailures = 20

// Step is a part of the work on a report.
type Step struct {
	What   string // such as "drawing figures"
	At, Of int    // from 1; 0 if not counted
}

// Progress is called before each step and must not block; it may be nil.
type Progress func(Step)

// Tell reports a step; see [Step].
func (p Progress) Tell(what string, at, of int) {
	if p != nil {
		p(Step{what, at, of})
	}
}

// Options are the options of [Load].
type Options struct {
	Choose   choice.Rule // "" for the cells' own choices
	Paper    bool
	Tests    Tests // zero for DefaultTests
	Progress Progress
}

func (r *Run) addSoftware(ctx context.Context) error {
	software, err := results.Software(ctx, r.Dir)
	for _, of := range software {
		r.Facts = append(r.Facts, layout.Fact{Name: "software of " + of.Method, Value: of.Text})
	}
	return err
}

// Load reads the files in dir, complete or not. Only cells.arrow is required, or a stream of cells
// of a run that has not ended.
func Load(ctx context.Context, dir string, options Options) (*Run, error) {
	options.Progress.Tell("checking the files", 0, 0)
	if err := results.CheckFiles(ctx, dir); err != nil {
		return nil, err
	}
	options.Progress.Tell("reading the cells", 0, 0)
	kind, err := KindOf(dir)
	if err != nil {
		return nil, err
	}
	cells, err := readCells(ctx, dir, schemaOf(kind))
	if err != nil {
		return nil, err
	}
	cells.groups.tests = cmp.Or(options.Tests, DefaultTests)
	if options.Choose != "" {
		options.Progress.Tell("choosing", 0, 0)
		if err := cells.groups.chooseAgain(ctx, dir, kind.Name(), options.Choose); err != nil {
			return nil, err
		}
	}
	options.Progress.Tell("making tables", 0, 0)
	r, fewer := cells.run()
	r.Dir, r.Name, r.Partial = dir, filepath.Base(dir), cells.streams > 0
	if r.Partial {
		r.Missing = append(r.Missing, fmt.Sprintf("the run has not ended: cells of %s that are not in %s yet count too, but figures of their paths are left out "+
			"(the same coordinator run resumes it).", prose.Plural(cells.streams, "stream"), results.CellsFile))
	}
	manifest, err := r.addManifest(dir, cells.rows)
	if err != nil {
		return nil, err
	}
	if err := r.addSoftware(ctx); err != nil {
		return nil, err
	}
	rules := cells.groups.choices()
	r.Facts = append(r.Facts, cells.statuses()...)
	cells.groups.trimContaminated()
	cells.groups.distinguish()
	r.Data = &DataFacts{Section: sectionOf(manifest), Size: cells.sizes, Target: "target's unit", Rules: rules}
	if cells.groups.scaled {
		r.Data.Target = "scaled target"
	}
	if own := r.Layout.Own; own != nil && own.Unscored {
		r.Data.Unscored = newScoreTable("", cells.groups.entries, func(layout.Setting) *ScoreEntry { return nil })
	} else {
		if manifest != nil {
			r.Selected = cells.groups.selectBest(manifest.Select)
		}
		r.Tables = cells.groups.tables()
	}
	r.addMissing(fewer)
	own := owns[kind.Name()]
	if own.Remarks != nil {
		r.Missing = append(r.Missing, own.Remarks(r.Tables)...)
	}
	r.Paper = options.Paper
	if manifest != nil {
		r.Data.Readings, r.Data.Absent = manifest.Readings, manifest.Absent
	}
	if own.Part != nil {
		if r.Own, err = own.Part(ctx, r); err != nil {
			return nil, err
		}
	}
	if len(r.Tables) == 0 && (r.Own == nil || r.Own.Sections == nil) {
		r.Missing = append(r.Missing, "there are no cells yet, and so no tables and no figures.")
	}
	return r, nil
}

// Own is what a kind adds to reports; functions may be nil.
type Own struct {
	// Part makes the kind's own part of the report of a run, see [layout.Own].
	Part func(ctx context.Context, r *Run) (*layout.Part, error)
	// Remarks makes sentences on scores for each value of the parameters.
	Remarks func(tables []*ScoreTable) []string
	// Choose changes what a rule chooses in the cells, by identity, from the points stored in dir.
	// Kinds with a [layout.Path.Choice] have it.
	Choose func(ctx context.Context, dir string, rule choice.Rule, cells map[string]*ChosenCell) error
}

var owns = map[string]Own{}

// RegisterOwn is called by the package of a kind when initialized.
func RegisterOwn(kind string, own Own) { owns[kind] = own }

// run also counts choices that rest on fewer cells than others.
func (t *cellTally) run() (*Run, int) {
	r := &Run{
		Layout: t.schema.Layout, Times: t.sortedTimes(), Reasons: t.sortedReasons(),
		Failures: slices.Concat(firstFew(t.incomplete.first, Failure.compare), firstFew(t.failed.first, Failure.compare)),
		Failed:   t.failed.n, Incomplete: t.incomplete.n,
	}
	if own := r.Layout.Own; own != nil && own.Unscored {
		return r, 0
	}
	groups := *t.groups
	r.Contaminated = groups.trimContaminated()
	groups.distinguish()
	if scored := t.schema.scored(); !scored[TestAtBestTest] && !scored[TestAtBestValidation] { // no score to choose by
		r.Chosen = groups.tables()
		r.Overall = r.Chosen
		return r, 0
	}
	chosen, fewer := groups.chosenTables(false)
	r.Chosen, r.Overall = chosen, chosen
	if groups.hasVariants() {
		r.Overall, _ = groups.chosenTables(true)
	}
	if len(r.Overall) > 0 {
		r.Ranking = NewRanking(r.Overall, r.Overall[0].Lead(), groups.tests)
	}
	return r, fewer
}

// Standing evaluates a run in progress from its outcomes.
type Standing struct {
	kind  *experiment.Registration
	tally *cellTally
}

// NewStanding returns an empty Standing.
func NewStanding(kind *experiment.Registration) *Standing {
	return &Standing{kind, newCellTally(schemaOf(kind))}
}

// Add adds outcomes, one of each cell, without keeping their memory.
func (s *Standing) Add(outcomes ...*experiment.Outcome) error {
	cells, err := results.CellsOf(s.kind.Tables(), outcomes)
	if err != nil {
		return err
	}
	return s.AddRows(cells)
}

func (s *Standing) AddRows(cells *results.Frame) error { return s.tally.add(cells) }

// Run evaluates the outcomes so far. Tables are nil for a kind without scores.
func (s *Standing) Run() *Run {
	r, _ := s.tally.run()
	r.Partial = true
	return r
}

// Tables returns the scores of each value of the parameters.
func (s *Standing) Tables() []*ScoreTable {
	groups := *s.tally.groups
	groups.trimContaminated()
	groups.distinguish()
	return groups.tables()
}

func (s *Standing) Remarks() []string {
	if own := owns[s.kind.Name()]; own.Remarks != nil {
		return own.Remarks(s.Tables())
	}
	return nil
}

// addManifest returns nil if there is no manifest.
func (r *Run) addManifest(dir string, cells int) (*results.Manifest, error) {
	m, err := results.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.Missing = append(r.Missing, "there is no "+results.ManifestName+": how many cells the grid has is not known.")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.Name = cmp.Or(m.Name, r.Name)
	r.Facts = append(r.Facts, layout.Fact{Name: "run", Value: m.Run}, layout.Fact{Name: "experiment", Value: m.Kind})
	for _, name := range slices.Sorted(maps.Keys(m.Versions)) {
		r.Facts = append(r.Facts, layout.Fact{Name: "version of " + name, Value: m.Versions[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Data)) {
		r.Facts = append(r.Facts, layout.Fact{Name: "data set " + name, Value: m.Data[name]})
	}
	for _, reading := range m.Readings {
		for _, warning := range reading.Warnings {
			r.Missing = append(r.Missing, fmt.Sprintf("data set %s: %s.", reading.Name, warning))
		}
	}
	for _, d := range m.Absent {
		r.Missing = append(r.Missing, fmt.Sprintf("the data set %s was not on the machine and was skipped (coordinator datasets fetch %s downloads it).", d.Name, d.Name))
	}
	r.Facts = append(r.Facts, layout.Fact{Name: "cells of the grid", Value: strconv.FormatInt(m.Cells, 10)})
	if left := m.Cells - int64(cells); left > 0 {
		r.Missing = append(r.Missing, fmt.Sprintf("%d of the grid's %d cells are not in the files.", left, m.Cells))
	}
	return m, nil
}

// KindOf returns the kind of experiment of a folder, the default without a readable manifest.
func KindOf(dir string) (*experiment.Registration, error) {
	m, err := results.ReadManifest(dir)
	if err != nil || m.Kind == "" {
		return experiment.Default()
	}
	return experiment.Named(m.Kind)
}

func sectionOf(m *results.Manifest) experiment.Section {
	if m == nil {
		return nil
	}
	grid, err := experiment.Parse([]byte(m.Grid), results.ManifestName, nil)
	if err != nil || grid.Kind != m.Kind { // of another version
		return nil
	}
	return grid.Section
}

// addMissing takes the number of choices on fewer cells than the grid has.
func (r *Run) addMissing(choices int) {
	if choices > 0 {
		r.Missing = append(r.Missing, fmt.Sprintf("choices of parameters among fewer cells than the grid has for them, because some are incomplete, failed or are not in the files: %d.", choices))
	}
	for _, table := range r.Tables {
		if table.Columns[TestAtBestValidation] && !table.Has(TestAtBestValidation) && table.Has(TestAtBestTest) {
			why := r.Layout.WithoutValidation
			if why != "" {
				why = " (" + why + ")"
			}
			r.Missing = append(r.Missing, fmt.Sprintf("test %s: no cell has a validation score, and so the oracle chooses%s.", table.Metric.Word(), why))
		}
	}
}
