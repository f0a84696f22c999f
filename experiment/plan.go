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
	"github.com/agepath/agepath/internal/lists"
)

const maxCells = 1_000_000_000 // per grid

// Plan is what a grid computes. Its cells are counted and costed but not expanded: memory grows
// with data sets and entries of the grid only.
type Plan struct {
	Grid   string
	Run    string // grid's name and digest: the same grid and data give the same run
	Kind   string
	Data   []*PlannedData
	Absent []*PlannedData // not on this machine; without digest
	Limits Limits
	Keep   Keep
	Files  map[string]string // digests by name

	CommandFiles map[string]string // those of Files that commands use

	kind     *Registration
	Library  Loader
	folder   string
	sources  map[string]dataset.Source // by digest
	reads    map[string]func(ctx context.Context) ([]byte, error)
	commands []string
	repeats  []Repeat
	groups   []*plannedGroup
	count    int64
	seconds  float64
	bytes    int64
}

// PlannedData describes a data set.
type PlannedData struct {
	Name   string
	Digest string
	Task   dataset.Task
	N, D   int

	Reading  dataset.Reading // zero for data that the library does not load
	Features dataset.Names
}

// Planned describes a loaded data set.
func Planned(d *dataset.Dataset) *PlannedData {
	return &PlannedData{Name: d.Name, Digest: d.Digest(), Task: d.Task, N: d.N, D: d.D, Reading: d.Reading, Features: d.Names()}
}

// Group is cells of about the same cost, usually of one data set and method with all values of
// their parameters.
type Group interface {
	Part() (data, method string)
	// Digest identifies what the group computes, independent of the order of its lists; "" for a
	// group derived from others, which does not enter the run's name.
	Digest() string
	Needs() []Need
	// Seconds estimates the time per cell on one processor. A group that has a method Bytes of type
	// int64 also estimates the peak memory of a cell's process.
	Seconds() float64
	// Most bounds the cells per repeat without expanding them; it counts cells of earlier groups.
	Most() float64
	// Slices counts cells per repeat that no earlier group has, by the kind's dimensions.
	Slices() []Slice
	Cells(repeats []Repeat) iter.Seq[Cell]
}

// Repeat is a repeat of a grid.
type Repeat struct {
	Number int // from 1
	Seed   int64
}

// Slice counts cells with the same value in each of the kind's dimensions.
type Slice struct {
	Values []string // by dimension; "" if one does not apply
	Cells  int64
}

// Spec is a cell, planned or decoded.
type Spec interface {
	// Canonical returns as JSON exactly what determines the cell's answer; the identity is its
	// digest.
	Canonical() []byte
	// Require sets data, files, variables and needs.
	Require(task *Task)
}

// Cell is a cell of a plan.
type Cell interface {
	Spec
	Label(labels *Batch) error
}

// Single is a [Group] of one cell per repeat.
type Single struct {
	Dataset, Method string
	Values          []string
	Required        []Need
	Estimate        float64 // seconds
	Cell            func(repeat int, seed int64) Cell
}

func (g *Single) Part() (data, method string) { return g.Dataset, g.Method }

func (g *Single) Digest() string { return Identity(g.Cell(0, 0).Canonical()) }

func (g *Single) Needs() []Need { return g.Required }

func (g *Single) Seconds() float64 { return g.Estimate }

func (g *Single) Most() float64 { return 1 }

func (g *Single) Slices() []Slice { return []Slice{{Values: g.Values, Cells: 1}} }

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
	slices  []Slice
	cells   int64
}

// Plan loads the grid's data sets and plans its cells. Combinations that make no sense, such as a
// classification model on a regression set, are [gridfile.Problems].
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
	plan.groups = lists.Map(groups, func(group Group) *plannedGroup { return &plannedGroup{Group: group} })
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
	var most float64 // including cells that groups share
	for _, group := range p.groups {
		most += group.Most() * float64(g.Repeats)
	}
	if most > maxCells {
		problems.Add(g.place.Problem("the grid has about %.3g cells; at most %d are allowed", most, maxCells))
		return
	}
	for _, group := range p.groups {
		group.seconds, group.slices = group.Seconds(), group.Slices()
		if sized, ok := group.Group.(interface{ Bytes() int64 }); ok {
			p.bytes = max(p.bytes, sized.Bytes())
		}
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

func (p *Plan) Count() int64 { return p.count }

// Cost returns the estimated seconds of all cells on one processor.
func (p *Plan) Cost() float64 { return p.seconds }

// Memory estimates the peak memory of a process that computes any of the cells, 0 if unknown.
func (p *Plan) Memory() int64 { return p.bytes }

func (p *Plan) Computes() Kind { return p.kind.Kind }

func (p *Plan) Tables() Tables { return p.kind.Tables() }

func (p *Plan) Commands() []string { return p.commands }

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

// Cells yields the cells, each valid until the next, in the order of the grid, with their estimated
// seconds on one processor.
func (p *Plan) Cells() iter.Seq2[Cell, float64] {
	return func(yield func(Cell, float64) bool) {
		for _, g := range p.groups {
			for cell := range g.Cells(p.repeats) {
				if !yield(cell, g.seconds) {
					return
				}
			}
		}
	}
}

func (p *Plan) IDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for cell := range p.Cells() {
			if !yield(Identity(cell.Canonical())) {
				return
			}
		}
	}
}

