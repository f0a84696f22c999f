package embedding

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
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
		sum := sha256.Sum256(gridfile.JSON(d.data))
		of.digest = hex.EncodeToString(sum[:])
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
	c, err := corpus.Read(content, d.data.options())
	if err != nil {
		return nil, fmt.Errorf("texts %s: %w", d.name, err)
	}
	of := &planned{data: d.data, digest: digest, texts: c.Len(), length: c.Length, words: len(c.Words), padded: true}
	of.data.File = digest
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
		if sum := sha256.Sum256(content); err == nil && hex.EncodeToString(sum[:]) != known.SHA256 {
			err = fmt.Errorf("%s has SHA-256 %x, expected %s: it was changed, or is another version", path, sum, known.SHA256)
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
