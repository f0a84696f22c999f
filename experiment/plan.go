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
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment/dataset"
)

const (
	maxCells  = 1_000_000_000 // of a grid
	maxGroups = 10_000        // combinations of a grid's entries
)

// Plan is what a grid computes: its cells, counted and costed but not
// expanded. It takes memory for its data sets' descriptions and the entries of
// the grid, not for the cells.
type Plan struct {
	Grid   string // the grid's name
	Run    string // name and digest of what is computed: the same grid and data give the same run
	Kind   string
	Data   []*PlannedData
	Absent []*PlannedData // not on this machine and skipped, without digest; see [Sweep]
	Limits Limits
	Files  map[string]string // digests of the files of commands by name

	library Loader
	folder  string                    // of the grid, where files of commands are
	sources map[string]dataset.Source // by digest
	keep    Keep
	seeds   []int64 // of the repeats
	groups  []*group
	count   int64
	seconds float64
}

// PlannedData describes a data set of a plan.
type PlannedData struct {
	Name   string
	Digest string
	Task   dataset.Task
	N, D   int // rows and features

	train, test int      // rows of the parts in one sweep; train without validation
	features    []string // names
	gaps        bool     // values are missing, which cells fill
}

// columns returns models whose constraint names features by their indexes, as
// their cells do. The planner has checked that there are such features.
func (d *PlannedData) columns(m *Models) *Models {
	for i, c := range m.Constraint.Choices {
		if !c.info.columns {
			continue
		}
		word, err := resolve(c.Values[0].Word, d.features)
		if err != nil {
			continue
		}
		c.Values = []Setting{{Name: c.info.name, Word: word}}
		resolved := *m
		resolved.Constraint.Choices = slices.Clone(m.Constraint.Choices)
		resolved.Constraint.Choices[i] = c
		return &resolved
	}
	return m
}

// Plan loads the grid's data sets and returns what is to be computed. It
// refuses what makes no sense, such as a classification model on a regression
// set; the error is of type [Problems] then.
func (g *Grid) Plan(ctx context.Context, library Loader) (*Plan, error) {
	plan := &Plan{
		Grid: g.Name, Kind: g.Kind, Limits: g.Limits,
		library: library, folder: filepath.Dir(g.File), sources: map[string]dataset.Source{}, keep: g.Keep,
	}
	p := &planner{grid: g, library: library, plan: plan, prepared: map[string]*preparedData{}}
	for i := range g.Sweeps {
		if err := p.sweep(ctx, i); err != nil {
			return nil, err
		}
	}
	link(plan.groups, g.Sweeps, &p.problems)
	if len(p.problems) == 0 {
		plan.survey(g, &p.problems)
	}
	if len(plan.groups) == 0 && len(p.problems) == 0 {
		p.problems.add(g.place.problem("none of its data sets is on this machine; `coordinator datasets fetch %s` downloads the first", plan.Absent[0].Name))
	}
	if err := p.problems.err(); err != nil {
		return nil, err
	}
	return plan, nil
}

// survey counts and costs the cells.
func (p *Plan) survey(g *Grid, problems *Problems) {
	var most float64 // cells, before those that groups share
	for _, group := range p.groups {
		most += float64(len(group.noise)) * group.dimensions().most() * float64(g.Repeats)
	}
	if most > maxCells {
		problems.add(g.place.problem("the grid has about %.3g cells; at most %d are allowed", most, maxCells))
		return
	}
	for _, group := range p.groups {
		group.cost = estimate(group)
		group.count()
		for i, n := range group.cells {
			cells := n * int64(g.Repeats)
			group.cells[i] = cells
			p.count += cells
			p.seconds += float64(cells) * group.cost
		}
	}
	p.seeds = make([]int64, g.Repeats)
	for i := range p.seeds {
		p.seeds[i] = CellSeed(g.Seed, i+1)
	}
	p.Run = p.runName(g.Seed)
}

// Count returns the number of cells.
func (p *Plan) Count() int64 { return p.count }

// Cost returns the estimated seconds of all cells on one processor.
func (p *Plan) Cost() float64 { return p.seconds }

// Needs lists what workers must compute for the plan, each once.
func (p *Plan) Needs() []Need {
	var list []Need
	for _, g := range p.groups {
		own := ownNeeds(g.regularizer.Name, g.models.Loss.Name)
		for _, need := range append(needs(g.method.need(), g.preparation), own...) {
			if !slices.Contains(list, need) {
				list = append(list, need)
			}
		}
	}
	return list
}

