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
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// Rounding is the largest relative difference that can be due to rounding: solvers are exact to
// 1e-10.
const Rounding = experiment.Rounding

// RunComparison compares runs with the first of them, the baseline.
type RunComparison struct {
	Rounding float64
	Tests    Tests
	Runs     []*ComparedRun
	Pairs    []*RunPair // Pairs[i] compares Runs[i+1] with Runs[0]
}

// RunPair compares a run with the baseline on cells of equal identity and on counterparts: equal
// labels, different identities, because the version of a method's algorithm or a setting that is
// not a label changed.
type RunPair struct {
	Layout          *layout.Layout
	Baseline, Other *ComparedRun
	Cells           []CellCounts // all cells, then by method
	Copied          int          // shared cells that are copies
	Scores          []ScoreChange
	Numbers         NumberChanges
	Times           []TimeRatio    // as Cells
	Statuses        []StatusChange // of shared cells
	Failures        []FailureChange
	Notes           []string // what was left out
}

// CellCounts counts the cells of two runs.
type CellCounts struct {
	Method       string // "" for all
	Shared       int    // of equal identity
	Counterparts int
	OnlyBaseline int
	OnlyOther    int
}

// StatusChange counts the cells with one status in the baseline and another in the other run.
type StatusChange struct {
	Baseline, Other experiment.Status
	Cells           int
}

// FailureChange is a cell whose status differs.
type FailureChange struct {
	Cell            string // identity in the baseline
	What            string
	Baseline, Other experiment.Status
	Error           string // of the other run, or of the baseline if the other is ok
}

// CompareOptions are the options of [CompareRuns].
type CompareOptions struct {
	Rounding float64 // see [Rounding]
	Tests    Tests   // zero for DefaultTests
	Progress Progress
}

// CompareRuns compares the runs in folders, which meet the requirements of [Load], with the first.
func CompareRuns(ctx context.Context, dirs []string, options CompareOptions) (*RunComparison, error) {
	kind, err := KindOf(dirs[0])
	if err != nil {
		return nil, fmt.Errorf("comparing %s: %w", dirs[0], err)
	}
	cells := &comparedCells{schema: schemaOf(kind), measures: kind.Tables().Measures, numbers: map[place]int32{}, texts: map[string]string{}}
	c := &RunComparison{Rounding: options.Rounding, Tests: cmp.Or(options.Tests, DefaultTests)}
	for i, dir := range dirs {
		options.Progress.Tell("reading the cells", i+1, len(dirs))
		r, err := cells.load(ctx, dir)
		if err != nil {
			return nil, fmt.Errorf("comparing %s: %w", dir, err)
		}
		c.Runs = append(c.Runs, r)
		if i == 0 {
			continue
		}
		options.Progress.Tell("comparing the runs", i, len(dirs)-1)
		c.Pairs = append(c.Pairs, cells.compare(c.Runs[0], r, c.Rounding))
		r.runCells = nil
	}
	return c, nil
}

type cellPair struct {
	baseline, other int32 // rows
	same            bool  // equal identities
}

func (c *comparedCells) compare(baseline, other *ComparedRun, rounding float64) *RunPair {
	p := &RunPair{Layout: c.schema.Layout, Baseline: baseline, Other: other}
	pairs := c.match(p)
	for _, of := range pairs {
		if isCopy(&baseline.rows[of.baseline], &other.rows[of.other]) {
			p.Copied++
		}
	}
	p.Scores = c.scoreChanges(baseline, other, pairs, rounding)
	p.Numbers = c.numberChanges(baseline, other, pairs, rounding)
	p.Times = c.timeRatios(baseline, other, pairs)
	c.addFailures(p, pairs)
	p.addNotes(rounding)
	return p
}

// isCopy reports whether two rows of a cell come from one computation.
func isCopy(a, b *comparedCell) bool {
	return a.status == b.status && a.started == b.started && a.worker == b.worker && a.seconds[1] == b.seconds[1]
}

