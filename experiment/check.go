package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment/dataset"
)

// Loader loads data sets; [dataset.Library] is one.
type Loader interface {
	Load(ctx context.Context, source dataset.Source) (*dataset.Dataset, error)
}

// Placer is a [Loader] that knows where the files of data sets are: their absolute
// paths, "" for data sets without a file.
type Placer interface {
	Place(source dataset.Source) (string, error)
}

// planner checks a grid against its data sets.
type planner struct {
	grid     *Grid
	library  Loader
	plan     *Plan
	problems Problems
	prepared map[string]*preparedData // by source and settings
}

// preparedData is what loading and preparing a data set gave.
type preparedData struct {
	data *PlannedData
	err  error
}

// data loads the data set and prepares it once, without noise, with the first
// repeat's split: what fails here would fail in every cell. The result is nil
// after a problem, and for a data set that is not there and may be skipped.
func (p *planner) data(ctx context.Context, source DataSource, settings dataset.Settings, skip bool) (*PlannedData, error) {
	key := string(mustJSON([]any{source.Source, canonical(settings)}))
	if p.prepared[key] == nil {
		data, err := p.load(ctx, source.Source, settings)
		p.prepared[key] = &preparedData{data, err}
	}
	got := p.prepared[key]
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("planning the grid %s: %w", p.grid.Name, err)
	}
	if skip && errors.Is(got.err, dataset.ErrAbsent) {
		p.absent(source)
		return nil, nil
	}
	if got.err != nil {
		p.problems.add(source.place.problem("%v", got.err))
		return nil, nil //nolint:nilerr // it is among the problems
	}
	return got.data, nil
}

// absent notes a data set of the catalog that is not on this machine.
func (p *planner) absent(source DataSource) {
	entry, _ := dataset.Lookup(source.Name)
	absent := &PlannedData{Name: source.DatasetName(), Task: entry.Task, N: entry.Rows, D: entry.Features}
	if !slices.ContainsFunc(p.plan.Absent, func(other *PlannedData) bool { return other.Name == absent.Name }) {
		p.plan.Absent = append(p.plan.Absent, absent)
	}
}

func (p *planner) load(ctx context.Context, source dataset.Source, settings dataset.Settings) (*PlannedData, error) {
	d, err := p.library.Load(ctx, source)
	if err == nil {
		err = dataset.CheckNeed(d.N, d.D, source.Memory) // whatever loaded it
	}
	if err != nil {
		return nil, err
	}
	if err := varies(d, source.Options.Target); err != nil {
		return nil, err
	}
	gaps := d.Gaps()
	if gaps {
		settings.Missing = dataset.Median
	}
	first := Cell{Seed: CellSeed(p.grid.Seed, 1)}
	prepared, err := dataset.Prepare(ctx, d, settings, first.Stream)
	if err != nil {
		return nil, err
	}
	return &PlannedData{
		Name: d.Name, Digest: d.Digest(), Task: d.Task, N: d.N, D: d.D,
		train: prepared.Train.N + prepared.Merged, test: prepared.Test.N, features: d.Features, gaps: gaps,
	}, nil
}

// varies refuses a regression on a target that has one value in all rows, which
// every model fits exactly. One class only is refused when the labels are read.
func varies(d *dataset.Dataset, target string) error {
	if d.Task != dataset.Regression || slices.ContainsFunc(d.Y, func(y float64) bool { return y != d.Y[0] }) {
		return nil
	}
	if target != "" {
		target = " " + strconv.Quote(target)
	}
	return fmt.Errorf("data set %s: its target%s is %v in all %d rows; a regression needs one that varies", d.Name, target, d.Y[0], d.N)
}