// Cells yields the cells in the order of the grid. It hashes nothing.
func (p *Plan) Cells() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, g := range p.groups {
			for cell := range p.cells(g) {
				if !yield(cell) {
					return
				}
			}
		}
	}
}

// cells yields the cells of one group; the repeat varies fastest.
func (p *Plan) cells(g *group) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		cell := Cell{
			Data:     CellData{Digest: g.data.Digest, Task: g.data.Task, Name: g.data.Name},
			Settings: g.preparation,
			Keep:     p.keep,
		}
		for c := range g.all() {
			cell.Settings.Noise = c.noise
			cell.Model, cell.Method = g.cell(&c)
			for i, seed := range p.seeds {
				cell.Repeat, cell.Seed = i+1, seed
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
			if !yield(cell.ID()) {
				return
			}
		}
	}
}

// Tasks yields the cells as the runner sees them, in the order of the grid or
// the largest estimated cost first.
func (p *Plan) Tasks(largestFirst bool) iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		groups := p.groups
		if largestFirst {
			groups = slices.Clone(groups)
			slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.cost, a.cost) })
		}
		for _, g := range groups {
			for cell := range p.cells(g) {
				if !yield(p.task(&cell, g)) {
					return
				}
			}
		}
	}
}

// task makes the task of a cell of a group.
func (p *Plan) task(c *Cell, g *group) (Task, error) {
	canonical := c.Canonical()
	task := Task{
		Run:    p.Run,
		Cell:   identity(canonical),
		Kind:   p.Kind,
		Cost:   g.cost,
		Data:   []string{c.Data.Digest},
		Spec:   c.spec(canonical),
		Needs:  c.needs(),
		Files:  c.Method.files(),
		Limits: p.Limits,
	}
	if err := task.Labels.Append(selfPacedLabels, c.labels(g)...); err != nil {
		return Task{}, fmt.Errorf("labels of cell %s: %w", task.Cell, err)
	}
	return task, nil
}

// labels returns the values of selfPacedLabels.
func (c *Cell) labels(g *group) []any {
	data, m, r := g.data, c.Model, c.Method.Regularizer
	noise, split := c.Settings.Noise, c.Settings.Split
	return []any{
		data.Name, string(data.Task), data.train, data.test, data.D,
		protocol(&c.Settings), split.Train, split.Test, split.Validation,
		string(c.Settings.Features), orNull(string(c.Settings.Target)),
		m.Name, orNull(m.Kernel), orNull(m.KernelGamma), orNull(m.C), orNull(m.Alpha), value(m.L1Ratio, m.L1Ratio != 0 || m.Name == ERM),
		orNull(m.Loss.text()), orNull(m.Constraint.text()), value(strconv.FormatBool(m.Intercept), !g.method.ownModel),
		orNull(r.Name), orNull(r.Param), orNull(c.Method.Age.Min), orNull(c.Method.Age.Max), orNull(c.Method.Age.Step), c.Method.Name, orNull(c.Method.Settings.text()),
		orNull(noise.Kind), noise.Level, c.Repeat, c.Seed,
	}
}

// orNull returns nil for a zero value, which stands for what does not apply.
func orNull[T comparable](value T) any {
	var zero T
	if value == zero {
		return nil
	}
	return value
}

