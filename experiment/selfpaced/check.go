package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/internal/lists"
)

type planner struct {
	*experiment.Planner

	section  *Section
	groups   []*group
	prepared map[string]func() (*plannedData, error) // by source and settings
}

func (s *Section) Plan(ctx context.Context, with *experiment.Planner) ([]experiment.Group, error) {
	p := &planner{Planner: with, section: s, prepared: map[string]func() (*plannedData, error){}}
	for i := range s.Sweeps {
		if err := p.sweep(ctx, i); err != nil {
			return nil, err
		}
	}
	for _, name := range s.Sweeps[0].Metrics {
		if len(p.groups) > 0 && !slices.ContainsFunc(p.groups, func(g *group) bool { return g.data.Task == name.Of().Task }) {
			p.Problem(s.metricPlace, "has no effect: %s is for %s, and no data set is", name, name.Of().Task)
		}
	}
	link(p.groups, s.Sweeps, with)
	list := make([]experiment.Group, len(p.groups))
	for i, g := range p.groups {
		if g.method.command != "" {
			with.Command(g.method.name)
		}
		list[i] = g
	}
	return list, nil
}

// data prepares the data set once, without noise, with the first repeat's split: what fails here
// would fail in every cell. The result is nil after a problem or for a skipped data set.
func (p *planner) data(ctx context.Context, source DataSource, settings dataset.Settings, skip bool) (*plannedData, error) {
	key := string(gridfile.JSON([]any{source.Source, canonical(settings)}))
	if p.prepared[key] == nil {
		p.prepared[key] = sync.OnceValues(func() (*plannedData, error) { return p.load(ctx, source.Source, settings) })
	}
	data, err := p.prepared[key]()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("planning the grid %s: %w", p.Grid.Name, ctx.Err())
	case skip && errors.Is(err, dataset.ErrAbsent):
		p.Absent(source.Source)
	case err != nil:
		all := []error{err}
		if several, ok := errors.AsType[dataset.ReadErrors](err); ok {
			all = several.Unwrap()
		}
		for _, err := range all {
			p.Problem(source.place, "%w", err)
		}
	}
	return data, nil // nil after an error, which is among the problems
}

func (p *planner) load(ctx context.Context, source dataset.Source, settings dataset.Settings) (*plannedData, error) {
	d, err := p.Library.Load(ctx, source)
	if err == nil {
		err = dataset.CheckNeed(d.N, d.D, source.Memory) // whichever library loaded it
	}
	if err != nil {
		return nil, err
	}
	if err := varies(d, source.Options.Target); err != nil {
		return nil, err
	}
	fixed := false
	if settings.Clean = source.Options.Clean.Column != ""; settings.Split.Own {
		if settings.Split, fixed, err = d.OwnSplit(settings.Split); err != nil {
			return nil, err
		}
	}
	gaps := d.Gaps()
	if gaps {
		settings.Missing = dataset.Median
	}
	first := Cell{Seed: experiment.CellSeed(p.Grid.Seed, 1)}
	prepared, err := dataset.Prepare(ctx, d, settings, first.Stream)
	if err != nil {
		return nil, err
	}
	return &plannedData{
		PlannedData: experiment.Planned(d),
		train:       prepared.Train.N + prepared.Merged, test: prepared.Test.N, features: d.Features, gaps: gaps, split: settings.Split, fixed: fixed,
		otherTask: otherTask(d), metric: metric.Default(d.Task, settings.Protocol, d.Y),
	}, nil
}

