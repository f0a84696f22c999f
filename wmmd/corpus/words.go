package corpus

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/spanish"
)

// Language reduces words of a language.
type Language struct {
	Name string
	stop func(word string) bool
	stem func(word string) string
}

// Languages are English and Spanish, with Snowball's stems and stop words. Spanish texts are
// tweets: "rt", "http" and "com" are also stop words.
func Languages() []Language {
	return []Language{
		{"english", english.IsStopWord, func(w string) string { return english.Stem(w, true) }},
		{"spanish", func(w string) bool {
			return spanish.IsStopWord(w) || slices.Contains([]string{"rt", "http", "com"}, w)
		}, func(w string) string { return spanish.Stem(w, true) }},
	}
}

var addresses = regexp.MustCompile(`(?:https?://|www\.)\S+|\S+@\S+\.\S+`)

// Tokens returns a text's stemmed lower-case words without addresses, numbers, punctuation and stop
// words.
func (l Language) Tokens(text string) []string {
	text = addresses.ReplaceAllString(strings.ToLower(text), " ")
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	tokens := words[:0]
	for _, w := range words {
		if !l.stop(w) {
			if w = l.stem(w); w != "" {
				tokens = append(tokens, w)
			}
		}
	}
	return tokens
}

// Options say how texts become words.
type Options struct {
	Language    string
	Occurrences int // minimum for a word of the vocabulary
	Length      int // words per text, cut or padded
}

const padding = "<pad>"

type labelled struct{ text, class string }

// encode sorts the vocabulary of all texts by decreasing occurrences, then alphabetically.
func encode(texts []labelled, o Options) (*Corpus, error) {
	languages := Languages()
	i := slices.IndexFunc(languages, func(l Language) bool { return l.Name == o.Language })
	if i < 0 || o.Length < 1 {
		return nil, fmt.Errorf("language %q with %d words a text: known are english and spanish, and at least one word", o.Language, o.Length)
	}
	c := &Corpus{Length: o.Length, Words: []string{padding}}
	tokens := make([][]string, len(texts))
	occurrences := map[string]int{}
	for k, t := range texts {
		tokens[k] = languages[i].Tokens(t.text)
		for _, w := range tokens[k] {
			occurrences[w]++
		}
		if !slices.Contains(c.Classes, t.class) {
			c.Classes = append(c.Classes, t.class)
		}
	}
	slices.Sort(c.Classes)
	if len(c.Classes) < 2 {
		return nil, fmt.Errorf("%d texts of the classes %q: %w", len(texts), c.Classes, ErrClasses)
	}
	for w, n := range occurrences {
		if n >= o.Occurrences {
			c.Words = append(c.Words, w)
		}
	}
	if len(c.Words) == 1 {
		return nil, fmt.Errorf("%d words, none %d times: %w", len(occurrences), o.Occurrences, ErrVocabulary)
	}
	slices.SortFunc(c.Words[1:], func(a, b string) int {
		return cmp.Or(occurrences[b]-occurrences[a], strings.Compare(a, b))
	})
	index := map[string]int32{}
	for k, w := range c.Words {
		index[w] = int32(k)
	}
	for k, t := range texts {
		c.add(tokens[k], index)
		c.Labels = append(c.Labels, slices.Index(c.Classes, t.class))
	}
	return c, nil
}

func (c *Corpus) add(tokens []string, index map[string]int32) {
	start := len(c.Texts)
	c.Texts = append(c.Texts, make([]int32, c.Length)...)
	text, n := c.Texts[start:], 0
	for _, w := range tokens {
		if k, known := index[w]; known && n < c.Length {
			text[n] = k
			n++
		}
	}
	if n == 0 {
		c.Empty++
	}
}