// Place returns the absolute path of a data set's file, "" where there is none or the
// library does not say.
func (p *Plan) Place(digest string) string {
	placer, ok := p.library.(Placer)
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

// Dataset loads a data set of the plan again, so that Plan is a [Data].
func (p *Plan) Dataset(ctx context.Context, digest string) (*dataset.Dataset, error) {
	source, known := p.sources[digest]
	if !known {
		return nil, fmt.Errorf("the grid %s has no data set with the digest %s", p.Grid, digest)
	}
	d, err := p.library.Load(ctx, source)
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

// Dimensions returns the cells per data set, noise, model, regularizer and method, and
// per protocol, split, scaling and intercept where the grid has several.
func (p *Plan) Dimensions() []Dimension {
	dimensions := []Dimension{{Name: "dataset"}, {Name: "noise"}, {Name: "model"}, {Name: "regularizer"}, {Name: "method"},
		{Name: "protocol"}, {Name: "split"}, {Name: "scale"}, {Name: "intercept"}}
	for _, g := range p.groups {
		for i, cells := range g.cells {
			noise := "none"
			if n := g.noise[i]; n.Kind != "" {
				noise = fmt.Sprintf("%s %g", n.Kind, n.Level)
			}
			names := []string{g.data.Name, noise, g.models.words(), cmp.Or(g.regularizer.Name, "none"), g.method.name,
				protocol(&g.preparation), splitText(g.preparation.Split), scaleText(&g.preparation), strconv.FormatBool(g.models.Intercept)}
			for d, name := range names {
				v := within(&dimensions[d].Values, cells, func(v *DimensionValue) bool { return v.Name == name })
				v.Name = name
				v.Cells += cells
				v.Seconds += float64(cells) * g.cost
			}
		}
	}
	return slices.DeleteFunc(dimensions, func(d Dimension) bool {
		return len(d.Values) < 2 && slices.Contains([]string{"protocol", "split", "scale", "intercept"}, d.Name)
	})
}

// splitText writes a split for readers of a plan, such as 3:1, validation 0.2.
func splitText(s dataset.Split) string {
	return fmt.Sprintf("%g:%g, validation %g", s.Train, s.Test, s.Validation)
}

// scaleText writes how features and target are scaled.
func scaleText(s *dataset.Settings) string {
	if s.Target == "" {
		return string(s.Features)
	}
	return string(s.Features) + ", target " + string(s.Target)
}

// within returns the element of a list that is meant, which is added unless there
// are no cells of it.
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
		var cells int64
		for _, n := range g.cells {
			cells += n
		}
		data, method := g.data.Name, g.method.name
		part := within(&parts, cells, func(p *Part) bool { return p.Dataset == data && p.Method == method })
		part.Dataset, part.Method = data, method
		part.Cells += cells
		part.Seconds += float64(cells) * g.cost
	}
	return parts
}

// runName makes the name of a run, fit for a NATS subject and a folder: the
// grid's name and a digest of what it computes. The digest does not depend on
// the order of lists and sweeps, on limits or on how the file is written.
func (p *Plan) runName(seed int64) string {
	digests := make([]string, len(p.groups))
	for i, g := range p.groups {
		digests[i] = g.digest()
	}
	slices.Sort(digests)
	sum := sha256.Sum256(mustJSON(struct {
		Kind    string
		Seed    int64
		Repeats int
		Keep    Keep
		Groups  []string
	}{p.Kind, seed, len(p.seeds), p.keep, slices.Compact(digests)}))
	return plainName(p.Grid) + "-" + hex.EncodeToString(sum[:4])
}

// digest identifies what the group computes.
func (g *group) digest() string {
	type values struct {
		Strengths, Gammas, Params, Levels []float64
		Ratios                            []float64   `json:",omitempty"` // later than the names of runs without, as are
		Choices                           [][]Setting `json:",omitempty"`
		Terms                             []string    `json:",omitempty"` // loss and constraint
		Loss, Constraint                  [][]Setting `json:",omitempty"`
	}
	own := func(names ...string) []float64 {
		for _, c := range g.models.Choices {
			if slices.Contains(names, c.info.name) {
				return numbers(c.Values)
			}
		}
		return nil
	}
	v := values{
		Strengths: own("alpha", "c"), Ratios: own("l1_ratio"), Gammas: own("kernel_gamma"), Choices: g.settings.sorted(),
	}
	for _, c := range g.regularizer.Choices {
		v.Params = numbers(c.Values)
	}
	if m := g.models; m.Loss.Name != "" {
		v.Terms = []string{m.Loss.Name, m.Constraint.Name}
		v.Loss, v.Constraint = m.Loss.Choices.sorted(), m.Constraint.Choices.sorted()
	}
	kinds := map[string][]float64{} // encoded in the order of its keys
	for _, noise := range g.noise {
		kinds[noise.Kind] = append(kinds[noise.Kind], noise.Level)
	}
	for _, levels := range kinds {
		slices.Sort(levels)
	}
	return identity(mustJSON(struct {
		Data      string
		Settings  canonicalSettings
		Family    [2]string
		Intercept bool
		Method    Method
		Values    values
		Noise     map[string][]float64
	}{
		g.data.Digest, canonical(g.preparation), [2]string{g.models.Name, g.models.Kernel}, g.models.Intercept,
		g.method.with(Regularizer{Name: g.regularizer.Name}, g.age, Settings{}), v, kinds,
	}))
}

// numbers returns the numbers of values in rising order.
func numbers(values []Setting) []float64 {
	list := make([]float64, len(values))
	for i, value := range values {
		list[i] = value.Number
	}
	slices.Sort(list)
	return list
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
