package embedding

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/wmmd/classifier"
	"github.com/agepath/agepath/wmmd/corpus"
)

// Section is a grid's section: all combinations of its entries.
type Section struct {
	Data      []textSource
	Models    []string
	Penalties []penalty
	Training  []Training

	place gridfile.Place
}

type textSource struct {
	name, path string // path of the user's file
	data       Data
	place      gridfile.Place
}

type penalty struct {
	Penalty

	everyWord bool // the grid gives the words to leave out
	place     gridfile.Place
}

func (s *Section) Selection() experiment.Select { return experiment.SelectAll }

type reader struct{ *gridfile.Reader }

func readSection(from *gridfile.Reader, root gridfile.Item, fields map[string]gridfile.Item) experiment.Section {
	r := &reader{from}
	s := &Section{place: r.Place(root)}
	r.Demand(root, fields, "data", "a list of texts, as in data: [sim1]")
	r.Demand(root, fields, "models", "a list of "+strings.Join(classifier.Models(), ", "))
	r.Demand(root, fields, "penalties", "a list of "+strings.Join(classifier.Penalties(), ", ")+", each with its weights")
	gridfile.Read(fields,
		gridfile.On("data", func(n gridfile.Item) {
			for _, element := range r.Many(n) {
				if d, ok := r.textSource(element); ok {
					s.Data = append(s.Data, d)
				}
			}
		}),
		gridfile.On("models", gridfile.Into(&s.Models, gridfile.Words(from, classifier.Models()...))),
		gridfile.On("penalties", func(n gridfile.Item) {
			for _, element := range r.Many(n) {
				p, ok := r.penalty(element)
				same := func(other penalty) bool { return p.words() == other.words() }
				if ok && slices.ContainsFunc(s.Penalties, same) {
					r.Problem(element, "%s is given twice", p.words())
				} else if ok {
					s.Penalties = append(s.Penalties, p)
				}
			}
		}))
	s.Training = r.training(fields["training"])
	return s
}

func sourceNames() []string {
	var names []string
	for _, s := range corpus.Simulations() {
		names = append(names, s.Name)
	}
	for _, k := range corpus.Catalog() {
		names = append(names, k.Name)
	}
	return names
}

type named string

func (n named) Declaration() (name string, settings []gridfile.SettingInfo) { return string(n), nil }

// readNamed is [gridfile.ReadNamed] for names without declarations.
func (r *reader) readNamed(n gridfile.Item, names []string) (name string, settings gridfile.Item, ok bool) {
	table := make([]named, len(names))
	for i := range names {
		table[i] = named(names[i])
	}
	of, settings, ok := gridfile.ReadNamed(r.Reader, n, table)
	return string(of), settings, ok
}

// textSource reads a name, {sim1: {texts: 100}}, or {path: ...}.
func (r *reader) textSource(n gridfile.Item) (textSource, bool) {
	if n.Kind == yaml.MappingNode && r.Entry(n, "path").Given() {
		return r.own(n)
	}
	name, settings, ok := r.readNamed(n, sourceNames())
	if !ok {
		return textSource{}, false
	}
	d := textSource{name: name, place: r.Place(n)}
	list := corpus.Catalog()
	if i := slices.IndexFunc(list, func(k corpus.Known) bool { return k.Name == d.name }); i >= 0 {
		d.data.File = list[i].File
		if settings.Given() {
			r.Problem(settings, "%s has no settings", d.name)
		}
		return d, true
	}
	d.data.Simulation = d.name
	r.Keys(settings, gridfile.On("texts", gridfile.Into(&d.data.Texts, gridfile.Integer(r.Reader, minTexts, maxTexts))))
	return d, true
}

// Largest and smallest requests.
const (
	minTexts, maxTexts = 4, 1_000_000
	maxLength          = 10_000
	maxDim             = 1000
	maxEpochs          = 100_000
)

func (r *reader) own(n gridfile.Item) (textSource, bool) {
	before := r.Reports()
	d := textSource{place: r.Place(n), data: Data{File: corpus.File{Options: corpus.Options{Occurrences: 1, Length: 32}}}}
	fields := r.Fields(n, "path", "name", "language", "occurrences", "length", "text", "class")
	var languages []string
	for _, l := range corpus.Languages() {
		languages = append(languages, l.Name)
	}
	r.Demand(n, fields, "language", "one of "+strings.Join(languages, ", "))
	if fields["text"].Given() != fields["class"].Given() {
		r.Problem(n, "of the keys text and class one is missing: they are the columns of a CSV file; a zip of folders has neither")
	}
	gridfile.Read(fields,
		gridfile.On("path", gridfile.Into(&d.path, r.Text)),
		gridfile.On("name", gridfile.Into(&d.name, r.Text)),
		gridfile.On("language", gridfile.Into(&d.data.Language, gridfile.Word(r.Reader, languages...))),
		gridfile.On("occurrences", gridfile.Into(&d.data.Occurrences, gridfile.Integer(r.Reader, 1, maxTexts))),
		gridfile.On("length", gridfile.Into(&d.data.Length, gridfile.Integer(r.Reader, 1, maxLength))),
		gridfile.On("text", gridfile.Into(&d.data.Text, r.Text)),
		gridfile.On("class", gridfile.Into(&d.data.Class, r.Text)))
	base := filepath.Base(d.path)
	d.name = cmp.Or(d.name, strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), filepath.Ext(strings.TrimSuffix(base, ".gz"))))
	return d, r.Reports() == before
}

