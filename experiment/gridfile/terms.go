package gridfile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/internal/lists"
)

// ReadNamed reads a name, or a map of a name to its settings.
func ReadNamed[T Declared](r *Reader, n Item, table []T) (declaration T, settings Item, ok bool) {
	var name string
	switch {
	case n.Kind == yaml.ScalarNode:
		name = n.Value
	case n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Kind == yaml.ScalarNode:
		name = n.Content[0].Value
		settings = n.Child(Clip(name), n.Content[1])
		if settings.ShortTag() == "!!null" {
			settings = Item{}
		}
	default:
		r.Problem(n, "%s is not allowed here; a name is, or {name: {its settings}}, of %s",
			Describe(n.Node), strings.Join(NamesOf(table), ", "))
		return declaration, Item{}, false
	}
	if i := slices.Index(NamesOf(table), name); i >= 0 {
		return table[i], settings, true
	}
	r.Problem(n, "%q is unknown; %s", Clip(name), allowedWords(name, NamesOf(table)))
	return declaration, Item{}, false
}

// ReadEntry reads a name with its declared settings. none completes "has no" in the message on a
// thing without settings.
func ReadEntry[T Declared](r *Reader, n Item, table []T, none string) (e Entry, ok bool) {
	declaration, given, ok := ReadNamed(r, n, table)
	if !ok {
		return e, false
	}
	name, infos := declaration.Declaration()
	e = Entry{Name: name, Place: r.Place(n)}
	if len(infos) == 0 && given.Given() {
		r.Problem(given, "%s has no %s", name, none)
		return e, false
	}
	fields := map[string]Item{}
	if given.Given() {
		allowed := lists.Map(infos, func(info SettingInfo) string { return info.Name })
		if fields = r.Fields(given, allowed...); fields == nil {
			return e, false
		}
	}
	e.Choices, ok = r.Choices(n, given, fields, e.Name, infos)
	return e, ok
}

// Choices reads the settings of name; ok is false if a needed one is missing. given is their map,
// if any.
func (r *Reader) Choices(
	at, given Item, fields map[string]Item, name string, infos []SettingInfo,
) (list Choices, ok bool) {
	ok = true
	for i := range infos {
		info := &infos[i]
		if !info.Needed || fields[info.Name].Given() {
			list = append(list, r.choice(fields[info.Name], info))
			continue
		}
		ok = false
		switch {
		case !given.Given():
			r.Problem(at, "the key %s is missing, as in {%s: {%s: %s}}", info.Name, name, info.Name, info.Example)
		case info.Columns:
			r.Problem(given, "the key %s is missing: %s", info.Name, info.Want())
		default:
			r.Problem(given, "the key %s is missing: %s, a list or a range", info.Name, info.Want())
		}
	}
	return list, ok
}

func (r *Reader) choice(n Item, info *SettingInfo) Choice {
	if !n.Given() {
		value := info.Standard
		value.Name = info.Name
		return Choice{Values: []Setting{value}, Info: info}
	}
	c := Choice{Info: info, Place: r.Place(n)}
	switch {
	case info.Columns:
		c.Values = []Setting{{Name: info.Name, Word: r.columns(n)}}
	case info.Single && n.Kind != yaml.ScalarNode:
		r.Problem(n, "%s is not allowed; %s is, and no list", Describe(n.Node), info.Want())
	case info.Words != nil && n.Kind != yaml.MappingNode:
		for _, element := range r.Many(n) {
			value, ok := r.setting(element, info)
			if ok && slices.Contains(c.Values, value) {
				r.Problem(element, "%s is given twice", element.Value)
			}
			c.Values = append(c.Values, value)
		}
	default: // also ranges
		numbers := r.Numbers(n, Rule{Allows: info.Rule.Allows, Want: info.Want(), words: info.Words})
		c.Values = lists.Map(numbers, func(x float64) Setting { return Setting{Name: info.Name, Number: x} })
	}
	return c
}

func (r *Reader) setting(n Item, info *SettingInfo) (value Setting, ok bool) {
	value.Name = info.Name
	if n.Kind == yaml.ScalarNode && slices.Contains(info.Words, n.Value) {
		value.Word = n.Value
		return value, true
	}
	if info.Rule.Allows == nil {
		value.Word = OneOf(r, n, info.Words...)
		return value, value.Word != ""
	}
	value.Number, ok = r.number(n, Rule{Allows: info.Rule.Allows, Want: info.Want(), words: info.Words})
	return value, ok
}

func (r *Reader) columns(n Item) string {
	words := r.Texts(n)
	for _, word := range words {
		if strings.Contains(word, ",") {
			r.Problem(n, "%q has a comma in it, which is not allowed; take the feature's index", Clip(word))
		}
	}
	return strings.Join(words, ",")
}

// HasEntry reports whether a list has an entry of this name.
func HasEntry(list []Entry, name string) bool {
	return slices.ContainsFunc(list, func(e Entry) bool { return e.Name == name })
}
