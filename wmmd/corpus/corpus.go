// Package corpus has labeled texts as words of a vocabulary: drawn from the simulations of Gao and
// Dai, or read from folders, zip and CSV files of texts in English or Spanish.
package corpus

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// Errors of texts, wrapped with their place.
var (
	ErrEncoding   = errors.New("not UTF-8")
	ErrClasses    = errors.New("texts of at least two classes are needed")
	ErrVocabulary = errors.New("no word occurs often enough")
	ErrFormat     = errors.New("not a file of texts")
)

// Corpus is labeled texts of equal length.
type Corpus struct {
	// Words are the vocabulary; if texts were read, word 0 is padding.
	Words   []string
	Classes []string
	Length  int
	Texts   []int32 // Len × Length, indices of Words
	Labels  []int
	// Empty counts texts of padding only.
	Empty int
}

func (c *Corpus) Text(i int) []int32 { return c.Texts[i*c.Length:][:c.Length:c.Length] }

func (c *Corpus) Len() int { return len(c.Labels) }

// Select returns some texts with the whole vocabulary.
func (c *Corpus) Select(index []int) *Corpus {
	part := &Corpus{Words: c.Words, Classes: c.Classes, Length: c.Length}
	for _, i := range index {
		part.Texts = append(part.Texts, c.Text(i)...)
		part.Labels = append(part.Labels, c.Labels[i])
	}
	return part
}

// Split draws a share of the texts for training, 0 < share < 1, rounded down.
func (c *Corpus) Split(share float64, r *rand.Rand) (train, test *Corpus, err error) {
	count := int(share * float64(c.Len()))
	if !(share > 0 && share < 1) || count < 1 || count == c.Len() {
		return nil, nil, fmt.Errorf("a share of %v for training leaves no text on one side, of %d", share, c.Len())
	}
	order := r.Perm(c.Len())
	return c.Select(order[:count]), c.Select(order[count:]), nil
}

// Frequencies counts each word in the texts of each class: Classes × Words.
func (c *Corpus) Frequencies() [][]float64 {
	counts := make([][]float64, len(c.Classes))
	for k := range counts {
		counts[k] = make([]float64, len(c.Words))
	}
	for i, label := range c.Labels {
		for _, word := range c.Text(i) {
			counts[label][word]++
		}
	}
	return counts
}