// standardWeights are the default weights: the published ones, and 1.
var standardWeights = map[string]float64{
	classifier.L1: 1, classifier.GroupLasso: 1, classifier.Dropout: 0.5,
	classifier.WMMD: 1000, classifier.SWMMD: 1000, classifier.BiWMMD: 10,
}

// penalty reads a name, or {wmmd: {weight: [100, 1000]}}.
func (r *reader) penalty(n gridfile.Item) (penalty, bool) {
	kind, settings, ok := r.readNamed(n, classifier.Penalties())
	if !ok {
		return penalty{}, false
	}
	before := r.Reports()
	p := penalty{Penalty: Penalty{Kind: kind}, place: r.Place(n)}
	if !classifier.Weighted(p.Kind) {
		if settings.Given() {
			r.Problem(settings, "%s has no settings", p.Kind)
		}
		return p, r.Reports() == before
	}
	p.Weights = []float64{standardWeights[p.Kind]}
	allowed := gridfile.AtLeastZero
	if p.Kind == classifier.Dropout {
		allowed = gridfile.ProperShare
	}
	keys := []gridfile.Key{gridfile.On("weight", func(n gridfile.Item) { p.Weights = r.Numbers(n, allowed) })}
	if p.Kind == classifier.SWMMD {
		keys = append(keys, gridfile.On("without", func(n gridfile.Item) {
			p.everyWord = true
			for _, w := range r.Numbers(n, gridfile.Whole(0, math.MaxInt32)) {
				p.Without = append(p.Without, int32(w))
			}
			slices.Sort(p.Without)
		}))
	}
	r.Keys(settings, keys...)
	return p, r.Reports() == before
}

func (p penalty) words() string { return strings.Join([]string{p.Kind, p.params(true)}, " ") }

// params returns a penalty's settings as a JSON object, "" for none.
func (p Penalty) params(without bool) string {
	if len(p.Weights) == 0 {
		return ""
	}
	weights := fmt.Sprintf(`"weight":%s`, gridfile.JSON(p.Weights[0]))
	if len(p.Weights) > 1 {
		weights = fmt.Sprintf(`"weight":%q`, "of "+strings.Trim(string(gridfile.JSON(p.Weights)), "[]"))
	}
	if !without || len(p.Without) == 0 {
		return "{" + weights + "}"
	}
	return fmt.Sprintf(`{%s,"without":%q}`, weights, strings.Trim(string(gridfile.JSON(p.Without)), "[]"))
}

// training reads all combinations of the lists.
func (r *reader) training(n gridfile.Item) (list []Training) {
	d := classifier.Defaults()
	lists := [][]float64{{float64(d.Dim)}, {float64(d.Epochs)}, {float64(d.Batch)}, {d.Rate}, {0.5}, {32}}
	numbers := func(k int, rule gridfile.Rule) func(n gridfile.Item) {
		return func(n gridfile.Item) { lists[k] = r.Numbers(n, rule) }
	}
	bits := gridfile.Rule{Allows: func(x float64) bool { return x == 32 || x == 64 }, Want: "32 or 64"}
	r.Keys(n,
		gridfile.On("dim", numbers(0, gridfile.Whole(1, maxDim))),
		gridfile.On("epochs", numbers(1, gridfile.Whole(1, maxEpochs))),
		gridfile.On("batch", numbers(2, gridfile.Whole(1, maxTexts))),
		gridfile.On("rate", numbers(3, gridfile.Positive)),
		gridfile.On("train", numbers(4, gridfile.Level)),
		gridfile.On("precision", numbers(5, bits)))
	for _, v := range r.Combinations(n, "dim, epochs, batch, rate, train and precision", lists...) {
		list = append(list, Training{Dim: int(v[0]), Epochs: int(v[1]), Batch: int(v[2]), Rate: v[3], Train: v[4], Precision: int(v[5])})
	}
	return list
}
