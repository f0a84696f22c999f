// Package corpus has labeled texts as words of a vocabulary: drawn from the simulations of Gao and
// Dai, or read from folders, zip and CSV files of texts in English or Spanish.
package corpus

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/spanish"
)

const maxBytes = 1 << 30

var errTooLarge = fmt.Errorf("more than %d MiB of texts: %w", maxBytes>>20, ErrFormat)

// ReadFolders reads the files *.txt of a file system; a file's folder is its class. Hidden files
// and files without folder are skipped.
func ReadFolders(files fs.FS, o Options) (*Corpus, error) {
	var texts []labelled
	left := int64(maxBytes)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		hidden := name != "." && strings.HasPrefix(path.Base(name), ".")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (hidden || path.Base(name) == "__MACOSX"):
			return fs.SkipDir
		case entry.IsDir() || hidden || !strings.HasSuffix(name, ".txt") || path.Dir(name) == ".":
			return nil
		}
		content, err := readUpTo(files, name, left)
		if err != nil {
			return err
		}
		left -= int64(len(content))
		if !utf8.Valid(content) {
			return fmt.Errorf("%s: %w", name, ErrEncoding)
		}
		texts = append(texts, labelled{string(content), path.Base(path.Dir(name))})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return encode(texts, o)
}

func readUpTo(files fs.FS, name string, most int64) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(&limited{f, most})
	return content, errors.Join(err, f.Close())
}

// limited fails when more than left bytes were read.
type limited struct {
	io.Reader

	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// ReadCSV reads a table with a header; text and class name its columns.
func ReadCSV(r io.Reader, text, class string, o Options) (*Corpus, error) {
	rows := csv.NewReader(&limited{r, maxBytes})
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w: %w", ErrFormat, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	columns := [2]int{slices.Index(header, text), slices.Index(header, class)}
	if columns[0] < 0 || columns[1] < 0 {
		return nil, fmt.Errorf("columns %q and %q are not among %q: %w", text, class, header, ErrFormat)
	}
	var texts []labelled
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return encode(texts, o)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		t := labelled{row[columns[0]], row[columns[1]]}
		if line, _ := rows.FieldPos(columns[0]); !utf8.ValidString(t.text) || !utf8.ValidString(t.class) {
			return nil, fmt.Errorf("line %d: %w", line, ErrEncoding)
		}
		texts = append(texts, t)
	}
}

// File describes a file of texts: a zip of folders or a CSV table, which may be gzipped.
type File struct {
	Options
	// Text and Class are columns of a CSV table, "" for a zip.
	Text  string `json:"text,omitempty"`
	Class string `json:"class,omitempty"`
}

// Read reads the content of a file.
func Read(content []byte, f File) (*Corpus, error) {
	if f.Text == "" {
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		return ReadFolders(archive, f.Options)
	}
	var r io.Reader = bytes.NewReader(content)
	if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		r = unpacked
	}
	return ReadCSV(r, f.Text, f.Class, f.Options)
}

// Known is a corpus among the data sets.
type Known struct {
	Name, Path, SHA256 string
	File
}

// Catalog lists the corpora of Gao and Dai's experiments, with paths below a folder of data sets.
func Catalog() []Known {
	return []Known{
		{
			"bbc-news", "bbc-news/bbc-fulltext.zip",
			"53f0c14147bf7bafc3a319a7e0f4aba9ecaafc5d1e6f11dc536a4a83f46744fc",
			File{Options: Options{Language: "english", Occurrences: 10, Length: 512}},
		},
		{
			"ce-t1", "ce-t1/ce-t1.csv.gz",
			"67f1dc7d5dcf4c93c5354da9b16ea186be765d1c170211d5df8a1f26cf624502",
			File{Options: Options{Language: "spanish", Occurrences: 5, Length: 32}, Text: "texto", Class: "value"},
		},
	}
}

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
	Language    string `json:"language,omitempty"`
	Occurrences int    `json:"occurrences,omitempty"` // minimum for a word of the vocabulary
	Length      int    `json:"length,omitempty"`      // words per text, cut or padded
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
