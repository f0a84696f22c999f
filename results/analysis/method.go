package analysis

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/results/layout"
)

// MethodInfo returns the registered method and its position in tables; unknown methods come last.
func MethodInfo(name string) (info layout.Method, rank int) {
	for _, kind := range experiment.Registrations() {
		for _, m := range kind.Layout.Methods {
			if m.Name == name {
				return m, rank
			}
			rank++
		}
	}
	return layout.Method{Name: name, Label: name}, rank
}

// MethodLabel returns the label of a method without settings.
func MethodLabel(name string) string {
	info, _ := MethodInfo(name)
	return info.Label
}

// MethodLabels returns the labels of the methods of one table, with settings that differ.
func MethodLabels(methods []string) []string {
	labels := make([]string, len(methods))
	for j, method := range methods {
		name, settings := CutMethod(method)
		labels[j] = MethodLabel(name)
		if j > 0 && MethodName(methods[j-1]) == name || j+1 < len(methods) && MethodName(methods[j+1]) == name {
			labels[j] += " " + dropWords(settings, commonSettings(methods, name))
		}
	}
	return labels
}

// CutMethod splits a result of cellColumns.methodKey.
func CutMethod(method string) (name, settings string) {
	name, settings, _ = strings.Cut(method, " ")
	return name, settings
}

// CommonFacts returns the settings that are the same in all occurrences of a method.
func CommonFacts(methods []string) []layout.Fact {
	var facts []layout.Fact
	for _, method := range methods {
		label := MethodLabel(MethodName(method))
		common := strings.Join(commonSettings(methods, MethodName(method)), " ")
		if fact := (layout.Fact{Name: label, Value: common}); common != "" && !slices.Contains(facts, fact) {
			facts = append(facts, fact)
		}
	}
	return facts
}

func commonSettings(methods []string, name string) []string {
	var common []string
	first := true
	for _, method := range methods {
		other, settings := CutMethod(method)
		if other != name {
			continue
		}
		words := strings.Fields(settings)
		if first {
			common, first = words, false
		}
		common = slices.DeleteFunc(common, func(word string) bool { return !slices.Contains(words, word) })
	}
	return common
}

func dropWords(text string, drop []string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(word string) bool { return slices.Contains(drop, word) }), " ")
}

// MethodName returns the name of a method without its settings.
func MethodName(method string) string {
	name, _ := CutMethod(method)
	return name
}

// SettingsText formats settings as in "population=150 refit=50". A text that is not a JSON object
// of numbers and words is returned unchanged.
func SettingsText(params string) string {
	var settings gridfile.Settings
	if err := json.Unmarshal([]byte(params), &settings); err != nil {
		return params
	}
	var words []string
	for _, s := range settings {
		switch {
		case s.Word != "":
			words = append(words, s.Name+"="+s.Word)
		case s.Name != "":
			words = append(words, s.Name+"="+exact(s.Number))
		}
	}
	return strings.Join(words, " ")
}

// CompareMethods orders methods by the order of their kinds, then by name and settings.
func CompareMethods(a, b string) int {
	nameA, settingsA := CutMethod(a)
	nameB, settingsB := CutMethod(b)
	_, rankA := MethodInfo(nameA)
	_, rankB := MethodInfo(nameB)
	return cmp.Or(cmp.Compare(rankA, rankB), cmp.Compare(nameA, nameB), compareSettings(settingsA, settingsB))
}

// compareSettings puts numbers, by value, before words.
func compareSettings(a, b string) int {
	valuesA, valuesB := strings.Fields(a), strings.Fields(b)
	for k := range min(len(valuesA), len(valuesB)) {
		if c := layout.CompareValues(settingValue(valuesA[k]), settingValue(valuesB[k])); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(valuesA), len(valuesB)), cmp.Compare(a, b))
}

func settingValue(text string) layout.Value {
	_, value, _ := strings.Cut(text, "=")
	if x, err := strconv.ParseFloat(value, 64); err == nil {
		return layout.Value{Number: x, IsNumber: true}
	}
	return layout.Value{Text: value}
}
