package embedding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/wmmd/classifier"
	"github.com/agepath/agepath/wmmd/corpus"
)

func (s *Section) Plan(ctx context.Context, p *experiment.Planner) ([]experiment.Group, error) {
	most := len(s.Data) * len(s.Models) * len(s.Penalties) * len(s.Training)
	if most > gridfile.MaxCombinations {
		p.Problem(s.place, "more than %d combinations of entries of data, models, penalties and training", gridfile.MaxCombinations)
		return nil, nil
	}
	var groups []experiment.Group
	for i := range s.Data {
		d := &s.Data[i]
		planned, err := d.plan(ctx, p)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("planning the grid %s: %w", p.Grid.Name, ctx.Err())
		}
		if err != nil {
			p.Problem(d.place, "%v", err)
			continue
		}
		if slices.ContainsFunc(s.Data[:i], func(other textSource) bool { return other.name == d.name }) {
			p.Problem(d.place, "other texts of the grid have the name %s too; give one of them another name", d.name)
			continue
		}
		p.Data(d.place, &experiment.PlannedData{
			Name: d.name, Digest: planned.digest, Task: dataset.Classification, N: planned.texts, D: planned.length,
		}, nil)
		for _, model := range s.Models {
			for k := range s.Penalties {
				own, err := s.Penalties[k].of(planned)
				if err != nil {
					p.Problem(s.Penalties[k].place, "%v", err)
					continue
				}
				for _, training := range s.Training {
					if count := int(training.Train * float64(planned.texts)); count < folds || count == planned.texts {
						p.Problem(d.place, "a share of %v of its %d texts leaves fewer than %d for training, or none for testing", training.Train, planned.texts, folds)
						continue
					}
					c := plannedCell{name: d.name, data: planned, without: s.Penalties[k].everyWord, Cell: Cell{
						Kind: Name, Version: version, Data: planned.data, Model: model, Penalty: own, Training: training,
					}}
					groups = append(groups, c.group(len(s.Training) > 1))
				}
			}
		}
	}
	return groups, nil
}

type planned struct {
	data                 Data
	digest               string
	texts, length, words int
	padded               bool // word 0
	noise                []int32
}

// plan reads a file's texts once, so that errors show before the first cell.
func (d *textSource) plan(ctx context.Context, p *experiment.Planner) (*planned, error) {
	if s, ok := corpus.LookUp(d.data.Simulation); ok {
		of := &planned{data: d.data, texts: cmp.Or(d.data.Texts, s.Texts), length: s.Length, words: s.Words()}
		for w := s.Informative; w < s.Words(); w++ {
			of.noise = append(of.noise, int32(w))
		}
		of.digest = outside.Digest(gridfile.JSON(d.data))
		return of, nil
	}
	name := "texts/" + d.name
	digest, err := p.File(ctx, name, func(context.Context) ([]byte, error) { return d.content(p) })
	if err != nil {
		return nil, err
	}
	content, err := p.Content(ctx, digest)
	if err != nil {
		return nil, err
	}
	c, err := corpus.Read(content, d.data.File)
	if err != nil {
		return nil, fmt.Errorf("texts %s: %w", d.name, err)
	}
	of := &planned{data: d.data, digest: digest, texts: c.Len(), length: c.Length, words: len(c.Words), padded: true}
	of.data.Digest = digest
	return of, nil
}

// content reads the user's file, whose path is relative to the grid's folder, or one of the catalog
// below a folder of data sets, whose digest must match.
func (d *textSource) content(p *experiment.Planner) ([]byte, error) {
	if d.path != "" {
		path := filepath.FromSlash(d.path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(p.Grid.File), path)
		}
		return os.ReadFile(path)
	}
	list := corpus.Catalog()
	known := list[slices.IndexFunc(list, func(k corpus.Known) bool { return k.Name == d.name })]
	folders := p.Folders()
	for _, folder := range folders {
		path := filepath.Join(folder, filepath.FromSlash(known.Path))
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if sum := outside.Digest(content); err == nil && sum != known.SHA256 {
			err = fmt.Errorf("%s has SHA-256 %s, expected %s: it was changed, or is another version", path, sum, known.SHA256)
		}
		return content, err
	}
	return nil, fmt.Errorf("texts %s: %s is in none of the folders %q; --datasets DIR names one that has it", d.name, known.Path, folders)
}

// of adds the default words to leave out: a simulation's noise, or the padding.
func (p penalty) of(d *planned) (Penalty, error) {
	own := p.Penalty
	if own.Kind != classifier.SWMMD {
		return own, nil
	}
	if !p.everyWord {
		own.Without = d.noise
		if d.padded {
			own.Without = []int32{0}
		}
	}
	for _, w := range own.Without {
		if int(w) >= d.words {
			return own, fmt.Errorf("word %d is to be left out of a vocabulary of %d", w, d.words)
		}
	}
	return own, nil
}

type plannedCell struct {
	Cell
	name    string
	data    *planned
	without bool // the grid gives the words to leave out
	repeat  int
}

// group names the training if the grid has several.
func (c plannedCell) group(several bool) experiment.Group {
	training := ""
	if t := c.Training; several {
		training = fmt.Sprintf("embedding of %d, %d epochs, batches of %d, rate %g, share %g, %d bits", t.Dim, t.Epochs, t.Batch, t.Rate, t.Train, t.Precision)
	}
	return &experiment.Single{
		Dataset: c.name, Method: c.Penalty.Kind, Values: []string{c.name, c.Model, c.Penalty.Kind, training},
		Required: []experiment.Need{need}, Estimate: c.seconds(),
		Cell: func(repeat int, seed int64) experiment.Cell {
			own := c
			own.repeat, own.Seed = repeat, seed
			return &own
		},
	}
}

