package experiment

import (
	"iter"
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
)

// group is the cells of one data set, one entry of the models, one method and
// one entry of the regularizers: all combinations of noise, parameters and
// repeats. A grid is a short list of groups, whatever the number of its cells.
type group struct {
	data         *PlannedData
	settings     dataset.Settings // without noise
	noise        []dataset.Noise
	models       *Models
	method       *methodInfo
	regularizers *Regularizers // noRegularizers for methods without one
	age          Age
	cost         float64 // estimated seconds of each cell
	sweep        int

	// earlier are the groups before this one that may hold some of its cells,
	// which are then expanded there.
	earlier []*group
}

// noRegularizers stands in for the entry of a method that has none.
var noRegularizers = &Regularizers{}

// combination is a cell without its repeat.
type combination struct {
	noise  dataset.Noise
	model  Model
	method Method
}

// groups returns the sweep's groups for one of its data sets.
func (s *Sweep) groups(data *PlannedData, settings dataset.Settings, number int) []*group {
	var groups []*group
	for i := range s.Models {
		for _, m := range s.Methods {
			method := lookupMethod(m.Name)
			g := group{
				data: data, settings: settings, noise: s.Noise, models: &s.Models[i],
				method: method, regularizers: noRegularizers, age: s.Age, sweep: number,
			}
			if !method.regularized {
				groups = append(groups, &g)
				continue
			}
			for j := range s.Regularizers {
				one := g
				one.regularizers = &s.Regularizers[j]
				groups = append(groups, &one)
			}
		}
	}
	return groups
}

// all yields every combination of the group: noise varies slowest, then the
// model, then the regularizer.
func (g *group) all() iter.Seq[combination] {
	return func(yield func(combination) bool) {
		for _, noise := range g.noise {
			for i := range g.models.Count() {
				model := g.models.At(i)
				for j := range g.regularizers.Count() {
					c := combination{noise, model, g.method.with(g.regularizers.At(j), g.age)}
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}

// fresh yields the combinations that no earlier group has.
func (g *group) fresh() iter.Seq[combination] {
	if len(g.earlier) == 0 {
		return g.all()
	}
	return func(yield func(combination) bool) {
		for c := range g.all() {
			if !slices.ContainsFunc(g.earlier, func(e *group) bool { return e.has(c) }) && !yield(c) {
				return
			}
		}
	}
}

// has reports whether the group holds a combination whose data, settings,
// kind of model, method and ages are those of the group.
func (g *group) has(c combination) bool {
	return slices.Contains(g.noise, c.noise) &&
		slices.Contains(g.models.Strengths, c.model.Alpha+c.model.C) && // one of them is 0
		(len(g.models.Ratios) == 0 || slices.Contains(g.models.Ratios, c.model.L1Ratio)) &&
		(len(g.models.Gammas) == 0 || slices.Contains(g.models.Gammas, c.model.KernelGamma)) &&
		(len(g.regularizers.Params) == 0 || slices.Contains(g.regularizers.Params, c.method.Regularizer.Param))
}

// counts returns the number of fresh combinations at each level of noise. It
// expands only what may overlap with another group.
func (g *group) counts() []int64 {
	counts := make([]int64, len(g.noise))
	if len(g.earlier) == 0 {
		for i := range counts {
			counts[i] = int64(g.models.Count()) * int64(g.regularizers.Count())
		}
		return counts
	}
	index := make(map[dataset.Noise]int, len(g.noise))
	for i, noise := range g.noise {
		index[noise] = i
	}
	for c := range g.fresh() {
		counts[index[c.noise]]++
	}
	return counts
}

// family is what two groups share whose cells could be the same or could look
// the same in the results.
type family struct{ data, model, kernel, method, regularizer string }

func (g *group) family() family {
	return family{g.data.Name, g.models.Name, g.models.Kernel, g.method.name, g.regularizers.Name}
}

// overlaps reports whether two groups of a family have parameters in common.
func (g *group) overlaps(other *group) bool {
	return intersect(g.noise, other.noise) &&
		intersect(g.models.Strengths, other.models.Strengths) &&
		(len(g.models.Ratios) == 0 || intersect(g.models.Ratios, other.models.Ratios)) &&
		(len(g.models.Gammas) == 0 || intersect(g.models.Gammas, other.models.Gammas)) &&
		(len(g.regularizers.Params) == 0 || intersect(g.regularizers.Params, other.regularizers.Params))
}

func intersect[T comparable](a, b []T) bool {
	if len(a) > 0 && len(b) > 0 && &a[0] == &b[0] {
		return true
	}
	set := make(map[T]bool, len(a))
	for _, x := range a {
		set[x] = true
	}
	return slices.ContainsFunc(b, func(x T) bool { return set[x] })
}

// sameHidden reports whether two groups of a family agree in what the labels
// of a cell do not show.
func (g *group) sameHidden(other *group) bool {
	none := Regularizer{}
	return canonical(g.settings) == canonical(other.settings) &&
		g.models.Intercept == other.models.Intercept &&
		g.method.with(none, g.age) == other.method.with(none, other.age)
}

// link finds for each group the earlier ones that share cells with it. Two
// groups whose cells differ but would look the same in the results are a
// problem.
func link(groups []*group, sweeps []Sweep, problems *Problems) {
	families := map[family][]*group{}
	for _, g := range groups {
		key := g.family()
		for _, other := range families[key] {
			if same := g.sameHidden(other); !same && !g.looksLike(other) || !g.overlaps(other) {
				continue
			} else if same {
				g.earlier = append(g.earlier, other)
				continue
			}
			at := sweeps[g.sweep].place
			if g.sweep == other.sweep {
				at = g.models.place
			}
			problems.add(at.problem("some cells would look like those of %s in the results (data set %s): they differ only in scale, protocol, age or intercept, which are no columns there; put them into two grids",
				sweeps[other.sweep].place.name(), g.data.Name))
		}
		families[key] = append(families[key], g)
	}
}

// looksLike reports whether two groups of a family have the same labels apart
// from their parameters.
func (g *group) looksLike(other *group) bool {
	return g.data.train == other.data.train && g.data.test == other.data.test
}
