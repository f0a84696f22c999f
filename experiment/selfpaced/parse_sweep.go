package selfpaced

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/metric"
)

// Defaults of a sweep.
const (
	defaultTrain      = 3.0
	defaultTest       = 1.0
	defaultValidation = 0.2  // 0 under dataset.Paper and dataset.Scripts
	scriptsTrain      = 19.0 // under dataset.Scripts
	defaultAgeMin     = 0.1  // of given ages, as the next two
	defaultAgeMax     = 20.0
	defaultAgeStep    = 0.5
)

var rowCounts = gridfile.Rule{Allows: func(x float64) bool { return x >= 3 && x <= math.MaxInt32 && x == math.Trunc(x) }, Want: "a whole number from 3"}

// maxAges limits one run of alternate convex search.
const maxAges = 1_000_000

// sweepKeys at the top level are the defaults of all sweeps, each of which replaces a key as a
// whole.
var sweepKeys = []string{
	"data", "split", "scale", "noise", "models", "regularizers", "methods", "age", "protocol", "missing", "encode",
	"absent", "rows", "choose",
}

// Section is the section of a grid.
type Section struct {
	Sweeps []Sweep           // at least one; their cells are united
	Select experiment.Select // cells in tables

	metricPlace gridfile.Place
}

func (s *Section) Selection() experiment.Select { return s.Select }

// scripted reports whether some, and whether all sweeps follow the published scripts.
func (s *Section) scripted() (some, all bool) {
	n := 0
	for i := range s.Sweeps {
		if s.Sweeps[i].Settings.Protocol == dataset.Scripts {
			n++
		}
	}
	return n > 0, n == len(s.Sweeps)
}

// Sweep is a set of cells: all combinations of its data sets, noise, models and methods, with
// regularizers and ages as these need.
type Sweep struct {
	Data         []DataSource
	Settings     dataset.Settings // without noise
	Noise        []dataset.Noise  // zero for the clean cell
	Models       []Models
	Regularizers []gridfile.Entry // empty if no method uses them
	Methods      []MethodEntry
	Age          Age
	Choice       Choice
	Metrics      []metric.Name // at most one of each task, the same for all sweeps
	SkipAbsent   bool          // of missing data sets of the catalog

	place       gridfile.Place
	noisePlaces []gridfile.Place // of Noise
}

// DataSource is a data set of a sweep.
type DataSource struct {
	dataset.Source

	place gridfile.Place
}

type sectionReader struct {
	*gridfile.Reader

	commands map[string]string // by name
}

func readSection(from *gridfile.Reader, root gridfile.Item, fields map[string]gridfile.Item) experiment.Section {
	r := &sectionReader{Reader: from, commands: map[string]string{}}
	s := &Section{}
	if sweeps := fields["sweeps"]; sweeps.Given() {
		s.Sweeps = r.sweeps(sweeps, fields)
	} else {
		s.Sweeps = r.sweep(root, fields)
	}
	if n := fields["metric"]; n.Given() {
		r.metrics(n, s)
	}
	s.Select = r.selection(fields["select"], s.Sweeps)
	if some, all := s.scripted(); some && !all {
		r.Problem(root, "protocol: %s scores regression by another error than the other protocols; make a grid of its own of it", dataset.Scripts)
	}
	return s
}

func (r *sectionReader) metrics(n gridfile.Item, s *Section) {
	names := gridfile.Words(r.Reader, metric.Choosing()...)(n)
	if len(names) > 1 && names[0].Of().Task == names[len(names)-1].Of().Task || len(names) > 2 {
		r.Problem(n, "one metric for regression and one for classification are allowed; make a grid for each of several")
	}
	s.metricPlace = r.Place(n)
	for i := range s.Sweeps {
		s.Sweeps[i].Metrics = names
	}
}

func (r *sectionReader) sweeps(n gridfile.Item, defaults map[string]gridfile.Item) []Sweep {
	var sweeps []Sweep
	used := map[string]bool{}
	for _, n := range r.List(n) {
		fields := r.Fields(n, sweepKeys...)
		if fields == nil {
			continue
		}
		for _, key := range sweepKeys {
			if !fields[key].Given() && defaults[key].Given() {
				fields[key] = defaults[key]
				used[key] = true
			}
		}
		sweeps = append(sweeps, r.sweep(n, fields)...)
	}
	for _, key := range sweepKeys {
		if n := defaults[key]; n.Given() && !used[key] && len(sweeps) > 0 {
			r.Problem(n, "has no effect: every entry of sweeps has its own %s; leave it out here or there", key)
		}
	}
	return sweeps
}

