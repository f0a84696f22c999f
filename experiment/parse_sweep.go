package experiment

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/dataset"
)

// The protocols of a grid file.
const (
	protocolHeldOut = "held-out" // nothing but the training part is contaminated, nothing is fitted to the test part
	protocolPaper   = "paper"    // the conventions of the paper's published scripts
)

// Defaults of a sweep.
const (
	defaultTrain      = 3.0
	defaultTest       = 1.0
	defaultValidation = 0.2 // 0 under protocolPaper
	defaultAgeMin     = 0.1
	defaultAgeMax     = 20.0
	defaultAgeStep    = 0.5
)

// maxAges bounds the ages of one run of alternate convex search.
const maxAges = 1_000_000

// sweepKeys are the keys of a sweep. At the top level they are the defaults
// of all sweeps, each of which replaces a key as a whole.
var sweepKeys = []string{
	"data", "split", "scale", "noise", "models", "regularizers", "methods", "age", "protocol", "missing", "encode",
	"absent", "rows",
}

// selfPaced reads the section of the self-paced kind.
func (r *reader) selfPaced(root item, fields map[string]item, g *Grid) {
	g.Keep = Keep{Knots: true}
	r.keys(fields["keep"],
		key{"knots", into(&g.Keep.Knots, r.boolean)},
		key{"coefficients", into(&g.Keep.Coefficients, r.boolean)})
	if sweeps := fields["sweeps"]; sweeps.given() {
		g.Sweeps = r.sweeps(sweeps, fields)
	} else {
		g.Sweeps = r.sweep(root, fields)
	}
	g.Select = r.selection(fields["select"], g.Sweeps)
}

// sweeps reads the key sweeps; defaults are the keys beside it.
func (r *reader) sweeps(n item, defaults map[string]item) []Sweep {
	var sweeps []Sweep
	used := map[string]bool{}
	for _, n := range r.list(n) {
		fields := r.fields(n, sweepKeys...)
		if fields == nil {
			continue
		}
		for _, key := range sweepKeys {
			if !fields[key].given() && defaults[key].given() {
				fields[key] = defaults[key]
				used[key] = true
			}
		}
		sweeps = append(sweeps, r.sweep(n, fields)...)
	}
	for _, key := range sweepKeys {
		if n := defaults[key]; n.given() && !used[key] && len(sweeps) > 0 {
			r.problem(n, "has no effect: every entry of sweeps has its own %s; leave it out here or there", key)
		}
	}
	return sweeps
}

// sweep reads the keys of one sweep: a [Sweep] for each combination of protocol, split,
// scaling, ages and number of rows, of which the last varies fastest.
func (r *reader) sweep(at item, fields map[string]item) []Sweep {
	s := Sweep{place: r.place(at)}
	protocols, absent := []string{protocolHeldOut}, ""
	var options dataset.Options // of all its data sets
	rows := []float64{0}
	read(fields, key{"protocol", into(&protocols, words(r, protocolHeldOut, protocolPaper))})
	s.Noise, s.noisePlaces = r.noise(fields["noise"])
	r.demand(at, fields, "data", "a list of data sets, as in data: [diabetes]")
	r.demand(at, fields, "models", "a list of "+strings.Join(namesOf(modelTable), ", ")+", each with its parameters")
	r.demand(at, fields, "methods", "a list of "+strings.Join(namesOf(methodTable), ", "))
	read(fields,
		key{"missing", into(&options.Missing, word(r, missingWords...))},
		key{"encode", into(&options.Encode, word(r, encodeWords...))},
		key{"data", func(n item) { s.Data = r.data(n, options) }},
		key{"models", into(&s.Models, r.models)},
		key{"regularizers", into(&s.Regularizers, r.regularizers)},
		key{"methods", into(&s.Methods, r.methods)},
		key{"absent", into(&absent, word(r, "refuse", "skip"))},
		key{"rows", func(n item) { rows = r.numbers(n, rowCounts) }})
	s.SkipAbsent = absent == "skip"
	for _, m := range s.Methods {
		if m.method().regularized && !fields["regularizers"].given() {
			r.problem(at, "the key regularizers is missing, which the method %s needs: a list of %s",
				m.Name, strings.Join(namesOf(regularizerTable), ", "))
		}
	}
	ages, scalings := r.ages(fields["age"]), r.scalings(fields["scale"])
	var sweeps []Sweep
	for _, protocol := range protocols {
		s.Settings.Paper = protocol == protocolPaper
		splits := r.splits(fields["split"], s.Settings.Paper)
		if combinations := len(splits) * len(scalings) * len(ages) * len(rows); combinations > maxGroups-len(sweeps) {
			r.problem(at, "more than %d combinations of protocol, split, scale, age and rows", maxGroups)
			return nil
		}
		for _, split := range splits {
			for _, scaling := range scalings {
				for _, age := range ages {
					for _, count := range rows {
						s.Age, s.Settings.Split, s.Settings.Rows = age, split, int(count)
						s.Settings.Features, s.Settings.Target = scaling.features, scaling.target
						sweeps = append(sweeps, s)
					}
				}
			}
		}
	}
	return sweeps
}

