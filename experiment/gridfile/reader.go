// Package gridfile reads grid files strictly. A [Reader] reports every problem with its line, what
// is allowed and what may be meant. It knows lists, ranges and settings, but no kind of experiment.
package gridfile

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/internal/spelling"
)

// Reader reads a grid file's tree strictly. Its methods report problems and return a zero value, so
// that one pass finds all problems.
type Reader struct {
	File     string
	origin   map[*yaml.Node]string
	problems Problems
	reported int // includes repeated problems
}

func (r *Reader) Err() error { return r.problems.Err() }

// Item is a node of the tree with its dotted path.
type Item struct {
	*yaml.Node
	key string
}

func (n Item) Given() bool { return n.Node != nil }

func (n Item) Child(name string, node *yaml.Node) Item {
	if n.key == "" {
		return Item{node, name}
	}
	return Item{node, n.key + "." + name}
}

func (r *Reader) Place(n Item) Place {
	p := Place{File: r.File, Key: n.key}
	if n.Node != nil {
		p.Line, p.Set = n.Line, r.origin[n.Node]
	}
	return p
}

func (r *Reader) Problem(n Item, format string, args ...any) {
	r.ProblemAt(r.Place(n), format, args...)
}

func (r *Reader) ProblemAt(p Place, format string, args ...any) {
	r.reported++
	r.problems.Add(p.Problem(format, args...))
}

// Reports counts problems, including repeated ones.
func (r *Reader) Reports() int { return r.reported }

// Describe names a node's value in messages.
func Describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return strconv.Quote(Clip(n.Value))
}

// Clip shortens a value for messages.
func Clip(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// Fields returns a map's entries by key, nil if n is not a map. Unknown and repeated keys are
// problems.
func (r *Reader) Fields(n Item, allowed ...string) map[string]Item {
	if n.Kind != yaml.MappingNode {
		r.Problem(n, "%s is not allowed; a map with the keys %s is", Describe(n.Node), strings.Join(allowed, ", "))
		return nil
	}
	fields := make(map[string]Item, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		at := n.Child(Clip(name.Value), name)
		switch first, twice := fields[name.Value]; {
		case name.Kind != yaml.ScalarNode || !slices.Contains(allowed, name.Value):
			r.Problem(at, "unknown key; %s", allowedWords(name.Value, allowed))
		case twice:
			r.Problem(at, "given twice, first on line %d", first.Line)
		case value.ShortTag() == "!!null":
			r.Problem(at, "has no value; leave the key out for its default")
		default:
			fields[name.Value] = Item{value, at.key}
		}
	}
	return fields
}

// Entry returns a key's value, not given if absent.
func (r *Reader) Entry(n Item, name string) (value Item) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			value = n.Child(name, n.Content[i+1])
		}
	}
	return value
}

// Key is a key of a map with its reader.
type Key struct {
	name string
	read func(n Item)
}

// On returns a key with its reader.
func On(name string, read func(n Item)) Key { return Key{name, read} }

// Keys reads an optional map by its table of keys and returns the entries, nil for other values.
func (r *Reader) Keys(n Item, table ...Key) map[string]Item {
	if !n.Given() {
		return nil
	}
	fields := r.Fields(n, lists.Map(table, func(k Key) string { return k.name })...)
	Read(fields, table...)
	return fields
}

// Read reads the given keys of the table.
func Read(fields map[string]Item, table ...Key) {
	for _, k := range table {
		if n := fields[k.name]; n.Given() {
			k.read(n)
		}
	}
}

// Into returns a reader that stores the value.
func Into[T any](place *T, read func(n Item) T) func(n Item) {
	return func(n Item) { *place = read(n) }
}

// List returns the elements of a list that is not empty.
func (r *Reader) List(n Item) []Item {
	if n.Kind != yaml.SequenceNode {
		r.Problem(n, "%s is not allowed; a list is, as in [a, b]", Describe(n.Node))
		return nil
	}
	if len(n.Content) == 0 {
		r.Problem(n, "the list is empty; at least one entry is needed")
	}
	items := make([]Item, len(n.Content))
	for i, node := range n.Content {
		items[i] = n.Child(strconv.Itoa(i), node)
	}
	return items
}

// Many returns a list's elements, or a single value.
func (r *Reader) Many(n Item) []Item {
	if n.Kind == yaml.SequenceNode {
		return r.List(n)
	}
	return []Item{n}
}