// sweep returns a [Sweep] for each combination of protocol, split, scaling, ages and number of
// rows; the last varies fastest.
func (r *sectionReader) sweep(at gridfile.Item, fields map[string]gridfile.Item) []Sweep {
	s := Sweep{place: r.Place(at)}
	protocols, absent := []dataset.Protocol{dataset.HeldOut}, ""
	var options dataset.Options
	rows := []float64{0}
	gridfile.Read(fields, gridfile.On("protocol", gridfile.Into(&protocols, gridfile.Words(r.Reader, dataset.HeldOut, dataset.Paper, dataset.Scripts))))
	s.Noise, s.noisePlaces = r.noise(fields["noise"])
	r.Demand(at, fields, "data", "a list of data sets, as in data: [diabetes]")
	r.Demand(at, fields, "models", "a list of "+strings.Join(gridfile.NamesOf(modelTable), ", ")+", each with its parameters")
	r.Demand(at, fields, "methods", "a list of "+strings.Join(gridfile.NamesOf(methodTable), ", "))
	gridfile.Read(fields,
		gridfile.On("missing", gridfile.Into(&options.Missing, gridfile.Word(r.Reader, experiment.MissingWords...))),
		gridfile.On("encode", gridfile.Into(&options.Encode, gridfile.Word(r.Reader, experiment.EncodeWords...))),
		gridfile.On("data", func(n gridfile.Item) { s.Data = r.data(n, options) }),
		gridfile.On("models", gridfile.Into(&s.Models, r.models)),
		gridfile.On("regularizers", gridfile.Into(&s.Regularizers, r.regularizers)),
		gridfile.On("methods", gridfile.Into(&s.Methods, r.methods)),
		gridfile.On("absent", gridfile.Into(&absent, gridfile.Word(r.Reader, "refuse", "skip"))),
		gridfile.On("rows", func(n gridfile.Item) { rows = r.Numbers(n, rowCounts) }))
	s.SkipAbsent = absent == "skip"
	for _, m := range s.Methods {
		if m.method().regularized && !fields["regularizers"].Given() {
			r.Problem(at, "the key regularizers is missing, which the method %s needs: a list of %s",
				m.Name, strings.Join(gridfile.NamesOf(regularizerTable), ", "))
		}
	}
	stepped := slices.ContainsFunc(s.Methods, func(m MethodEntry) bool { return m.method().stepped })
	ages, scalings := r.ages(fields["age"], stepped), r.scalings(fields["scale"])
	var sweeps []Sweep
	data := s.Data
	for _, protocol := range protocols {
		s.Settings.Protocol = protocol
		ages := slices.Clone(ages)
		for k := range ages {
			ages[k].complete(protocol)
		}
		if protocol == dataset.Scripts && slices.ContainsFunc(ages, func(a Age) bool { return a.Auto != 0 || a.Direction != "" }) {
			r.Problem(fields["age"], "the protocol %s takes the steps of the published scripts upwards, and needs given ages, as in {min: 0.1, max: 20}", protocol)
		}
		splits := r.splits(fields["split"], protocol)
		if combinations := len(splits) * len(scalings) * len(ages) * len(rows); combinations > gridfile.MaxCombinations-len(sweeps) {
			r.Problem(at, "more than %d combinations of protocol, split, scale, age and rows", gridfile.MaxCombinations)
			return nil
		}
		for _, split := range splits {
			for _, scaling := range scalings {
				for _, age := range ages {
					for _, count := range rows {
						s.Age, s.Settings.Split, s.Settings.Rows = age, split.Split, int(count)
						s.Data = split.of(data)
						s.Settings.Features, s.Settings.Target = scaling.features, scaling.target
						sweeps = append(sweeps, s)
					}
				}
			}
		}
	}
	return r.choices(fields["choose"], sweeps)
}

type scaling struct{ features, target dataset.Scaling }

// scalings returns each combination of the values, or of those of a list of maps. The paper has
// standard features and a target from 0 to 1.
func (r *sectionReader) scalings(n gridfile.Item) []scaling {
	return gridfile.Variants(r.Reader, n, func(n gridfile.Item) (list []scaling) {
		features, targets := []dataset.Scaling{dataset.Standard}, []dataset.Scaling{dataset.MinMax}
		allowed := gridfile.Words(r.Reader, dataset.NoScaling, dataset.Standard, dataset.MinMax)
		r.Keys(n, gridfile.On("features", gridfile.Into(&features, allowed)), gridfile.On("target", gridfile.Into(&targets, allowed)))
		for _, f := range features {
			for _, t := range targets {
				list = append(list, scaling{f, t})
			}
		}
		return list
	})
}