// demand reports a key that is missing.
func (r *reader) demand(at item, fields map[string]item, name, want string) {
	if !fields[name].given() {
		r.problem(at, "the key %s is missing: %s", name, want)
	}
}

// scaling is how features and target of a sweep are scaled.
type scaling struct{ features, target dataset.Scaling }

// scalings reads the key scale: each combination of its values, or those of a list of
// such maps. Standard features and a target from 0 to 1 are the paper's.
func (r *reader) scalings(n item) []scaling {
	return variants(r, n, func(n item) (list []scaling) {
		features, targets := []dataset.Scaling{dataset.Standard}, []dataset.Scaling{dataset.MinMax}
		allowed := words(r, dataset.NoScaling, dataset.Standard, dataset.MinMax)
		r.keys(n, key{"features", into(&features, allowed)}, key{"target", into(&targets, allowed)})
		for _, f := range features {
			for _, t := range targets {
				list = append(list, scaling{f, t})
			}
		}
		return list
	})
}

// variants reads a map, which may be left out, or a list of maps, of which read makes
// the combinations of their values. None may come twice.
func variants[T comparable](r *reader, n item, read func(n item) []T) []T {
	if !n.given() {
		return read(n)
	}
	var list []T
	seen := map[T]bool{}
	for _, element := range r.many(n) {
		before := r.reported
		for _, value := range read(element) {
			if seen[value] && r.reported == before {
				r.problem(element, "a combination of its values is given twice")
			}
			seen[value] = true
			list = append(list, value)
		}
	}
	return list
}

// splits reads the key split as scalings does its key; 3:1 with a fifth of the training
// part held out for validation is the default, nothing held out in the paper's protocol.
func (r *reader) splits(n item, paper bool) []dataset.Split {
	return variants(r, n, func(n item) (list []dataset.Split) {
		parts := [3][]float64{{defaultTrain}, {defaultTest}, {defaultValidation}}
		if paper {
			parts[2] = []float64{0}
		}
		several := func(allowed rule) func(n item) []float64 {
			return func(n item) []float64 { return r.numbers(n, allowed) }
		}
		r.keys(n,
			key{"train", into(&parts[0], several(positive))},
			key{"test", into(&parts[1], several(positive))},
			key{"validation", into(&parts[2], several(properShare))})
		if r.tooMany(n, "train, test and validation", parts) {
			return nil
		}
		for _, train := range parts[0] {
			for _, test := range parts[1] {
				for _, validation := range parts[2] {
					// 6:2 is 3:1 and makes the same cells.
					common := commonDivisor(train, test)
					list = append(list, dataset.Split{Train: train / common, Test: test / common, Validation: validation})
				}
			}
		}
		return list
	})
}

// tooMany reports a map whose values have more combinations than a grid may have.
func (r *reader) tooMany(n item, what string, parts [3][]float64) bool {
	many := len(parts[0])*len(parts[1])*len(parts[2]) > maxGroups
	if many {
		r.problem(n, "more than %d combinations of %s", maxGroups, what)
	}
	return many
}