// sweep adds a sweep's data sets and groups to the plan.
func (p *planner) sweep(ctx context.Context, number int) error {
	sweep, first := &p.grid.Sweeps[number], len(p.plan.groups)
	entries := float64(len(sweep.Data)) * float64(len(sweep.Models)) * float64(len(sweep.Methods)) * float64(max(1, len(sweep.Regularizers)))
	if entries > float64(maxGroups-len(p.plan.groups)) {
		p.problems.add(sweep.place.problem("more than %d combinations of entries of data, models, methods and regularizers; put values into lists of one entry", maxGroups))
		return nil
	}
	methods := p.infos(ctx, sweep)
	for _, source := range sweep.Data {
		source.Memory = p.grid.Limits.Memory
		settings := sweep.Settings
		data, err := p.data(ctx, source, settings, sweep.SkipAbsent)
		if err != nil {
			return err
		}
		if data == nil {
			continue
		}
		p.names(data, source)
		p.task(sweep, data)
		if data.Task == dataset.Classification {
			settings.Target = "" // labels are never scaled
		}
		if data.gaps {
			settings.Missing = dataset.Median
		}
		p.plan.groups = append(p.plan.groups, sweep.groups(data, settings, methods, number)...)
	}
	p.methods(sweep)
	if added := p.plan.groups[first:]; len(added) > 0 {
		p.settings(sweep, added)
	}
	return nil
}

// names notes a data set of the plan and checks that in a grid one name
// stands for one data set, and the other way round.
func (p *planner) names(data *PlannedData, source DataSource) {
	for _, other := range p.plan.Data {
		switch sameName, same := other.Name == data.Name, other.Digest == data.Digest; {
		case sameName && same:
			return
		case sameName:
			p.problems.add(source.place.problem("another data set of the grid has the name %s too; give one of them another name", data.Name))
		case same:
			p.problems.add(source.place.problem("%s holds the same numbers as %s; use one name for both", data.Name, other.Name))
		}
	}
	p.plan.Data = append(p.plan.Data, data)
	p.plan.sources[data.Digest] = source.Source
}

// task checks that models and noise are for the data set's task.
func (p *planner) task(s *Sweep, data *PlannedData) {
	for _, model := range s.Models {
		if want := model.task(); want != data.Task {
			p.problems.add(model.place.problem("%s is a model for %s, but the data set %s is for %s; allowed there are %s (sweeps hold models of both tasks in one grid)",
				model.describe(), want, data.Name, data.Task, strings.Join(modelsFor(data.Task), ", ")))
		}
		for _, c := range model.Constraint.Choices {
			if !c.info.columns {
				continue
			}
			if _, err := resolve(c.Values[0].Word, data.features); err != nil {
				p.problems.add(c.place.problem("%v (data set %s)", err, data.Name))
			}
		}
	}
	for i, noise := range s.Noise {
		if kinds := dataset.NoiseKinds(data.Task); noise.Kind != "" && !slices.Contains(kinds, noise.Kind) {
			p.problems.add(s.noisePlaces[i].problem("noise of the kind %s does not fit the data set %s, which is for %s; allowed there are %s",
				noise.Kind, data.Name, data.Task, strings.Join(kinds, ", ")))
		}
	}
}

// methods checks that the sweep's methods are for its models and regularizers.
func (p *planner) methods(s *Sweep) {
	for _, m := range s.Methods {
		method := m.method()
		for _, model := range s.Models {
			if !method.fits(model.Name) {
				p.problems.add(m.place.problem("%s is a method for %s, not for the model %s (sweeps hold several lists of models and methods in one grid)",
					m.Name, strings.Join(method.modelNames(), ", "), model.Name))
			}
		}
		for _, r := range s.Regularizers {
			if !method.knows(r.Name) {
				p.problems.add(m.place.problem("%s knows the regularizers %s, not %s: %s (sweeps hold several lists of regularizers and methods in one grid)",
					m.Name, strings.Join(method.regularizers, ", "), r.Name, method.knowsOnly))
			}
		}
	}
}

// settings checks that what a sweep gives of its methods' settings is used by
// some cell.
func (p *planner) settings(s *Sweep, groups []*group) {
	for _, m := range s.Methods {
		for _, c := range m.Choices {
			used := slices.ContainsFunc(groups, func(g *group) bool {
				return g.method.name == m.Name && slices.ContainsFunc(g.settings, func(o Choice) bool { return o.info == c.info })
			})
			if c.place.key != "" && !used {
				p.problems.add(c.place.problem("has no effect: %s uses it %s", m.Name, c.info.scope()))
			}
		}
	}
}
