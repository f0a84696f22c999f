package experiment

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/internal/spelling"
)

// reader reads a grid file's tree strictly. Its methods report what is wrong
// and return a zero value, so that one reading finds all problems.
type reader struct {
	file     string
	origin   map[*yaml.Node]string // the override a node comes from
	problems Problems
	reported int               // problems, those that were known included
	commands map[string]string // methods from outside by name
}

// item is a node of the tree with its dotted path.
type item struct {
	*yaml.Node
	key string
}

// given reports whether the file holds the item.
func (n item) given() bool { return n.Node != nil }

// child returns a part of the item.
func (n item) child(name string, node *yaml.Node) item {
	if n.key == "" {
		return item{node, name}
	}
	return item{node, n.key + "." + name}
}

func (r *reader) place(n item) place {
	p := place{file: r.file, key: n.key}
	if n.Node != nil {
		p.line, p.set = n.Line, r.origin[n.Node]
	}
	return p
}

func (r *reader) problem(n item, format string, args ...any) {
	r.reported++
	r.problems.add(r.place(n).problem(format, args...))
}

// describe names what a node is for messages.
func describe(n *yaml.Node) string {
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
	return strconv.Quote(clip(n.Value))
}

// clip shortens a value for messages.
func clip(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// fields returns the entries of a map by key; a key that is not allowed or
// given twice is a problem. The result is nil when n is no map.
func (r *reader) fields(n item, allowed ...string) map[string]item {
	if n.Kind != yaml.MappingNode {
		r.problem(n, "%s is not allowed; a map with the keys %s is", describe(n.Node), strings.Join(allowed, ", "))
		return nil
	}
	fields := make(map[string]item, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		at := n.child(clip(name.Value), name)
		switch first, twice := fields[name.Value]; {
		case name.Kind != yaml.ScalarNode || !slices.Contains(allowed, name.Value):
			r.problem(at, "unknown key; %s", allowedWords(name.Value, allowed))
		case twice:
			r.problem(at, "given twice, first on line %d", first.Line)
		case value.ShortTag() == "!!null":
			r.problem(at, "has no value; leave the key out for its default")
		default:
			fields[name.Value] = item{value, at.key}
		}
	}
	return fields
}

// key is a key of a map with what reads its value.
type key struct {
	name string
	read func(n item)
}

// keys reads a map, which may be left out, by the table of its keys.
func (r *reader) keys(n item, table ...key) {
	if !n.given() {
		return
	}
	names := make([]string, len(table))
	for i, k := range table {
		names[i] = k.name
	}
	read(r.fields(n, names...), table...)
}

// read reads those keys of the table that are given.
func read(fields map[string]item, table ...key) {
	for _, k := range table {
		if n := fields[k.name]; n.given() {
			k.read(n)
		}
	}
}

// into returns a key's reader that keeps what read returns.
func into[T any](place *T, read func(n item) T) func(n item) {
	return func(n item) { *place = read(n) }
}

// list returns the elements of a list that is not empty.
func (r *reader) list(n item) []item {
	if n.Kind != yaml.SequenceNode {
		r.problem(n, "%s is not allowed; a list is, as in [a, b]", describe(n.Node))
		return nil
	}
	if len(n.Content) == 0 {
		r.problem(n, "the list is empty; at least one entry is needed")
	}
	items := make([]item, len(n.Content))
	for i, node := range n.Content {
		items[i] = n.child(strconv.Itoa(i), node)
	}
	return items
}

// many returns the elements of a list, or n itself when it is one value.
func (r *reader) many(n item) []item {
	if n.Kind == yaml.SequenceNode {
		return r.list(n)
	}
	return []item{n}
}

// text reads a scalar as it is written, also when it looks like a number.
func (r *reader) text(n item) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.Value == "" {
		r.problem(n, "%s is not allowed; a text is", describe(n.Node))
		return ""
	}
	return n.Value
}

// texts reads a text or a list of different texts.
func (r *reader) texts(n item) []string {
	var list []string
	seen := map[string]bool{"": true} // "" has its problem already
	for _, element := range r.many(n) {
		text := r.text(element)
		if text != "" && seen[text] {
			r.problem(element, "%q is given twice", clip(text))
		}
		if !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	return list
}

// oneOf reads one of the allowed words.
func oneOf[T ~string](r *reader, n item, allowed ...T) T {
	if n.Kind == yaml.ScalarNode && slices.Contains(allowed, T(n.Value)) {
		return T(n.Value)
	}
	words := make([]string, len(allowed))
	for i, word := range allowed {
		words[i] = string(word)
	}
	r.problem(n, "%s is not allowed; %s", describe(n.Node), allowedWords(n.Value, words))
	return ""
}

// allowedWords says which keys or names are allowed in place of one that is not, and
// which of them may be meant.
func allowedWords(name string, allowed []string) string {
	return "allowed are " + strings.Join(allowed, ", ") + spelling.After(name, allowed)
}

// word is oneOf as a reader for into.
func word[T ~string](r *reader, allowed ...T) func(n item) T {
	return func(n item) T { return oneOf(r, n, allowed...) }
}

// words returns a reader of one of the allowed words or a list of different ones.
func words[T ~string](r *reader, allowed ...T) func(n item) []T {
	return func(n item) []T {
		return different(r, n, func(n item) T { return oneOf(r, n, allowed...) })
	}
}

// different reads a value or a list of values that differ.
func different[T comparable](r *reader, n item, read func(n item) T) []T {
	var list []T
	for _, element := range r.many(n) {
		before := r.reported
		value := read(element)
		if r.reported == before && slices.Contains(list, value) {
			r.problem(element, "%s is given twice", describe(element.Node))
		}
		list = append(list, value)
	}
	return list
}

func (r *reader) boolean(n item) bool {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		if value, err := strconv.ParseBool(n.Value); err == nil {
			return value
		}
	}
	r.problem(n, "%s is not allowed; true and false are", describe(n.Node))
	return false
}

// integer returns a reader of whole numbers between low and high.
func integer[T int | int64](r *reader, low, high T) func(n item) T {
	return func(n item) T {
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" {
			value, err := strconv.ParseInt(n.Value, 10, 64)
			if err == nil && value >= int64(low) && value <= int64(high) {
				return T(value)
			}
		}
		if int64(low) == math.MinInt64 {
			r.problem(n, "%s is not allowed; a whole number of 64 bits is", describe(n.Node))
		} else {
			r.problem(n, "%s is not allowed; a whole number from %d to %d is", describe(n.Node), low, high)
		}
		return 0
	}
}
