package experiment

import (
	"cmp"
	"maps"
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
var sweepKeys = []string{"data", "split", "scale", "noise", "models", "regularizers", "methods", "age", "protocol", "missing", "absent", "rows"}

// selfPaced reads the section of the self-paced kind.
func (r *reader) selfPaced(root item, fields map[string]item, g *Grid) {
	g.Keep = Keep{Knots: true}
	if n := fields["keep"]; n.given() {
		keep := r.fields(n, "knots", "coefficients")
		if n := keep["knots"]; n.given() {
			g.Keep.Knots = r.boolean(n)
		}
		if n := keep["coefficients"]; n.given() {
			g.Keep.Coefficients = r.boolean(n)
		}
	}
	sweeps := fields["sweeps"]
	if !sweeps.given() {
		g.Sweeps = r.sweep(root, fields)
		g.Select = r.selection(fields["select"], g.Sweeps)
		return
	}
	used := map[string]bool{}
	for _, n := range r.list(sweeps) {
		own := r.fields(n, sweepKeys...)
		if own == nil {
			continue
		}
		merged := maps.Clone(own)
		for _, key := range sweepKeys {
			if !own[key].given() && fields[key].given() {
				merged[key] = fields[key]
				used[key] = true
			}
		}
		g.Sweeps = append(g.Sweeps, r.sweep(n, merged)...)
	}
	for _, key := range sweepKeys {
		if n := fields[key]; n.given() && !used[key] && len(g.Sweeps) > 0 {
			r.problem(n, "has no effect: every entry of sweeps has its own %s; leave it out here or there", key)
		}
	}
	g.Select = r.selection(fields["select"], g.Sweeps)
}

// sweep reads the keys of one sweep: a [Sweep] for each number of rows and
// each range of ages.
func (r *reader) sweep(at item, fields map[string]item) []Sweep {
	s := Sweep{place: r.place(at)}
	protocol := protocolHeldOut
	if n := fields["protocol"]; n.given() {
		protocol = oneOf(r, n, protocolHeldOut, protocolPaper)
	}
	s.Settings.Paper = protocol == protocolPaper
	s.Settings.Split = r.split(fields["split"], s.Settings.Paper)
	s.Settings.Features, s.Settings.Target = r.scale(fields["scale"])
	s.Noise, s.noisePlaces = r.noise(fields["noise"])

	missing := ""
	if n := fields["missing"]; n.given() {
		missing = r.missing(n)
	}
	if n := fields["data"]; n.given() {
		s.Data = r.data(n, missing)
	} else {
		r.problem(at, "the key data is missing: a list of data sets, as in data: [diabetes]")
	}
	if n := fields["models"]; n.given() {
		s.Models = r.models(n)
	} else {
		r.problem(at, "the key models is missing: a list of %s, each with its parameters", strings.Join(modelNames, ", "))
	}
	if n := fields["regularizers"]; n.given() {
		s.Regularizers = r.regularizers(n)
	}
	if n := fields["methods"]; n.given() {
		s.Methods = r.methods(n)
	} else {
		r.problem(at, "the key methods is missing: a list of %s", strings.Join(methodNames(), ", "))
	}
	for _, m := range s.Methods {
		if lookupMethod(m.Name).regularized && !fields["regularizers"].given() {
			r.problem(at, "the key regularizers is missing, which the method %s needs: a list of %s",
				m.Name, strings.Join(regularizerNames, ", "))
		}
	}
	if n := fields["absent"]; n.given() {
		s.SkipAbsent = oneOf(r, n, "refuse", "skip") == "skip"
	}
	rows := []float64{0}
	if n := fields["rows"]; n.given() {
		rows = r.numbers(n, rowCounts)
	}
	var sweeps []Sweep
	for _, age := range r.ages(fields["age"]) {
		for _, count := range rows {
			s.Age, s.Settings.Rows = age, int(count)
			sweeps = append(sweeps, s)
		}
	}
	return sweeps
}

// split reads the key split; 3:1 with a fifth of the training part held out
// for validation is the default, nothing held out in the paper's protocol.
func (r *reader) split(n item, paper bool) dataset.Split {
	split := dataset.Split{Train: defaultTrain, Test: defaultTest, Validation: defaultValidation}
	if paper {
		split.Validation = 0
	}
	if !n.given() {
		return split
	}
	fields := r.fields(n, "train", "test", "validation")
	for _, part := range []struct {
		name  string
		into  *float64
		allow rule
	}{
		{"train", &split.Train, positive},
		{"test", &split.Test, positive},
		{"validation", &split.Validation, properShare},
	} {
		if n := fields[part.name]; n.given() {
			*part.into, _ = r.number(n, part.allow)
		}
	}
	// 6:2 is 3:1 and makes the same cells.
	if common := commonDivisor(split.Train, split.Test); common > 1 {
		split.Train /= common
		split.Test /= common
	}
	return split
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

// scale reads the key scale; standard features and a target from 0 to 1 are
// the default, as in the paper.
func (r *reader) scale(n item) (features, target dataset.Scaling) {
	features, target = dataset.Standard, dataset.MinMax
	if !n.given() {
		return features, target
	}
	fields := r.fields(n, "features", "target")
	if n := fields["features"]; n.given() {
		features = oneOf(r, n, dataset.NoScaling, dataset.Standard, dataset.MinMax)
	}
	if n := fields["target"]; n.given() {
		target = oneOf(r, n, dataset.NoScaling, dataset.Standard, dataset.MinMax)
	}
	return features, target
}

// ages reads the key age: a range for each combination of its values.
func (r *reader) ages(n item) []Age {
	parts := [3][]float64{{defaultAgeMin}, {defaultAgeMax}, {defaultAgeStep}}
	if n.given() {
		fields := r.fields(n, "min", "max", "acs_step")
		for i, name := range []string{"min", "max", "acs_step"} {
			if n := fields[name]; n.given() {
				parts[i] = r.numbers(n, positive)
			}
		}
	}
	if len(parts[0])*len(parts[1])*len(parts[2]) > maxGroups {
		r.problem(n, "more than %d combinations of min, max and acs_step", maxGroups)
		return nil
	}
	var ages []Age
	for _, least := range parts[0] {
		for _, most := range parts[1] {
			for _, step := range parts[2] {
				switch {
				case most <= least:
					r.problem(n, "max is %g and min is %g; max > min is allowed", most, least)
				case (most-least)/step > maxAges:
					r.problem(n, "acs_step %g makes more than %d ages, which is the most allowed", step, maxAges)
				}
				ages = append(ages, Age{Min: least, Max: most, Step: step})
			}
		}
	}
	return ages
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
		if fields == nil {
			continue
		}
		if !fields["kind"].given() {
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
			if seen[noise] {
				if level != 0 {
					r.problem(fields["levels"], "level %g of %s is given twice", level, kind)
				}
				continue
			}
			seen[noise] = true
			list = append(list, noise)
			places = append(places, r.place(fields["kind"]))
		}
	}
	return list, places
}

func (r *reader) missing(n item) string { return oneOf(r, n, "refuse", "mean", "drop") }

// data reads the key data.
func (r *reader) data(n item, missing string) []DataSource {
	var sources []DataSource
	seen := map[string]bool{}
	for _, entry := range r.list(n) {
		source, ok := r.source(entry, missing)
		if !ok {
			continue
		}
		if key := string(mustJSON(source)); seen[key] {
			r.problem(entry, "the data set %s is given twice", cmp.Or(source.Name, source.Path))
		} else {
			seen[key] = true
		}
		sources = append(sources, DataSource{Source: source, place: r.place(entry)})
	}
	return sources
}

// source reads one entry of the key data: a name of the catalog, or a map.
func (r *reader) source(entry item, missing string) (dataset.Source, bool) {
	var s dataset.Source
	s.Options.Missing = missing
	before := len(r.problems)
	if entry.Kind == yaml.ScalarNode {
		s.Name = r.text(entry)
		return s, len(r.problems) == before
	}
	fields := r.fields(entry, "name", "path", "format", "skip", "header", "target", "drop", "classes", "task", "missing")
	if fields == nil {
		return s, false
	}
	if n := fields["path"]; n.given() {
		s.Path = r.text(n)
		if s.Path != "" && !filepath.IsAbs(s.Path) {
			s.Path = filepath.Join(filepath.Dir(r.file), s.Path)
		}
	}
	if n := fields["name"]; n.given() {
		s.Name = r.text(n)
	}
	if !fields["name"].given() && !fields["path"].given() && len(r.problems) == before {
		r.problem(entry, "the keys name and path are missing; name: of a catalog's data set or path: of a file is needed")
	}
	r.options(fields, &s.Options)
	if len(r.problems) == before {
		if err := s.Options.Validate(); err != nil {
			r.problem(entry, "%v", err)
		}
	}
	return s, len(r.problems) == before
}

// options reads how to read a data set's file.
func (r *reader) options(fields map[string]item, o *dataset.Options) {
	if n := fields["format"]; n.given() {
		o.Format = oneOf(r, n, "csv", "tsv", "space", "arff", "libsvm")
	}
	if n := fields["skip"]; n.given() {
		o.Skip = int(r.integer(n, 0, math.MaxInt32))
	}
	if n := fields["header"]; n.given() {
		header := r.boolean(n)
		o.Header = &header
	}
	if n := fields["target"]; n.given() {
		o.Target = r.text(n)
	}
	if n := fields["drop"]; n.given() {
		o.Drop = r.texts(n)
	}
	if n := fields["task"]; n.given() {
		o.Task = oneOf(r, n, dataset.Classification, dataset.Regression)
	}
	if n := fields["missing"]; n.given() {
		o.Missing = r.missing(n)
	}
	if n := fields["classes"]; n.given() {
		classes := r.fields(n, "negative", "positive", "negative_rows")
		if n := classes["negative"]; n.given() {
			o.Classes.Negative = r.texts(n)
		}
		if n := classes["positive"]; n.given() {
			o.Classes.Positive = r.texts(n)
		}
		if n := classes["negative_rows"]; n.given() {
			o.Classes.NegativeRows = int(r.integer(n, 1, math.MaxInt32))
		}
	}
}