func (p *Plan) Tasks() iter.Seq2[Task, error] { return p.tasks(p.groups, p.repeats) }

// tasks yields the tasks of some groups in some repeats, group by group.
func (p *Plan) tasks(groups []*plannedGroup, repeats []Repeat) iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		for _, g := range groups {
			for cell := range g.Cells(repeats) {
				if !yield(p.task(cell, g.seconds, new(Batch))) {
					return
				}
			}
		}
	}
}

// Queue yields the tasks so that methods can be compared early: first the cell of [Plan.Cheapest]
// of each method, cheapest first, then repeat by repeat, in each the most expensive first. The
// labels of each are valid until the next.
func (p *Plan) Queue() iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		labels := new(Batch)
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
				if !yield(p.task(cell, g.seconds, labels)) {
					return
				}
				break
			}
		}
		for i := range p.repeats {
			for _, g := range groups {
				had := i == 0 && first(g)
				for cell := range g.Cells(p.repeats[i : i+1]) {
					if !had && !yield(p.task(cell, g.seconds, labels)) {
						return
					}
					had = false
				}
			}
		}
	}
}

// cheapest returns per method the first group of the lowest cost per cell.
func (p *Plan) cheapest() map[string]*plannedGroup {
	of := map[string]*plannedGroup{}
	for _, g := range p.groups {
		if _, method := g.Part(); g.cells > 0 && (of[method] == nil || g.seconds < of[method].seconds) {
			of[method] = g
		}
	}
	return of
}

// Cheapest returns the first cell of a method on the data set where its cells cost least.
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
	for task, err := range p.tasks([]*plannedGroup{g}, p.repeats) {
		return &task, err
	}
	panic("a group without the cells that it counted")
}

// First yields a method's tasks of the first repeat, cheapest first.
func (p *Plan) First(method string) iter.Seq2[Task, error] {
	groups := slices.DeleteFunc(slices.Clone(p.groups), func(g *plannedGroup) bool {
		_, name := g.Part()
		return name != method
	})
	slices.SortStableFunc(groups, func(a, b *plannedGroup) int { return cmp.Compare(a.seconds, b.seconds) })
	return p.tasks(groups, p.repeats[:1])
}

// task writes the labels to a batch that it clears.
func (p *Plan) task(c Cell, seconds float64, labels *Batch) (Task, error) {
	labels.Clear()
	canonical := c.Canonical()
	task := Task{Run: p.Run, Cell: Identity(canonical), Kind: p.Kind, Cost: seconds, Spec: canonical, Keep: p.Keep.kept, Limits: p.Limits, Schema: SchemaVersion}
	c.Require(&task)
	if err := c.Label(labels); err != nil {
		return Task{}, fmt.Errorf("cell %s: %w", task.Cell, err)
	}
	task.Labels = *labels
	return task, nil
}

// Place returns the absolute path of a data set's file, "" if unknown.
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

func (p *Plan) Loads(digest string) bool {
	_, known := p.sources[digest]
	return known
}

// Dataset loads a data set again; Plan thereby implements [Data].
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

// Dimension counts cells by the values of one dimension.
type Dimension struct {
	Name   string
	Values []DimensionValue
}

// DimensionValue counts the cells of a value.
type DimensionValue struct {
	Name    string
	Cells   int64
	Seconds float64 // of all cells, on one processor
}

// Dimensions counts cells by the kind's dimensions, varying ones only if the grid has several
// values.
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

// Part counts the cells of one data set and method.
type Part struct {
	Dataset string  `json:"dataset"`
	Method  string  `json:"method"`
	Cells   int64   `json:"cells"`
	Seconds float64 `json:"seconds"` // of all cells, on one processor
}

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

// runName is fit for a NATS subject and a folder. Its digest does not depend on the order of lists
// and sweeps, limits or the form of the file.
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

func plainName(name string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	plain := strings.Join(words, "-")
	return cmp.Or(strings.Trim(plain[:min(len(plain), most)], "-"), "grid")
}
