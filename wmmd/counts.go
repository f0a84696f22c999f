package wmmd

import "fmt"

type entry struct {
	word  int32
	count float64
}

type class struct {
	texts  []int32   // texts with words
	sum    []float64 // count of each word
	words  float64   // total
	within float64   // pairs of words of one text, Σ_i d_i²
}

// pairs is the number of pairs of words of two different texts.
func (c *class) pairs() float64 { return c.words*c.words - c.within }

type counts struct {
	dim     int
	rows    [][2]int32 // the embedding's words that make up a distinct word
	texts   [][]entry
	classes []class

	entries []entry
	local   []int32         // of the embedding's words: index in rows, plus 1
	bigrams map[int64]int32 // the same for pairs of words
	place   []int32         // of rows: entry in the current text, plus 1
}

func (c *counts) count(s Sample, vocabulary int, without map[int32]bool, bigrams bool) {
	if len(s.Texts) != len(s.Labels) {
		panic(fmt.Sprintf("wmmd: %d labels for %d texts", len(s.Labels), len(s.Texts)))
	}
	c.start(s, vocabulary)
	for _, text := range s.Texts {
		start := len(c.entries)
		for j, word := range text {
			if word < 0 || int(word) >= vocabulary {
				panic(fmt.Sprintf("wmmd: word %d of an embedding of %d", word, vocabulary))
			}
			second := int32(-1)
			if bigrams {
				if j+1 == len(text) {
					break
				}
				second = text[j+1]
			}
			if without[word] || second >= 0 && without[second] {
				continue
			}
			c.add(word, second, start)
		}
		own := c.entries[start:len(c.entries):len(c.entries)]
		for _, e := range own {
			c.place[e.word] = 0
		}
		c.texts = append(c.texts, own)
	}
	for _, row := range c.rows {
		c.local[row[0]] = 0
	}
	c.sum(s.Labels)
}

func (c *counts) start(s Sample, vocabulary int) {
	c.rows, c.texts, c.entries, c.place = c.rows[:0], c.texts[:0], c.entries[:0], c.place[:0]
	if len(c.local) < vocabulary {
		c.local = make([]int32, vocabulary)
	}
	if c.bigrams == nil {
		c.bigrams = map[int64]int32{}
	}
	clear(c.bigrams)
	words := 0
	for _, text := range s.Texts {
		words += len(text)
	}
	if cap(c.entries) < words { // texts keep slices of it
		c.entries = make([]entry, 0, words)
	}
}

func (c *counts) add(word, second int32, start int) {
	index := c.local[word]
	key := int64(word)<<32 | int64(second)
	if second >= 0 {
		index = c.bigrams[key]
	}
	if index == 0 {
		c.rows = append(c.rows, [2]int32{word, second})
		c.place = append(c.place, 0)
		index = int32(len(c.rows))
		if second >= 0 {
			c.bigrams[key] = index
		} else {
			c.local[word] = index
		}
	}
	if c.place[index-1] == 0 {
		c.entries = append(c.entries, entry{word: index - 1})
		c.place[index-1] = int32(len(c.entries) - start)
	}
	c.entries[start+int(c.place[index-1])-1].count++
}

func (c *counts) sum(labels []int) {
	highest := -1
	for _, label := range labels {
		if label < 0 {
			panic(fmt.Sprintf("wmmd: label %d", label))
		}
		highest = max(highest, label)
	}
	for len(c.classes) <= highest {
		c.classes = append(c.classes, class{})
	}
	c.classes = c.classes[:highest+1]
	for i := range c.classes {
		k := &c.classes[i]
		k.texts, k.sum = k.texts[:0], resize(k.sum, len(c.rows))
		clear(k.sum)
		k.words, k.within = 0, 0
	}
	for i, text := range c.texts {
		if len(text) == 0 {
			continue
		}
		k := &c.classes[labels[i]]
		k.texts = append(k.texts, int32(i))
		length := 0.0
		for _, e := range text {
			k.sum[e.word] += e.count
			length += e.count
		}
		k.words += length
		k.within += length * length
	}
}