type splitting struct {
	dataset.Split
	column *dataset.RowColumn // nil unless the split is a file's own
}

// of returns data sets with the column of an own split.
func (s *splitting) of(data []DataSource) []DataSource {
	if !s.Own {
		return data
	}
	data = slices.Clone(data)
	for i := range data {
		data[i].Options.Parts = *s.column
	}
	return data
}

// partValues reads what a column calls the three parts.
func (r *sectionReader) partValues(n gridfile.Item) [][]string {
	values := make([][]string, len(dataset.PartValues))
	r.Keys(n,
		gridfile.On("train", gridfile.Into(&values[0], r.Texts)),
		gridfile.On("validation", gridfile.Into(&values[1], r.Texts)),
		gridfile.On("test", gridfile.Into(&values[2], r.Texts)))
	return values
}

// splits is like scalings. The default is 3:1 with a fifth of the training part for validation,
// none in the paper's protocol, and 19:1 without validation in that of its scripts.
func (r *sectionReader) splits(n gridfile.Item, protocol dataset.Protocol) []splitting {
	return gridfile.Variants(r.Reader, n, func(n gridfile.Item) (list []splitting) {
		parts := [3][]float64{{defaultTrain}, {defaultTest}, {defaultValidation}}
		if protocol != dataset.HeldOut {
			parts[2] = []float64{0}
		}
		if protocol == dataset.Scripts {
			parts[0] = []float64{scriptsTrain}
		}
		several := func(allowed gridfile.Rule) func(n gridfile.Item) []float64 {
			return func(n gridfile.Item) []float64 { return r.Numbers(n, allowed) }
		}
		column := &dataset.RowColumn{Values: dataset.PartValues}
		fields := r.Keys(n,
			gridfile.On("train", gridfile.Into(&parts[0], several(gridfile.Positive))),
			gridfile.On("test", gridfile.Into(&parts[1], several(gridfile.Positive))),
			gridfile.On("validation", gridfile.Into(&parts[2], several(gridfile.ProperShare))),
			gridfile.On("column", gridfile.Into(&column.Column, r.Text)),
			gridfile.On("values", gridfile.Into(&column.Values, r.partValues)))
		for _, key := range []string{"train", "test", "values"} {
			if fields[key].Given() && fields["column"].Given() != (key == "values") {
				r.Problem(fields[key], "has no effect: column says which rows are in which part, and values what it calls them; drop %s, or %s", key,
					map[bool]string{true: "give column", false: "column"}[key == "values"])
			}
		}
		if column.Column == "" {
			column = nil
		}
		for _, v := range r.Combinations(n, "train, test and validation", parts[:]...) {
			common := commonDivisor(v[0], v[1]) // 6:2 is 3:1
			split := dataset.Split{Train: v[0] / common, Test: v[1] / common, Validation: v[2], Own: column != nil}
			list = append(list, splitting{split, column})
			if split.Own && protocol != dataset.HeldOut {
				r.Problem(fields["column"], "the protocol %s draws its own splits; leave column out", protocol)
			}
		}
		return list
	})
}

// commonDivisor returns 1 unless both are whole and of moderate size.
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

// complete adds the default range of a protocol where there is none.
func (a *Age) complete(protocol dataset.Protocol) {
	switch {
	case a.Max != 0 || a.Auto != 0:
	case protocol == dataset.HeldOut:
		a.Auto = autoAge
	default:
		a.Min, a.Max, a.Step = defaultAgeMin, defaultAgeMax, defaultAgeStep
	}
	if a.Auto == 0 && a.Direction == byTask {
		a.Direction = ""
	}
}

// ages is like scalings. stepped means that some method uses acs_step.
func (r *sectionReader) ages(n gridfile.Item, stepped bool) []Age {
	if !n.Given() {
		return []Age{{Direction: byTask}}
	}
	return gridfile.Variants(r.Reader, n, func(n gridfile.Item) []Age { return r.ageRanges(n, stepped) })
}