// Text reads a scalar as written, even if it looks like a number.
func (r *Reader) Text(n Item) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.Value == "" {
		r.Problem(n, "%s is not allowed; a text is", Describe(n.Node))
		return ""
	}
	return n.Value
}

// Texts reads one or several different texts.
func (r *Reader) Texts(n Item) []string { return Different(r, n, r.Text) }

// OneOf reads one of the allowed words.
func OneOf[T ~string](r *Reader, n Item, allowed ...T) T {
	if n.Kind == yaml.ScalarNode && slices.Contains(allowed, T(n.Value)) {
		return T(n.Value)
	}
	words := lists.Map(allowed, func(word T) string { return string(word) })
	r.Problem(n, "%s is not allowed; %s", Describe(n.Node), allowedWords(n.Value, words))
	return ""
}

func allowedWords(name string, allowed []string) string {
	return "allowed are " + strings.Join(allowed, ", ") + spelling.After(name, allowed)
}

// Word returns [OneOf] as a reader.
func Word[T ~string](r *Reader, allowed ...T) func(n Item) T {
	return func(n Item) T { return OneOf(r, n, allowed...) }
}

// Words returns a reader of one or several different words.
func Words[T ~string](r *Reader, allowed ...T) func(n Item) []T {
	return func(n Item) []T {
		return Different(r, n, func(n Item) T { return OneOf(r, n, allowed...) })
	}
}

// Different reads one or several different values.
func Different[T comparable](r *Reader, n Item, read func(n Item) T) []T {
	var list []T
	seen := map[T]bool{}
	for _, element := range r.Many(n) {
		before := r.reported
		value := read(element)
		switch {
		case r.reported > before:
		case seen[value]:
			r.Problem(element, "%s is given twice", Describe(element.Node))
		default:
			seen[value] = true
			list = append(list, value)
		}
	}
	return list
}

func (r *Reader) Boolean(n Item) bool {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		if value, err := strconv.ParseBool(n.Value); err == nil {
			return value
		}
	}
	r.Problem(n, "%s is not allowed; true and false are%s", Describe(n.Node), plainly(n))
	return false
}

// Integer returns a reader of integers from low to high.
func Integer[T int | int64](r *Reader, low, high T) func(n Item) T {
	return func(n Item) T {
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" {
			value, err := strconv.ParseInt(n.Value, 10, 64)
			if err == nil && value >= int64(low) && value <= int64(high) {
				return T(value)
			}
		}
		if int64(low) == math.MinInt64 {
			r.Problem(n, "%s is not allowed; a whole number of 64 bits is%s", Describe(n.Node), plainly(n))
		} else {
			r.Problem(n, "%s is not allowed; a whole number from %d to %d is%s", Describe(n.Node), low, high, plainly(n))
		}
		return 0
	}
}

// Demand reports a missing key.
func (r *Reader) Demand(at Item, fields map[string]Item, name, want string) {
	if !fields[name].Given() {
		r.Problem(at, "the key %s is missing: %s", name, want)
	}
}

// Variants reads an optional map or several, each to its combinations of values, which must differ.
func Variants[T comparable](r *Reader, n Item, read func(n Item) []T) []T {
	if !n.Given() {
		return read(n)
	}
	var list []T
	seen := map[T]bool{}
	for _, element := range r.Many(n) {
		before := r.reported
		for _, value := range read(element) {
			if seen[value] && r.reported == before {
				r.Problem(element, "a combination of its values is given twice")
			}
			seen[value] = true
			list = append(list, value)
		}
	}
	return list
}

// MaxCombinations bounds the combinations of a grid's entries.
const MaxCombinations = 10_000

// Combinations returns all combinations of the lists' values, the last list varying fastest, or
// reports that there are more than [MaxCombinations].
func (r *Reader) Combinations(n Item, what string, lists ...[]float64) [][]float64 {
	many := 1.0
	for _, list := range lists {
		many *= float64(len(list))
	}
	if many > MaxCombinations {
		r.Problem(n, "more than %d combinations of %s", MaxCombinations, what)
		return nil
	}
	all := [][]float64{nil}
	for _, list := range lists {
		var longer [][]float64
		for _, values := range all {
			for _, x := range list {
				longer = append(longer, append(slices.Clip(values), x))
			}
		}
		all = longer
	}
	return all
}