// match pairs the cells of two runs, in the order of the baseline, and counts them.
func (c *comparedCells) match(p *RunPair) []cellPair {
	a, b := p.Baseline, p.Other
	taken := make([]bool, len(b.rows))
	at := make([]int32, len(a.rows))
	for i := range a.rows {
		row, there := b.newest[a.rows[i].key]
		if at[i] = -1; there {
			at[i], taken[row] = row, true
		}
	}
	free := unpaired(a.rows, func(i int) bool { return at[i] < 0 })
	counterparts := unpaired(b.rows, func(i int) bool { return !taken[i] })
	byMethod := map[string]*CellCounts{}
	total := &CellCounts{}
	count := func(cell *comparedCell, add func(*CellCounts)) {
		method := c.groups[cell.labels.group].method
		add(valueOf(byMethod, method, CellCounts{Method: method}))
		add(total)
	}
	var pairs []cellPair
	for i := range a.rows {
		cell := &a.rows[i]
		if at[i] >= 0 {
			pairs = append(pairs, cellPair{int32(i), at[i], true})
			count(cell, func(n *CellCounts) { n.Shared++ })
			continue
		}
		row, there := counterparts[cell.labels]
		_, alone := free[cell.labels]
		if there && alone && c.sameData(p, cell) {
			pairs = append(pairs, cellPair{int32(i), row, false})
			taken[row] = true
			count(cell, func(n *CellCounts) { n.Counterparts++ })
			continue
		}
		count(cell, func(n *CellCounts) { n.OnlyBaseline++ })
	}
	for i := range b.rows {
		if !taken[i] {
			count(&b.rows[i], func(n *CellCounts) { n.OnlyOther++ })
		}
	}
	p.Cells = []CellCounts{*total}
	for _, method := range slices.SortedFunc(maps.Keys(byMethod), CompareMethods) {
		p.Cells = append(p.Cells, *byMethod[method])
	}
	return pairs
}

// unpaired returns the open rows with unique labels.
func unpaired(rows []comparedCell, open func(i int) bool) map[cellLabels]int32 {
	found, several := map[cellLabels]int32{}, map[cellLabels]bool{}
	for i := range rows {
		if !open(i) {
			continue
		}
		labels := rows[i].labels
		_, there := found[labels]
		several[labels] = there
		found[labels] = int32(i)
	}
	maps.DeleteFunc(found, func(labels cellLabels, _ int32) bool { return several[labels] })
	return found
}

// sameData also accepts unknown digests.
func (c *comparedCells) sameData(p *RunPair, cell *comparedCell) bool {
	name := c.groups[cell.labels.group].setting[layout.Dataset].Text
	a, b := p.Baseline.data[name], p.Other.data[name]
	return a == b || a == "" || b == ""
}

func (c *comparedCells) addFailures(p *RunPair, pairs []cellPair) {
	counts := map[[2]experiment.Status]int{}
	var differ []cellPair
	for _, of := range pairs {
		from, to := p.Baseline.rows[of.baseline].status, p.Other.rows[of.other].status
		if from != to {
			counts[[2]experiment.Status{from, to}]++
			differ = append(differ, of)
		}
	}
	for _, from := range experiment.Statuses {
		for _, to := range experiment.Statuses {
			if n := counts[[2]experiment.Status{from, to}]; n > 0 {
				p.Statuses = append(p.Statuses, StatusChange{from, to, n})
			}
		}
	}
	for _, of := range firstFew(differ, func(x, y cellPair) int {
		return p.Baseline.rows[x.baseline].key.Compare(p.Baseline.rows[y.baseline].key)
	}) {
		from, to := &p.Baseline.rows[of.baseline], &p.Other.rows[of.other]
		p.Failures = append(p.Failures, FailureChange{
			Cell: from.key.String(), What: c.what(from), Baseline: from.status, Other: to.status,
			Error: cmp.Or(to.reason, from.reason),
		})
	}
}