// seconds estimates the time of a cell: per text, epoch and word, and for wMMD by the pairs of
// distinct words of a batch.
func (c *plannedCell) seconds() float64 {
	t := &c.Training
	texts := t.Train * float64(c.data.texts)
	words := texts * float64(c.data.length) * float64(t.Epochs)
	perWord := map[string]float64{
		classifier.Logistic: 5e-8, classifier.MLP: 1e-7, classifier.CNN: 1e-6, classifier.GRU: 5e-6, classifier.BiLSTM: 1e-5,
	}[c.Model]
	seconds := 0.001 + words*perWord*float64(t.Precision)/32
	switch c.Penalty.Kind {
	case classifier.WMMD, classifier.SWMMD, classifier.BiWMMD:
		distinct := min(float64(t.Batch*c.data.length), float64(c.data.words))
		seconds += texts / float64(t.Batch) * float64(t.Epochs) * distinct * distinct * 1.2e-8
	}
	if n := len(c.Penalty.Weights); n > 1 {
		seconds *= 1 + float64(n*folds)*0.8
	}
	return seconds
}

func (c *plannedCell) Label(labels *experiment.Batch) error { return labelFields.Append(labels, c) }

func (c *plannedCell) train() int { return int(c.Training.Train * float64(c.data.texts)) }

// version changes with the numbers, and thereby the cells' identities.
const version = 3

var need = experiment.Need{Name: "embedding: training", Version: version}

// Cell is a cell; its JSON is the canonical form.
type Cell struct {
	Kind     string   `json:"kind"`
	Version  int      `json:"version"`
	Data     Data     `json:"data"`
	Model    string   `json:"model"`
	Penalty  Penalty  `json:"penalty"`
	Training Training `json:"training"`
	Seed     int64    `json:"seed"`
}

// Data describes texts of a simulation or a file.
type Data struct {
	Simulation string `json:"simulation,omitempty"`
	Texts      int    `json:"texts,omitempty"` // simulated; 0 for the published number

	Digest string `json:"file,omitempty"`
	corpus.File
}

// Penalty has one weight, or several of which cross-validation chooses one.
type Penalty struct {
	Kind    string    `json:"kind"`
	Weights []float64 `json:"weights,omitempty"`
	Without []int32   `json:"without,omitempty"`
}

// Training says how a classifier is trained.
type Training struct {
	Dim       int     `json:"dim"`
	Epochs    int     `json:"epochs"`
	Batch     int     `json:"batch"`
	Rate      float64 `json:"rate"`
	Train     float64 `json:"train"` // share of the texts
	Precision int     `json:"precision"`
}

func decode(text []byte) (*Cell, error) {
	return experiment.DecodeCell(text, func(c *Cell) error { return experiment.CheckVersion(c.Kind, Name, c.Version, need) })
}

func (c *Cell) Canonical() []byte { return gridfile.JSON(c) }

func (c *Cell) Require(task *experiment.Task) {
	task.Needs = []experiment.Need{need}
	if c.Data.Digest != "" {
		task.Files = []string{c.Data.Digest}
	}
}

func (c *Cell) stream(purpose string) *rand.Rand { return experiment.Stream(c.Seed, purpose) }

func (c *Cell) settings(weight float64) classifier.Settings {
	t := &c.Training
	return classifier.Settings{
		Model: c.Model, Dim: t.Dim, Epochs: t.Epochs, Batch: t.Batch, Rate: t.Rate,
		Penalty: classifier.Penalty{Kind: c.Penalty.Kind, Weight: weight, Without: c.Penalty.Without},
	}
}

type parts struct {
	all, train, test *corpus.Corpus
}

func (c *Cell) texts(ctx context.Context, data experiment.Data) (*parts, error) {
	p := &parts{}
	if s, ok := corpus.LookUp(c.Data.Simulation); ok {
		p.all = s.Draw(c.Data.Texts, c.stream("texts"))
	} else {
		var err error
		if p.all, err = lastRead.read(ctx, c.Data, data); err != nil {
			return nil, err
		}
	}
	var err error
	p.train, p.test, err = p.all.Split(c.Training.Train, c.stream("split"))
	if err != nil {
		return nil, &experiment.DataError{Err: err}
	}
	return p, nil
}

// reading caches the last corpus: cells of the same corpus follow each other.
type reading struct {
	mu   sync.Mutex
	of   Data
	last *corpus.Corpus
}

var lastRead reading

func (r *reading) read(ctx context.Context, d Data, data experiment.Data) (*corpus.Corpus, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && r.of == d {
		return r.last, nil
	}
	content, err := data.File(ctx, d.Digest)
	if err != nil {
		return nil, fmt.Errorf("texts of the cell: %w", err)
	}
	c, err := corpus.Read(content, d.File)
	if err != nil {
		return nil, &experiment.DataError{Err: err}
	}
	r.of, r.last = d, c
	return c, nil
}

func (p *parts) material() []experiment.MaterialPart {
	columns := []string{"class"}
	for i := range p.all.Length {
		columns = append(columns, "word_"+strconv.Itoa(i+1))
	}
	part := func(name string, c *corpus.Corpus) experiment.MaterialPart {
		return experiment.MaterialPart{Name: name, Columns: columns, Rows: rows(c)}
	}
	return []experiment.MaterialPart{part("train", p.train), part("test", p.test)}
}

func rows(c *corpus.Corpus) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for i, label := range c.Labels {
			row := []string{c.Classes[label]}
			for _, w := range c.Text(i) {
				row = append(row, c.Words[w])
			}
			if !yield(row) {
				return
			}
		}
	}
}
