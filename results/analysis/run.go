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
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// Fact is [layout.Fact].
type Fact = layout.Fact

// Run is what the files of a run say: tables of scores, what failed and what is
// missing.
type Run struct {
	Dir        string
	Layout     *layout.Layout // of its kind of experiment
	Name       string         // of the grid; of the folder where there is no manifest
	Facts      []Fact         // about the run
	Overall    []*ScoreTable  // age, parameters and variants chosen by the validation score, and by the test score
	Chosen     []*ScoreTable  // each variant for itself; the tables of Overall where methods have one
	Tables     []*ScoreTable  // each value of the parameters for itself, or as select: best has it
	Selected   []Selected     // what select: best picked; nil for grids without
	Ranking    *Ranking       // over data sets, nil where there are not enough of them or of methods
	Paper      []*PaperTable  // beside the published tables, where they were asked for
	Own        *layout.Part   // the kind's own part, nil without one
	Statuses   []Fact         // number of cells of each status that occurs
	Failures   []Failure      // the first incomplete cells by their identity, then the first failed ones
	Reasons    []Reason       // of cells that are not ok, those of most cells first
	Failed     int            // how many failed
	Incomplete int            // how many are incomplete
	Missing    []string       // sentences that say what is not there, and why
	Data       *DataFacts     // what is known of the data sets
	Partial    bool           // the run has not ended

	comparisons []ComparedTable // see compared
}

// Reason is why cells of a method failed, are incomplete or were skipped. Reasons that differ
// in numbers and in names of methods and settings alone are one.
type Reason struct {
	Method string // its label
	Status experiment.Status
	Text   string // with … for what differs
	Like   string // with … for all names and numbers
	Cells  int
	Cell   string // the first by its identity
	What   string // its setting, method and repeat
}