// commonDivisor returns the greatest common divisor of two whole numbers, 1
// when they are not both whole and of moderate size.
func commonDivisor(a, b float64) float64 {
	for _, x := range []float64{a, b} {
		if !(x >= 1 && x <= 1<<53 && x == math.Trunc(x)) {
			return 1
		}
	}
	for b > 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// ages reads the key age as scalings does its key.
func (r *reader) ages(n item) []Age { return variants(r, n, r.ageRanges) }

// ageRanges reads a map of ages: a range for each combination of its values.
func (r *reader) ageRanges(n item) []Age {
	parts := [3][]float64{{defaultAgeMin}, {defaultAgeMax}, {defaultAgeStep}}
	ages := func(n item) []float64 { return r.numbers(n, positive) }
	r.keys(n,
		key{"min", into(&parts[0], ages)},
		key{"max", into(&parts[1], ages)},
		key{"acs_step", into(&parts[2], ages)})
	if r.tooMany(n, "min, max and acs_step", parts) {
		return nil
	}
	var list []Age
	for _, least := range parts[0] {
		for _, most := range parts[1] {
			for _, step := range parts[2] {
				switch {
				case most <= least:
					r.problem(n, "max is %g and min is %g; max > min is allowed", most, least)
				case (most-least)/step > maxAges:
					r.problem(n, "acs_step %g makes more than %d ages, which is the most allowed", step, maxAges)
				}
				list = append(list, Age{Min: least, Max: most, Step: step})
			}
		}
	}
	return list
}

// noise reads the key noise: the word none, or a list of kinds with their
// levels. Level 0 of any kind is the one clean cell.
func (r *reader) noise(n item) (list []dataset.Noise, places []place) {
	if !n.given() || n.Value == "none" {
		return []dataset.Noise{{}}, []place{r.place(n)}
	}
	seen := map[dataset.Noise]bool{}
	kinds := slices.Concat(dataset.NoiseKinds(dataset.Regression), dataset.NoiseKinds(dataset.Classification))
	for _, entry := range r.list(n) {
		fields := r.fields(entry, "kind", "levels")
		switch {
		case fields == nil:
			continue
		case !fields["kind"].given():
			r.problem(entry, "the key kind is missing; allowed are %s", strings.Join(kinds, ", "))
			continue
		}
		kind := oneOf(r, fields["kind"], kinds...)
		if !fields["levels"].given() {
			r.problem(entry, "the key levels is missing; numbers from 0 to 1 are, as in levels: [0, 0.3]")
			continue
		}
		for _, level := range r.numbers(fields["levels"], fraction) {
			noise := dataset.Noise{Kind: kind, Level: level}
			if level == 0 {
				noise = dataset.Noise{}
			}
			switch {
			case !seen[noise]:
				list, places = append(list, noise), append(places, r.place(fields["kind"]))
			case level != 0:
				r.problem(fields["levels"], "level %g of %s is given twice", level, kind)
			}
			seen[noise] = true
		}
	}
	return list, places
}

// data reads the key data; the options are those of entries that do not replace them.
func (r *reader) data(n item, options dataset.Options) []DataSource {
	var sources []DataSource
	seen := map[string]bool{}
	for _, entry := range r.list(n) {
		source, ok := r.source(entry, options)
		if !ok {
			continue
		}
		key := string(mustJSON(source))
		if seen[key] {
			r.problem(entry, "the data set %s is given twice", cmp.Or(source.Name, source.Path))
		}
		seen[key] = true
		sources = append(sources, DataSource{Source: source, place: r.place(entry)})
	}
	return sources
}

var (
	missingWords = []string{"refuse", "mean", "median", "drop"}
	encodeWords  = []string{"refuse", "onehot"}
)

// source reads one entry of the key data: a name of the catalog, or a map.
func (r *reader) source(entry item, options dataset.Options) (s dataset.Source, ok bool) {
	s.Options = options
	o := &s.Options
	before := r.reported
	if entry.Kind == yaml.ScalarNode {
		s.Name = r.text(entry)
		return s, r.reported == before
	}
	r.keys(entry,
		key{"name", into(&s.Name, r.text)},
		key{"path", into(&s.Path, r.text)},
		key{"format", into(&o.Format, word(r, "csv", "tsv", "space", "arff", "libsvm"))},
		key{"skip", into(&o.Skip, integer(r, 0, math.MaxInt32))},
		key{"header", func(n item) {
			header := r.boolean(n)
			o.Header = &header
		}},
		key{"target", into(&o.Target, r.text)},
		key{"drop", into(&o.Drop, r.texts)},
		key{"classes", func(n item) {
			r.keys(n,
				key{"negative", into(&o.Classes.Negative, r.texts)},
				key{"positive", into(&o.Classes.Positive, r.texts)},
				key{"negative_rows", into(&o.Classes.NegativeRows, integer(r, 1, math.MaxInt32))})
		}},
		key{"task", into(&o.Task, word(r, dataset.Classification, dataset.Regression))},
		key{"missing", into(&o.Missing, word(r, missingWords...))},
		key{"encode", func(n item) { o.Encode, o.OneHot = r.encoding(n) }})
	if r.reported > before {
		return s, false
	}
	if s.Path != "" && !filepath.IsAbs(s.Path) {
		s.Path = filepath.Join(filepath.Dir(r.file), s.Path)
	}
	if s.Name == "" && s.Path == "" {
		r.problem(entry, "the keys name and path are missing; name: of a catalog's data set or path: of a file is needed")
	} else if err := s.Options.Validate(); err != nil {
		r.problem(entry, "%v", err)
	}
	return s, r.reported == before
}

// encoding reads the key encode of a data set: a word, or columns of which each value
// becomes a feature.
func (r *reader) encoding(n item) (word string, columns []string) {
	if n.Kind != yaml.MappingNode {
		return oneOf(r, n, encodeWords...), nil
	}
	before := r.reported
	if r.keys(n, key{"onehot", into(&columns, r.texts)}); columns == nil && r.reported == before {
		r.problem(n, "the key onehot is missing: a column or a list of columns")
	}
	return "", columns
}