func (r *sectionReader) ageRanges(n gridfile.Item, stepped bool) []Age {
	if n.Value == autoWord {
		return []Age{{Auto: autoAge, Direction: byTask}}
	}
	if n.Given() && n.Kind == yaml.ScalarNode {
		r.Problem(n, "%s is not allowed; %s, and a map with the keys min, max, acs_step, direction are", gridfile.Describe(n.Node), autoWord)
		return nil
	}
	parts, directions := [3][]float64{{defaultAgeMin}, {defaultAgeMax}, {defaultAgeStep}}, []string{byTask}
	given := false
	ages := func(n gridfile.Item) []float64 { given = true; return r.Numbers(n, gridfile.Positive) }
	r.Keys(n,
		gridfile.On("min", gridfile.Into(&parts[0], ages)),
		gridfile.On("max", gridfile.Into(&parts[1], ages)),
		gridfile.On("acs_step", gridfile.Into(&parts[2], ages)),
		gridfile.On("direction", gridfile.Into(&directions, gridfile.Words(r.Reader, up, down, both))))
	var list []Age
	if !given {
		for _, direction := range directions {
			list = append(list, Age{Direction: strings.TrimPrefix(direction, up)})
		}
		return list
	}
	for _, v := range r.Combinations(n, "min, max and acs_step", parts[:]...) {
		age := Age{Min: v[0], Max: v[1], Step: v[2]}
		switch {
		case age.Max <= age.Min:
			r.Problem(n, "max is %g and min is %g; max > min is allowed", age.Max, age.Min)
		case stepped && (age.Max-age.Min)/age.Step > maxAges:
			r.Problem(n, "acs_step %g makes more than %d ages, which is the most allowed", age.Step, maxAges)
		}
		for _, direction := range directions {
			age.Direction = strings.TrimPrefix(direction, up)
			list = append(list, age)
		}
	}
	return list
}

// noise treats level 0 of any kind as the one clean cell.
func (r *sectionReader) noise(n gridfile.Item) (list []dataset.Noise, places []gridfile.Place) {
	if !n.Given() || n.Value == "none" {
		return []dataset.Noise{{}}, []gridfile.Place{r.Place(n)}
	}
	seen := map[dataset.Noise]bool{}
	kinds := slices.Concat(dataset.NoiseKinds(dataset.Regression), dataset.NoiseKinds(dataset.Classification))
	for _, entry := range r.List(n) {
		fields := r.Fields(entry, "kind", "levels")
		if fields == nil {
			continue
		}
		r.Demand(entry, fields, "kind", "one of "+strings.Join(kinds, ", "))
		r.Demand(entry, fields, "levels", "numbers from 0 to 1, as in levels: [0, 0.3]")
		if !fields["kind"].Given() || !fields["levels"].Given() {
			continue
		}
		kind := gridfile.OneOf(r.Reader, fields["kind"], kinds...)
		for _, level := range r.Numbers(fields["levels"], gridfile.Fraction) {
			noise := dataset.Noise{Kind: kind, Level: level}
			if level == 0 {
				noise = dataset.Noise{}
			}
			switch {
			case !seen[noise]:
				list, places = append(list, noise), append(places, r.Place(fields["kind"]))
			case level != 0:
				r.Problem(fields["levels"], "level %g of %s is given twice", level, kind)
			}
			seen[noise] = true
		}
	}
	return list, places
}

// data uses the options unless an entry has its own.
func (r *sectionReader) data(n gridfile.Item, options dataset.Options) []DataSource {
	var sources []DataSource
	seen := map[string]bool{}
	for _, entry := range r.List(n) {
		source, ok := experiment.ReadSource(r.Reader, entry, options, true)
		if !ok {
			continue
		}
		key := string(gridfile.JSON(source))
		if seen[key] {
			r.Problem(entry, "the data set %s is given twice", cmp.Or(source.Name, source.Path))
		}
		seen[key] = true
		sources = append(sources, DataSource{Source: source, place: r.Place(entry)})
	}
	return sources
}

// selection derives the score for "best" from the protocol, which must be the same for all sweeps.
func (r *sectionReader) selection(n gridfile.Item, sweeps []Sweep) experiment.Select {
	if !n.Given() || gridfile.OneOf(r.Reader, n, "all", "best") != "best" || len(sweeps) == 0 {
		return experiment.SelectAll
	}
	byTest := 0
	for i := range sweeps {
		s := &sweeps[i]
		switch {
		case s.Settings.Protocol != dataset.HeldOut:
			byTest++
		case !s.Choice.scores(s.Settings.Split):
			r.ProblemAt(s.place, "select: best goes by the validation part, and split.validation is 0; a fraction > 0 is allowed, or choose.folds, or protocol: %s, where it goes by the test part", dataset.Paper)
		}
	}
	switch byTest {
	case 0:
		return experiment.SelectValidation
	case len(sweeps):
		return experiment.SelectTest
	}
	r.Problem(n, "best goes by the test part under protocol: %s and by the validation part else; all sweeps have to have the same protocol, or the grid becomes two", dataset.Paper)
	return experiment.SelectAll
}
