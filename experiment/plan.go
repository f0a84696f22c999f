package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

const maxCells = 1_000_000_000 // of a grid

// Plan is what a grid computes: its cells, counted and costed but not
// expanded. It takes memory for its data sets' descriptions and the entries of
// the grid, not for the cells.
type Plan struct {
	Grid   string // the grid's name
	Run    string // name and digest of what is computed: the same grid and data give the same run
	Kind   string
	Data   []*PlannedData
	Absent []*PlannedData // not on this machine and skipped, without digest
	Limits Limits
	Keep   Keep
	Files  map[string]string // digests of files besides the data sets by name, such as those of commands

	kind     *Registration
	Library  Loader
	folder   string                                               // of the grid, where files of commands are
	sources  map[string]dataset.Source                            // by digest
	reads    map[string]func(ctx context.Context) ([]byte, error) // of files by name
	commands []string
	repeats  []Repeat
	groups   []*plannedGroup
	count    int64
	seconds  float64
}

// PlannedData describes a data set of a plan.
type PlannedData struct {
	Name   string
	Digest string
	Task   dataset.Task
	N, D   int // rows and features

	Reading  dataset.Reading // how its file was read; none for data that no library loads
	Features dataset.Names
}

// Planned describes a data set that was loaded.
func Planned(d *dataset.Dataset) *PlannedData {
	return &PlannedData{Name: d.Name, Digest: d.Digest(), Task: d.Task, N: d.N, D: d.D, Reading: d.Reading, Features: d.Names()}
}

// Group is cells of a plan that take about the same time: those of one data set and one
// method, for example, with all values of their parameters.
type Group interface {
	// Part is the data set and the method of the group's cells.
	Part() (data, method string)
	// Digest identifies what the group computes, whatever the order of its lists; "" for a
	// group that follows from others, which the name of a run leaves out.
	Digest() string
	// Needs lists what a worker must compute for its cells.
	Needs() []Need
	// Seconds estimates the time of each cell on one processor.
	Seconds() float64
	// Most is the number of cells in each repeat, those that earlier groups have
	// included. It costs no expansion.
	Most() float64
	// Slices tells how the cells of a repeat that no earlier group has spread over the
	// kind's dimensions.
	Slices() []Slice
	// Cells yields them in each of the repeats.
	Cells(repeats []Repeat) iter.Seq[Cell]
}

// Repeat is one of the repeats of a grid.
type Repeat struct {
	Number int // from 1
	Seed   int64
}

// Slice is cells that have the same value in each of the kind's dimensions.
type Slice struct {
	Values []string // in the order of the dimensions; "" for one that does not apply
	Cells  int64
}

// Cell is a cell of a plan.
type Cell interface {
	// Canonical returns the cell's canonical form: everything that changes its answer
	// and nothing else, as JSON. The identity is its digest.
	Canonical() []byte
	// Fill fills in a task's labels, data, needs and files. Its spec is the canonical form.
	Fill(task *Task) error
}

// Single is a [Group] of one cell in each repeat.
type Single struct {
	Dataset, Method string
	Values          []string // as in [Slice]
	Required        []Need   // see Group.Needs
	Estimate        float64  // see Group.Seconds
	Cell            func(repeat int, seed int64) Cell
}

// Part implements [Group].
func (g *Single) Part() (data, method string) { return g.Dataset, g.Method }

// Digest implements [Group].
func (g *Single) Digest() string { return Identity(g.Cell(0, 0).Canonical()) }

// Needs implements [Group].
func (g *Single) Needs() []Need { return g.Required }

// Seconds implements [Group].
func (g *Single) Seconds() float64 { return g.Estimate }

// Most implements [Group].
func (g *Single) Most() float64 { return 1 }

// Slices implements [Group].
func (g *Single) Slices() []Slice { return []Slice{{Values: g.Values, Cells: 1}} }

// Cells implements [Group].
func (g *Single) Cells(repeats []Repeat) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, r := range repeats {
			if !yield(g.Cell(r.Number, r.Seed)) {
				return
			}
		}
	}
}

type plannedGroup struct {
	Group
	seconds float64
	slices  []Slice // of all repeats
	cells   int64
}

// Plan loads the grid's data sets and returns what is to be computed. It
// refuses what makes no sense, such as a classification model on a regression
// set; the error is of type [Problems] then.
func (g *Grid) Plan(ctx context.Context, library Loader) (*Plan, error) {
	plan := &Plan{
		Grid: g.Name, Kind: g.Kind, Limits: g.Limits, Keep: g.Keep, kind: g.kind,
		Library: library, folder: filepath.Dir(g.File), sources: map[string]dataset.Source{},
		reads: map[string]func(ctx context.Context) ([]byte, error){},
	}
	p := &Planner{Grid: g, Library: library, plan: plan}
	groups, err := g.Section.Plan(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		plan.groups = append(plan.groups, &plannedGroup{Group: group})
	}
	if len(p.problems) == 0 {
		plan.survey(g, &p.problems)
	}
	if len(plan.groups) == 0 && len(plan.Absent) > 0 && len(p.problems) == 0 {
		p.problems.Add(g.place.Problem("none of its data sets is on this machine; `coordinator datasets fetch %s` downloads the first", plan.Absent[0].Name))
	}
	if err := p.problems.Err(); err != nil {
		return nil, err
	}
	return plan, nil
}

