package embedding

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/wmmd/classifier"
	"github.com/agepath/agepath/wmmd/corpus"
)

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

	File        string `json:"file,omitempty"` // digest
	Language    string `json:"language,omitempty"`
	Occurrences int    `json:"occurrences,omitempty"`
	Length      int    `json:"length,omitempty"`
	Text        string `json:"text,omitempty"` // column of CSV
	Class       string `json:"class,omitempty"`
}

func (d Data) options() corpus.File {
	return corpus.File{
		Options: corpus.Options{Language: d.Language, Occurrences: d.Occurrences, Length: d.Length},
		Text:    d.Text, Class: d.Class,
	}
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
	if c.Data.File != "" {
		task.Files = []string{c.Data.File}
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
	content, err := data.File(ctx, d.File)
	if err != nil {
		return nil, fmt.Errorf("texts of the cell: %w", err)
	}
	c, err := corpus.Read(content, d.options())
	if err != nil {
		return nil, &experiment.DataError{Err: err}
	}
	r.of, r.last = d, c
	return c, nil
}

func learnable(c *corpus.Corpus) *classifier.Texts {
	return &classifier.Texts{
		Words: c.Texts, Labels: c.Labels, Length: c.Length, Vocabulary: len(c.Words), Classes: len(c.Classes),
	}
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
