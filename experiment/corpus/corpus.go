// Package corpus has labelled texts as words of a vocabulary: made up by the laws of the
// simulations of Gao and Dai, or read from folders, zip and CSV files of texts in English
// or Spanish.
package corpus

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// What is wrong with texts. Errors wrap one of these with where it is.
var (
	ErrEncoding   = errors.New("not UTF-8")
	ErrClasses    = errors.New("texts of at least two classes are needed")
	ErrVocabulary = errors.New("no word occurs often enough")
	ErrFormat     = errors.New("not a file of texts")
)

// Corpus is labelled texts of the same number of words.
type Corpus struct {
	// Words are the vocabulary; word 0 of texts that were read is the padding.
	Words   []string
	Classes []string
	Length  int
	Texts   []int32 // n x Length, indices of Words
	Labels  []int
	// Empty is the number of texts that have no word but padding.
	Empty int
}

// Text is the words of a text.
func (c *Corpus) Text(i int) []int32 { return c.Texts[i*c.Length:][:c.Length:c.Length] }

// Len is the number of texts.
func (c *Corpus) Len() int { return len(c.Labels) }

// Select returns some texts, with the vocabulary of all.
func (c *Corpus) Select(index []int) *Corpus {
	part := &Corpus{Words: c.Words, Classes: c.Classes, Length: c.Length}
	for _, i := range index {
		part.Texts = append(part.Texts, c.Text(i)...)
		part.Labels = append(part.Labels, c.Labels[i])
	}
	return part
}

// Split draws a training part of the given share of the texts, 0 < share < 1, rounded
// down, and returns it and the rest.
func (c *Corpus) Split(share float64, r *rand.Rand) (train, test *Corpus, err error) {
	count := int(share * float64(c.Len()))
	if !(share > 0 && share < 1) || count < 1 || count == c.Len() {
		return nil, nil, fmt.Errorf("a share of %v for training leaves no text on one side, of %d", share, c.Len())
	}
	order := r.Perm(c.Len())
	return c.Select(order[:count]), c.Select(order[count:]), nil
}

// Frequencies returns how often each word occurs in the texts of each class: classes x
// words.
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