// otherTask explains how to get the other task; "" for a target of many values.
func otherTask(d *dataset.Dataset) string {
	if d.Task == dataset.Classification {
		return "; its target has two labels or classes: where they are numbers, task: regression in its entry takes them as such"
	}
	const most = 20
	seen := map[float64]bool{}
	for _, y := range d.Y {
		if seen[y] = true; len(seen) > most {
			return ""
		}
	}
	values := slices.Sorted(maps.Keys(seen))
	texts := lists.Map(values, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
	return fmt.Sprintf("; its target has the %d values %s: classes: {positive: [%s]} in its entry makes two classes, one label and the others",
		len(values), strings.Join(texts, ", "), texts[len(texts)-1])
}

// varies refuses a constant target, which every regression fits exactly. A single class is refused
// when the labels are read.
func varies(d *dataset.Dataset, target string) error {
	if d.Task != dataset.Regression || slices.ContainsFunc(d.Y, func(y float64) bool { return y != d.Y[0] }) {
		return nil
	}
	if target != "" {
		target = " " + strconv.Quote(target)
	}
	return fmt.Errorf("data set %s: its target%s is %v in all %d rows; a regression needs one that varies", d.Name, target, d.Y[0], d.N)
}

func (p *planner) sweep(ctx context.Context, number int) error {
	sweep, first := &p.section.Sweeps[number], len(p.groups)
	entries := float64(len(sweep.Data)) * float64(len(sweep.Models)) * float64(len(sweep.Methods)) * float64(max(1, len(sweep.Regularizers)))
	if entries > float64(gridfile.MaxCombinations-len(p.groups)) {
		p.Problem(sweep.place, "more than %d combinations of entries of data, models, methods and regularizers; put values into lists of one entry", gridfile.MaxCombinations)
		return nil
	}
	methods := p.infos(ctx, sweep)
	for _, source := range sweep.Data {
		source.Memory = p.Grid.Limits.Memory
		settings := sweep.Settings
		data, err := p.data(ctx, source, settings, sweep.SkipAbsent)
		if err != nil {
			return err
		}
		if data == nil {
			continue
		}
		p.Data(source.place, data.PlannedData, &source.Source)
		p.task(sweep, data)
		if data.Task == dataset.Classification {
			settings.Target = "" // labels are never scaled
		}
		if data.gaps {
			settings.Missing = dataset.Median
		}
		settings.Clean, settings.Split = source.Options.Clean.Column != "", data.split
		if repeats := p.Grid.Repeats; repeats > 1 && data.fixed && settings.Rows == 0 && slices.Contains(sweep.Noise, dataset.Noise{}) {
			p.Problem(sweep.place, "repeats: %d of the data set %s differ in nothing but the seeds of methods, since its split is its own and level 0 adds no noise; "+
				"give repeats: 1, or noise above level 0 alone", repeats, data.Name)
		}
		p.groups = append(p.groups, sweep.groups(data, settings, methods, number)...)
	}
	p.methods(sweep)
	if added := p.groups[first:]; len(added) > 0 {
		p.settings(sweep, added)
	}
	return nil
}

func (p *planner) task(s *Sweep, data *plannedData) {
	var unfit []string
	var first *Models
	for i, model := range s.Models {
		if model.task() != data.Task {
			if first == nil {
				first = &s.Models[i]
			}
			unfit = append(unfit, model.describe())
		}
		for _, c := range model.Constraint.Choices {
			if !c.Info.Columns {
				continue
			}
			if _, err := resolve(c.Values[0].Word, data.features); err != nil {
				p.Problem(c.Place, "%v (data set %s)", err, data.Name)
			}
		}
	}
	if unfit = slices.Compact(unfit); first != nil {
		are := " is a model"
		if len(unfit) > 1 {
			are = " are models"
		}
		p.Problem(first.Place, "%s for %s, but the data set %s is for %s; allowed there are %s (sweeps hold models of both tasks in one grid)%s",
			strings.Join(unfit, ", ")+are, first.task(), data.Name, data.Task, strings.Join(modelsFor(data.Task), ", "), data.otherTask)
	}
	for i, noise := range s.Noise {
		if kinds := dataset.NoiseKinds(data.Task); noise.Kind != "" && !slices.Contains(kinds, noise.Kind) {
			p.Problem(s.noisePlaces[i], "noise of the kind %s does not fit the data set %s, which is for %s; allowed there are %s",
				noise.Kind, data.Name, data.Task, strings.Join(kinds, ", "))
		}
	}
}

func (p *planner) methods(s *Sweep) {
	for _, m := range s.Methods {
		method := m.method()
		var unfit, unknown []string
		for _, model := range s.Models {
			if s.Age.Auto != 0 && method.aged && (method.ownModel || model.Name == ERM) {
				p.Problem(m.Place, "%s uses the age without the model's parameters, or with the model %s: there is no plain fit whose losses say which ages fit; give ages, as in age: {min: 0.1, max: 20}", m.Name, ERM)
			}
			if slices.Contains(s.Metrics, metric.LogLoss) && model.task() == dataset.Classification && (method.ownModel || model.Name != Logistic) && !method.everywhere {
				p.Problem(m.Place, "%s with the model %s has no probabilities, which metric: %s needs; use the model %s, or another metric", m.Name, model.Name, metric.LogLoss, Logistic)
			}
			if !method.fits(model.Name) {
				unfit = append(unfit, model.Name)
			}
		}
		if unfit = slices.Compact(unfit); unfit != nil {
			models := "model"
			if len(unfit) > 1 {
				models = "models"
			}
			others := slices.DeleteFunc(methodsFor(unfit[0]), func(name string) bool {
				return slices.ContainsFunc(unfit, func(model string) bool { return !slices.Contains(methodsFor(model), name) })
			})
			p.Problem(m.Place, "%s is a method for %s, not for the %s %s, for which there are %s (sweeps hold several lists of models and methods in one grid)",
				m.Name, strings.Join(method.modelNames(), ", "), models, strings.Join(unfit, ", "), strings.Join(others, ", "))
		}
		for _, r := range s.Regularizers {
			if !method.knows(r.Name) {
				unknown = append(unknown, r.Name)
			}
		}
		if unknown != nil {
			p.Problem(m.Place, "%s knows the regularizers %s, not %s: %s (sweeps hold several lists of regularizers and methods in one grid)",
				m.Name, strings.Join(method.regularizers, ", "), strings.Join(slices.Compact(unknown), ", "), method.knowsOnly)
		}
	}
}

// settings reports method settings that no cell uses.
func (p *planner) settings(s *Sweep, groups []*group) {
	for _, m := range s.Methods {
		for _, c := range m.Choices {
			used := slices.ContainsFunc(groups, func(g *group) bool {
				return g.method.name == m.Name && slices.ContainsFunc(g.settings, func(o gridfile.Choice) bool { return o.Info == c.Info })
			})
			if c.Place.Key != "" && !used {
				p.Problem(c.Place, "has no effect: %s uses it with the regularizers %s", m.Name, strings.Join(c.Info.With, ", "))
			}
		}
	}
}

// infos reads the files of command methods. It returns nil for a method after a problem.
func (p *planner) infos(ctx context.Context, s *Sweep) []*methodInfo {
	list := make([]*methodInfo, len(s.Methods))
	for i := range s.Methods {
		m := &s.Methods[i]
		if m.program == nil {
			list[i] = gridfile.Lookup(methodTable, m.Name)
			continue
		}
		program, ok := p.Program(ctx, m.Place, m.Name, m.program, nil)
		if !ok {
			continue
		}
		var err error
		if list[i], err = commandInfo(m.Name, program); err != nil {
			p.Problem(m.Place, "%v", err)
		}
	}
	return list
}