// Failure is a cell that failed or is incomplete.
type Failure struct {
	Cell   string
	Status experiment.Status
	What   string // its setting, method and repeat
	Error  string
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

// MaxFailures is how many failed cells a report lists, and how many incomplete
// ones.
const MaxFailures = 20

// Step is a part of the work on a report.
type Step struct {
	What   string // for example "drawing figures"
	At, Of int    // where in it, from 1; 0 where it is not counted
}

// Options say how [Load] reads a run. The zero value is the default.
type Options struct {
	Paper    bool       // put the published numbers beside those of the run
	Progress func(Step) // is told of each step before it begins; nil for nobody
}

func (o Options) tell(what string, at, of int) {
	if o.Progress != nil {
		o.Progress(Step{what, at, of})
	}
}

// Load reads the files in dir, complete or not. Only cells.arrow must be
// there, or a stream of cells of a run that has not ended.
func Load(ctx context.Context, dir string, options Options) (*Run, error) {
	options.tell("checking the files", 0, 0)
	if err := results.CheckFiles(ctx, dir); err != nil {
		return nil, err
	}
	options.tell("reading the cells", 0, 0)
	kind, err := KindOf(dir)
	if err != nil {
		return nil, err
	}
	cells, err := readCells(ctx, dir, schemaOf(kind))
	if err != nil {
		return nil, err
	}
	options.tell("making tables", 0, 0)
	r, fewer := cells.run()
	r.Dir, r.Name, r.Partial = dir, filepath.Base(dir), cells.streams > 0
	if r.Partial {
		r.Missing = append(r.Missing, fmt.Sprintf("the run has not ended: cells of %s that are not in %s yet count too, but figures of their paths are left out "+
			"(the same coordinator run goes on with it).", prose.Plural(cells.streams, "stream"), results.CellsFile))
	}
	manifest, err := r.addManifest(dir, cells.rows)
	if err != nil {
		return nil, err
	}
	cells.groups.distinguish()
	rows := []*ScoreTable{newScoreTable("", cells.groups.entries, func(Setting) *ScoreEntry { return nil })}
	if own := r.Layout.Own; own == nil || !own.Unscored {
		if manifest != nil {
			r.Selected = cells.groups.selectBest(manifest.Select)
		}
		r.Tables = cells.groups.tables()
		rows = r.Tables
	}
	if r.Layout.Own != nil {
		if r.Own, err = r.Layout.Own.Make(ctx, r.ownResults(rows)); err != nil {
			return nil, err
		}
	}
	r.addMissing(fewer)
	r.Data = &DataFacts{Target: targetScale(manifest), Size: cells.sizes}
	if manifest != nil {
		r.Data.Readings, r.Data.Absent = manifest.Readings, manifest.Absent
	}
	if options.Paper && kind.Layout.Published != nil {
		if err := r.addPaper(manifest); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// run begins what is said of a run with its answer, and returns how many choices rest on
// fewer cells than others.
func (t *cellTally) run() (*Run, int) {
	r := &Run{
		Layout: t.schema.Layout, Statuses: t.statuses(), Failures: t.firstFailures(), Reasons: t.sortedReasons(),
		Failed: t.failed.n, Incomplete: t.incomplete.n,
	}
	if own := r.Layout.Own; own != nil && own.Unscored {
		return r, 0
	}
	groups := *t.groups
	groups.distinguish()
	if scored := t.schema.scored(); !scored[TestAtBestTest] && !scored[TestAtBestValidation] { // nothing to choose by
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
		r.Ranking = NewRanking(r.Overall, r.Overall[0].Lead())
	}
	return r, fewer
}

// Standing is a run that goes on, by its outcomes.
type Standing struct {
	kind  *experiment.Registration
	tally *cellTally
}

// NewStanding begins a run of a kind of experiment.
func NewStanding(kind *experiment.Registration) *Standing {
	return &Standing{kind, newCellTally(schemaOf(kind))}
}

// Add adds outcomes, of each cell one. Their memory is not kept.
func (s *Standing) Add(outcomes ...*experiment.Outcome) error {
	cells, err := results.CellsOf(s.kind.Tables(), outcomes)
	if err != nil {
		return err
	}
	return s.tally.add(cells)
}

// Run returns what is said of the run so far: its answer, statuses and failures, nil
// tables for a kind without scores.
func (s *Standing) Run() *Run {
	r, _ := s.tally.run()
	r.Partial = true
	return r
}

// ownResults returns the cells of tables for the kind's own part of a report.
func (r *Run) ownResults(tables []*ScoreTable) *layout.Results {
	of := &layout.Results{Layout: r.Layout, Dir: r.Dir, Partial: r.Partial}
	for _, table := range tables {
		of.Methods = append(of.Methods, table.Methods...)
	}
	slices.SortFunc(of.Methods, CompareMethods)
	of.Methods = slices.Compact(of.Methods)
	of.Labels = MethodLabels(of.Methods)
	for _, table := range tables {
		for i := range table.Rows {
			row := layout.Row{Setting: table.Rows[i].Setting, Cells: make([][]layout.Cell, len(of.Methods))}
			for j, method := range table.Methods {
				m := slices.Index(of.Methods, method)
				for _, s := range table.Rows[i].Entries[j].Sample {
					row.Cells[m] = append(row.Cells[m], layout.Cell{ID: s.Cell.String(), Repeat: s.Repeat, Computed: s.Status.Computed(), Whole: s.Whole()})
				}
			}
			of.Rows = append(of.Rows, row)
		}
	}
	return of
}

// addManifest tells what the manifest says about the run and its files. It
// returns nil where there is none.
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
	r.Facts = append(r.Facts, Fact{Name: "run", Value: m.Run}, Fact{Name: "experiment", Value: m.Kind})
	for _, name := range slices.Sorted(maps.Keys(m.Versions)) {
		r.Facts = append(r.Facts, Fact{Name: "version of " + name, Value: m.Versions[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Data)) {
		r.Facts = append(r.Facts, Fact{Name: "data set " + name, Value: m.Data[name]})
	}
	for _, reading := range m.Readings {
		for _, warning := range reading.Warnings {
			r.Missing = append(r.Missing, fmt.Sprintf("data set %s: %s.", reading.Name, warning))
		}
	}
	for _, d := range m.Absent {
		r.Missing = append(r.Missing, fmt.Sprintf("the data set %s was not on the machine and was skipped (coordinator datasets fetch %s downloads it).", d.Name, d.Name))
	}
	r.Facts = append(r.Facts, Fact{Name: "cells of the grid", Value: strconv.FormatInt(m.Cells, 10)})
	if left := m.Cells - int64(cells); left > 0 {
		r.Missing = append(r.Missing, fmt.Sprintf("%d of the grid's %d cells are not in the files.", left, m.Cells))
	}
	return m, nil
}

// KindOf returns the kind of experiment of a folder of results, the default one where it
// has no manifest that can be read.
func KindOf(dir string) (*experiment.Registration, error) {
	m, err := results.ReadManifest(dir)
	if err != nil || m.Kind == "" {
		return experiment.Default()
	}
	return experiment.Named(m.Kind)
}

// sectionOf returns what the kind of a manifest's grid says about its scores; nil where
// that is not known.
func sectionOf(m *results.Manifest) experiment.ScoredSection {
	if m == nil {
		return nil
	}
	grid, err := experiment.Parse([]byte(m.Grid), results.ManifestName, nil)
	if err != nil || grid.Kind != m.Kind { // a grid of another version: the label goes without
		return nil
	}
	section, _ := grid.Section.(experiment.ScoredSection)
	return section
}

// targetScale says in what unit a manifest's grid has its scores; "" where that is not
// known.
func targetScale(m *results.Manifest) string {
	if section := sectionOf(m); section != nil {
		return section.ScoreUnit()
	}
	return ""
}

// addMissing says what the tables rest on, and how many choices by the validation score rest
// on fewer cells than the grid has for them.
func (r *Run) addMissing(choices int) {
	if choices > 0 {
		r.Missing = append(r.Missing, fmt.Sprintf("choices of parameters among fewer cells than the grid has for them, because some are incomplete, failed or are not in the files: %d.", choices))
	}
	for _, table := range r.Tables {
		if table.Columns[TestAtBestValidation] && !table.Has(TestAtBestValidation) {
			why := r.Layout.WithoutValidation
			if why != "" {
				why = " (" + why + ")"
			}
			r.Missing = append(r.Missing, fmt.Sprintf("test %s: no cell has a validation score, and so the oracle chooses%s.", table.Metric.Word(), why))
		}
	}
	r.addAlike()
	if len(r.Tables) == 0 && (r.Own == nil || r.Own.Sections == nil) {
		r.Missing = append(r.Missing, "there are no cells yet, and so no tables and no figures.")
	}
}

// addAlike says of methods by steps in how many settings most of their steps have the same model as
// the one before, and what the worst cell has.
func (r *Run) addAlike() {
	settings, alike, worst := map[string]int{}, map[string]int{}, map[string]*RepeatScore{}
	for _, table := range r.Tables {
		for method, label := range MethodLabels(table.Methods) {
			for i := range table.Rows {
				fewest := fewestFits(table.Rows[i].Entries[method].Sample)
				if fewest == nil {
					continue
				}
				settings[label]++
				if 2*fewest.fits < fewest.points {
					alike[label]++
					if least := worst[label]; least == nil || fewest.fits*least.points < least.fits*fewest.points {
						worst[label] = fewest
					}
				}
			}
		}
	}
	for _, label := range slices.Sorted(maps.Keys(worst)) {
		r.Missing = append(r.Missing, fmt.Sprintf("%s: %s at %s, and fewer than half of the %ss in %d of %s.", label,
			prose.Plural(int(worst[label].fits), "different fit"), prose.Plural(int(worst[label].points), r.Layout.Step.Word),
			r.Layout.Step.Word, alike[label], prose.Plural(settings[label], "setting")))
	}
}

// fewestFits returns the cell with the smallest share of steps that have a model of their own, nil
// where none is known.
func fewestFits(sample []RepeatScore) (fewest *RepeatScore) {
	for k := range sample {
		if s := &sample[k]; s.points > 0 && (fewest == nil || s.fits*fewest.points < fewest.fits*s.points) {
			fewest = s
		}
	}
	return fewest
}