func (p *Plan) survey(g *Grid, problems *gridfile.Problems) {
	var most float64 // cells, before those that groups share
	for _, group := range p.groups {
		most += group.Most() * float64(g.Repeats)
	}
	if most > maxCells {
		problems.Add(g.place.Problem("the grid has about %.3g cells; at most %d are allowed", most, maxCells))
		return
	}
	for _, group := range p.groups {
		group.seconds, group.slices = group.Seconds(), group.Slices()
		for i := range group.slices {
			group.slices[i].Cells *= int64(g.Repeats)
			group.cells += group.slices[i].Cells
			p.seconds += float64(group.slices[i].Cells) * group.seconds
		}
		p.count += group.cells
	}
	p.repeats = make([]Repeat, g.Repeats)
	for i := range p.repeats {
		p.repeats[i] = Repeat{i + 1, CellSeed(g.Seed, i+1)}
	}
	p.Run = p.runName(g.Seed)
}

// Count returns the number of cells.
func (p *Plan) Count() int64 { return p.count }

// Cost returns the estimated seconds of all cells on one processor.
func (p *Plan) Cost() float64 { return p.seconds }

// Computes returns what computes the plan's cells.
func (p *Plan) Computes() Kind { return p.kind.Kind }

// Tables returns the tables of the plan's kind.
func (p *Plan) Tables() Tables { return p.kind.Tables() }

// Commands lists the methods of the plan that are commands.
func (p *Plan) Commands() []string { return p.commands }

// Needs lists what workers must compute for the plan, each once.
func (p *Plan) Needs() []Need {
	var list []Need
	for _, g := range p.groups {
		for _, need := range g.Needs() {
			if !slices.Contains(list, need) {
				list = append(list, need)
			}
		}
	}
	return list
}

// Cells yields the cells in the order of the grid; each is valid until the next. It
// hashes nothing.
func (p *Plan) Cells() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, g := range p.groups {
			for cell := range g.Cells(p.repeats) {
				if !yield(cell) {
					return
				}
			}
		}
	}
}

// IDs yields the identities of the cells in the order of the grid.
func (p *Plan) IDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for cell := range p.Cells() {
			if !yield(Identity(cell.Canonical())) {
				return
			}
		}
	}
}

// Tasks yields the cells as the runner sees them in the order of the grid.
func (p *Plan) Tasks() iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		for _, g := range p.groups {
			for cell := range g.Cells(p.repeats) {
				if !yield(p.task(cell, g.seconds)) {
					return
				}
			}
		}
	}
}

// Queue yields the cells of [Plan.Tasks] in the order in which they are to be computed,
// so that methods can be compared early: first the cell of [Plan.Cheapest] of each method,
// the cheapest first, then one repeat after the other, in each the most expensive first.
func (p *Plan) Queue() iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		groups := slices.Clone(p.groups)
		slices.SortStableFunc(groups, func(a, b *plannedGroup) int { return cmp.Compare(b.seconds, a.seconds) })
		cheapest := p.cheapest()
		first := func(g *plannedGroup) bool {
			_, method := g.Part()
			return cheapest[method] == g
		}
		for _, g := range slices.Backward(groups) {
			if !first(g) {
				continue
			}
			for cell := range g.Cells(p.repeats[:1]) {
				if !yield(p.task(cell, g.seconds)) {
					return
				}
				break
			}
		}
		for i := range p.repeats {
			for _, g := range groups {
				had := i == 0 && first(g)
				for cell := range g.Cells(p.repeats[i : i+1]) {
					if !had && !yield(p.task(cell, g.seconds)) {
						return
					}
					had = false
				}
			}
		}
	}
}

// cheapest returns of each method the group whose cells are expected to take the least
// time, the first of several in the order of the grid.
func (p *Plan) cheapest() map[string]*plannedGroup {
	of := map[string]*plannedGroup{}
	for _, g := range p.groups {
		if _, method := g.Part(); g.cells > 0 && (of[method] == nil || g.seconds < of[method].seconds) {
			of[method] = g
		}
	}
	return of
}

// Cheapest returns the first cell of a method on the data set where its cells are expected
// to take the least time. The error names the methods where the plan has no such method.
func (p *Plan) Cheapest(method string) (*Task, error) {
	g := p.cheapest()[method]
	if g == nil {
		var known []string
		for _, g := range p.groups {
			if _, name := g.Part(); !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		return nil, fmt.Errorf("the grid has no method %s; it has %s", method, strings.Join(known, ", "))
	}
	for cell := range g.Cells(p.repeats) {
		task, err := p.task(cell, g.seconds)
		return &task, err
	}
	panic("a group without the cells that it counted")
}

// First yields the cells of a method in the first repeat, those of the lowest estimated time first.
func (p *Plan) First(method string) iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		groups := slices.Clone(p.groups)
		slices.SortStableFunc(groups, func(a, b *plannedGroup) int { return cmp.Compare(a.seconds, b.seconds) })
		for _, g := range groups {
			if _, name := g.Part(); name != method {
				continue
			}
			for cell := range g.Cells(p.repeats[:1]) {
				if !yield(p.task(cell, g.seconds)) {
					return
				}
			}
		}
	}
}