func (p *RunPair) addNotes(rounding float64) {
	total := p.Cells[0]
	if total.Shared+total.Counterparts == 0 {
		p.Notes = append(p.Notes, "the runs have no cell in common, and so nothing is compared.")
	}
	if n := total.Counterparts; n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s with the same labels have another identity: the version of the method's algorithm, or a setting that is no column, differs. "+
			"Their scores, times and failures are compared; numbers that changed are those of equal identity alone.", prose.Plural(n, "cell")))
	}
	p.notePlatforms(rounding)
	for _, method := range slices.Sorted(maps.Keys(p.Baseline.Software)) {
		if here, there := p.Baseline.Software[method], p.Other.Software[method]; there != nil && !slices.Equal(here, there) {
			p.Notes = append(p.Notes, fmt.Sprintf("the method %s ran on %s, in the baseline on %s.", method, strings.Join(there, " and "), strings.Join(here, " and ")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Baseline.data)) {
		if there := p.Other.data[name]; there != "" && there != p.Baseline.data[name] {
			p.Notes = append(p.Notes, fmt.Sprintf("the data set %s is another one in the two runs; its cells are not compared.", name))
		}
	}
	if p.Copied > 0 {
		p.Notes = append(p.Notes, prose.Plural(p.Copied, "cell")+" of both runs are one computation, taken over from one by the other; times leave them out.")
	}
}

func (p *RunPair) notePlatforms(rounding float64) {
	elsewhere := slices.ContainsFunc(p.Other.Platforms, func(other string) bool {
		return slices.ContainsFunc(p.Baseline.Platforms, func(here string) bool { return !experiment.SameArithmetic(here, other) })
	})
	if !elsewhere {
		return
	}
	what := "all numbers are equal to rounding"
	if n := p.Numbers.Beyond; n > 0 {
		what = fmt.Sprintf("numbers of %s differ by more than rounding", prose.Plural(n, "cell"))
	}
	p.Notes = append(p.Notes, fmt.Sprintf("%s (%g); computed on %s, the baseline on %s.",
		what, rounding, strings.Join(p.Other.Platforms, " and "), strings.Join(p.Baseline.Platforms, " and ")))
}

// ComparedRun is a folder of results in a comparison.
type ComparedRun struct {
	Dir       string
	Run       string // "" without a manifest
	Versions  []VersionCells
	Cells     int
	Statuses  map[experiment.Status]int
	Partial   bool
	Platforms []string
	Software  map[string][]string // as commands report it, by method

	data map[string]string // digests by name
	*runCells
}

// runCells is what a comparison needs of a run, but not its result.
type runCells struct {
	rows     []comparedCell
	measures [][]experiment.Vector // of each batch
	newest   map[results.CellKey]int32
}

// VersionCells counts the cells of a version of agepath.
type VersionCells struct {
	Version string
	Cells   int
}

type comparedCell struct {
	key     results.CellKey
	labels  cellLabels
	status  experiment.Status
	score   [SelectionBias]float64
	ratio   float64 // of test to training rows
	seconds [len(timeColumns)]float64
	worker  string
	reason  string // why it is not ok
	started int64  // microseconds

	batch, row int32 // of the measures
}

// cellLabels identify a cell across runs, independently of its identity.
type cellLabels struct {
	group        int32 // in comparedCells.groups
	repeat, seed int64
}

type comparedCells struct {
	schema   *schema
	measures []experiment.Column
	groups   []place
	metrics  []Metric
	numbers  map[place]int32
	texts    map[string]string
}

// extraColumns are those that score tables do not use.
var extraColumns = []experiment.Column{
	{Name: "seed", Type: experiment.Int}, {Name: "error", Type: experiment.Text}, {Name: "worker", Type: experiment.Text},
	{Name: "version", Type: experiment.Text}, {Name: "started_at", Type: experiment.Time}, {Name: "platform", Type: experiment.Text},
}

func (c *comparedCells) columns() []experiment.Column {
	columns := slices.Concat(c.schema.cellColumns(), c.schema.there(experiment.Names(extraColumns)...))
	for _, measure := range c.measures {
		if !slices.ContainsFunc(columns, func(c experiment.Column) bool { return c.Name == measure.Name }) {
			columns = append(columns, measure)
		}
	}
	return columns
}

func (c *comparedCells) load(ctx context.Context, dir string) (*ComparedRun, error) {
	if err := results.CheckFiles(ctx, dir); err != nil {
		return nil, err
	}
	r := &ComparedRun{
		Dir: dir, Statuses: map[experiment.Status]int{}, runCells: &runCells{newest: map[results.CellKey]int32{}},
	}
	manifest, err := results.ReadManifest(dir)
	switch {
	case err == nil:
		r.Run, r.data = manifest.Run, manifest.Data
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	versions := map[string]int{}
	streams, err := results.EachNewest(ctx, dir, "cells", c.columns(), func(f *results.Frame) error {
		if err := c.add(r, f, versions); err != nil {
			return fmt.Errorf("reading %s: %w", filepath.Join(dir, results.CellsFile), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Partial, r.Cells = streams > 0, len(r.rows)
	software, err := results.Software(ctx, dir)
	if err != nil {
		return nil, err
	}
	r.Software = map[string][]string{}
	for _, of := range software {
		r.Software[of.Method] = append(r.Software[of.Method], of.Text)
	}
	for version, cells := range versions {
		r.Versions = append(r.Versions, VersionCells{version, cells})
	}
	slices.SortFunc(r.Versions, func(a, b VersionCells) int {
		return cmp.Or(cmp.Compare(b.Cells, a.Cells), cmp.Compare(a.Version, b.Version))
	})
	return r, nil
}

func (c *comparedCells) add(r *ComparedRun, f *results.Frame, versions map[string]int) error {
	columns, err := newCellColumns(c.schema, f, c.texts)
	if err != nil {
		return err
	}
	extra, err := f.Vectors(results.CellsFile, extraColumns)
	if err != nil {
		return err
	}
	measures, err := f.Vectors(results.CellsFile, c.measures)
	if err != nil {
		return err
	}
	batch := make([]experiment.Vector, len(measures)) // without the memory of other columns
	for j, vector := range measures {
		batch[j] = *vector
	}
	r.measures = append(r.measures, batch)
	seed, reason, worker, version, started, platform := extra[0], extra[1], extra[2], extra[3], extra[4], extra[5]
	for row := range columns.rows {
		sample, metric, err := columns.sample(row)
		if err != nil {
			return err
		}
		cell := comparedCell{
			key: sample.Cell, status: sample.Status, ratio: sample.Ratio, seconds: sample.Seconds,
			labels: cellLabels{c.group(place{columns.setting(row), columns.methodKey(row)}, metric), sample.Repeat, seed.Ints[row]},
			worker: columns.text(worker, row), started: started.Ints[row],
			batch: int32(len(r.measures) - 1), row: int32(row),
		}
		copy(cell.score[:], sample.Score[:])
		if cell.status != experiment.OK {
			cell.reason = strings.Clone(reason.Texts[row])
		}
		r.newest[cell.key] = int32(len(r.rows))
		r.rows = append(r.rows, cell)
		r.Statuses[cell.status]++
		versions[columns.text(version, row)]++
		if on := columns.text(platform, row); on != "" && !slices.Contains(r.Platforms, on) {
			r.Platforms = append(r.Platforms, on)
		}
	}
	return nil
}

func (c *comparedCells) group(of place, metric Metric) int32 {
	number, known := c.numbers[of]
	if !known {
		number = int32(len(c.groups))
		c.numbers[of] = number
		c.groups = append(c.groups, of)
		c.metrics = append(c.metrics, "")
	}
	c.metrics[number] = cmp.Or(c.metrics[number], metric)
	return number
}

func (c *comparedCells) what(cell *comparedCell) string {
	of := c.groups[cell.labels.group]
	return fmt.Sprintf("%s: %s, repeat %d", of.method, c.schema.Describe(of.setting), cell.labels.repeat)
}