func (p *Plan) task(c Cell, seconds float64) (Task, error) {
	canonical := c.Canonical()
	task := Task{Run: p.Run, Cell: Identity(canonical), Kind: p.Kind, Cost: seconds, Spec: canonical, Keep: p.Keep.kept, Limits: p.Limits}
	if err := c.Fill(&task); err != nil {
		return Task{}, fmt.Errorf("cell %s: %w", task.Cell, err)
	}
	return task, nil
}

// Place returns the absolute path of a data set's file, "" where there is none or the
// library does not say.
func (p *Plan) Place(digest string) string {
	placer, ok := p.Library.(Placer)
	source, known := p.sources[digest]
	if !ok || !known {
		return ""
	}
	path, err := placer.Place(source)
	if err != nil {
		return ""
	}
	return path
}

// Loads reports whether the library loads a data set, which cells then read.
func (p *Plan) Loads(digest string) bool {
	_, known := p.sources[digest]
	return known
}

// Dataset loads a data set of the plan again, so that Plan is a [Data].
func (p *Plan) Dataset(ctx context.Context, digest string) (*dataset.Dataset, error) {
	source, known := p.sources[digest]
	if !known {
		return nil, fmt.Errorf("the grid %s has no data set with the digest %s", p.Grid, digest)
	}
	d, err := p.Library.Load(ctx, source)
	if err != nil {
		return nil, err
	}
	if d.Digest() != digest {
		return nil, fmt.Errorf("the data set %s is no longer the one that was planned with", source.Name)
	}
	return d, nil
}

// Dimension tells how the cells spread over one dimension of the grid.
type Dimension struct {
	Name   string
	Values []DimensionValue // in the order of the grid
}

// DimensionValue is one value of a dimension.
type DimensionValue struct {
	Name    string
	Cells   int64
	Seconds float64 // estimated for all of them on one processor
}

// Dimensions returns the cells per value of each of the kind's dimensions, of those that
// vary where the grid has several values.
func (p *Plan) Dimensions() []Dimension {
	var list []Dimension
	for d, of := range p.kind.Dimensions {
		dimension := Dimension{Name: of.Name}
		for _, g := range p.groups {
			for _, s := range g.slices {
				if s.Values[d] == "" {
					continue
				}
				v := within(&dimension.Values, s.Cells, func(v *DimensionValue) bool { return v.Name == s.Values[d] })
				v.Name = s.Values[d]
				v.Cells += s.Cells
				v.Seconds += float64(s.Cells) * g.seconds
			}
		}
		if !of.Varying || len(dimension.Values) > 1 {
			list = append(list, dimension)
		}
	}
	return list
}

func within[T any](list *[]T, cells int64, meant func(*T) bool) *T {
	for i := range *list {
		if meant(&(*list)[i]) {
			return &(*list)[i]
		}
	}
	if cells == 0 {
		return new(T)
	}
	*list = append(*list, *new(T))
	return &(*list)[len(*list)-1]
}

// Part is the cells of one data set and one method of a plan.
type Part struct {
	Dataset string  `json:"dataset"`
	Method  string  `json:"method"`
	Cells   int64   `json:"cells"`
	Seconds float64 `json:"seconds"` // estimated for all of them on one processor
}

// Parts returns the cells per data set and method, in the order of the grid.
func (p *Plan) Parts() []Part {
	var parts []Part
	for _, g := range p.groups {
		data, method := g.Part()
		part := within(&parts, g.cells, func(p *Part) bool { return p.Dataset == data && p.Method == method })
		part.Dataset, part.Method = data, method
		part.Cells += g.cells
		part.Seconds += float64(g.cells) * g.seconds
	}
	return parts
}

// runName makes the name of a run, fit for a NATS subject and a folder: the
// grid's name and a digest of what it computes. The digest does not depend on
// the order of lists and sweeps, on limits or on how the file is written.
func (p *Plan) runName(seed int64) string {
	var digests []string
	for _, g := range p.groups {
		if digest := g.Digest(); digest != "" {
			digests = append(digests, digest)
		}
	}
	slices.Sort(digests)
	sum := sha256.Sum256(gridfile.JSON(struct {
		Kind    string
		Seed    int64
		Repeats int
		Keep    Keep
		Groups  []string
	}{p.Kind, seed, len(p.repeats), p.Keep, slices.Compact(digests)}))
	return plainName(p.Grid) + "-" + hex.EncodeToString(sum[:4])
}

// plainName keeps letters a-z and digits of a name and puts - for the rest.
func plainName(name string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	plain := strings.Join(words, "-")
	return cmp.Or(strings.Trim(plain[:min(len(plain), most)], "-"), "grid")
}
