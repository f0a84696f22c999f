package gridfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// MaxSettings bounds the settings of a method.
const MaxSettings = 8

// Settings are a method's settings in the order of declaration, padded by zeros. Its JSON is an
// object in this order.
type Settings [MaxSettings]Setting

// Setting is a number, or a word if Word is not "".
type Setting struct {
	Name   string
	Number float64
	Word   string
}

// Number returns a setting's number. Undeclared names panic.
func (s *Settings) Number(name string) float64 { return s.find(name).Number }

// Int is like Number.
func (s *Settings) Int(name string) int { return int(s.find(name).Number) }

// Word is like Number; it returns "" for a number.
func (s *Settings) Word(name string) string { return s.find(name).Word }

func (s *Settings) find(name string) Setting {
	if i := slices.IndexFunc(s[:], func(setting Setting) bool { return setting.Name == name }); i >= 0 {
		return s[i]
	}
	panic(fmt.Sprintf("experiment: the method has no setting %q", name))
}

func (s Settings) IsZero() bool { return s[0].Name == "" }

func (s Settings) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for i, setting := range s {
		if setting.Name == "" {
			break
		}
		if i > 0 {
			text = append(text, ',')
		}
		var value any = setting.Number
		if setting.Word != "" {
			value = setting.Word
		}
		text = append(append(text, JSON(setting.Name)...), ':')
		text = append(text, JSON(value)...)
	}
	return append(text, '}'), nil
}

// Text returns the settings' JSON, "" for none.
func (s *Settings) Text() string {
	if s.IsZero() {
		return ""
	}
	return string(JSON(s))
}

func (s *Settings) UnmarshalJSON(text []byte) error {
	*s = Settings{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return errors.New("a method's settings are an object")
	}
	for i := 0; decoder.More(); i++ {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		value, err := decoder.Token()
		if err != nil {
			return err
		}
		if i == MaxSettings {
			return fmt.Errorf("more than %d settings of a method", MaxSettings)
		}
		s[i].Name, _ = name.(string)
		switch value := value.(type) {
		case float64:
			s[i].Number = value
		case string:
			s[i].Word = value
		default:
			return fmt.Errorf("the setting %q is neither a number nor a word", name)
		}
	}
	_, err := decoder.Token()
	return err
}

// SettingInfo declares a setting: a number, a word, or either. Lists and ranges make a cell per
// value.
type SettingInfo struct {
	Name     string
	Rule     Rule // zero: no numbers
	Words    []string
	Standard Setting // default, without name
	Meaning  string  // for docs/grid.md, which a test compares
	Example  string  // for the message that the value is missing
	Single   bool    // not a list
	Needed   bool    // no default
	Columns  bool    // a list of features, as one value

	// With are the regularizers with which the setting applies, nil: all. Other cells leave it out; a
	// setting that applies to no cell is refused.
	With []string
}

func (s *SettingInfo) applies(regularizer string) bool {
	return s.With == nil || slices.Contains(s.With, regularizer)
}

func (s *SettingInfo) Allows(value Setting) bool {
	if s.Columns {
		return ColumnIndexes(value.Word) != nil
	}
	if value.Word != "" {
		return slices.Contains(s.Words, value.Word)
	}
	return s.Rule.Allows != nil && s.Rule.Allows(value.Number)
}

func (s *SettingInfo) Want() string {
	words := strings.Join(s.Words, ", ")
	switch {
	case s.Words == nil:
		return s.Rule.Want
	case s.Rule.Allows == nil:
		return "one of " + words
	case len(s.Words) == 1:
		return s.Rule.Want + " or " + words
	}
	return s.Rule.Want + " or one of " + words
}

// Declared has settings: a model, regularizer, method, loss or constraint.
type Declared interface {
	Declaration() (name string, settings []SettingInfo)
}

func nameOf(d Declared) string {
	name, _ := d.Declaration()
	return name
}

// NamesOf returns the names in the order of messages and documents.
func NamesOf[T Declared](table []T) []string {
	return lists.Map(table, func(d T) string { return nameOf(d) })
}

// Lookup returns a table's entry by name, or zero.
func Lookup[T Declared](table []T, name string) (found T) {
	if i := slices.IndexFunc(table, func(d T) bool { return nameOf(d) == name }); i >= 0 {
		return table[i]
	}
	return found
}

// CheckSettings returns an error unless settings are those that the owner declares for a regularizer.
func CheckSettings(owner Declared, settings Settings, regularizer string) error {
	name, infos := owner.Declaration()
	rest := settings[:]
	for i := range infos {
		info := &infos[i]
		if !info.applies(regularizer) {
			continue
		}
		if rest[0].Name != info.Name || !info.Allows(rest[0]) {
			return fmt.Errorf("the settings %s of %s are not those that it has here: %s is %s",
				JSON(settings), name, info.Name, info.Want())
		}
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0] != (Setting{}) {
		return fmt.Errorf("%s has no setting %q here", name, rest[0].Name)
	}
	return nil
}

// JSON encodes finite numbers and valid texts; others panic.
func JSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("experiment: encoding %T: %v", value, err))
	}
	return text
}

// ColumnIndexes parses increasing indexes separated by commas, otherwise returns nil.
func ColumnIndexes(word string) []int {
	var list []int
	for field := range strings.SplitSeq(word, ",") {
		i, err := strconv.Atoi(field)
		if err != nil || i < 0 || len(list) > 0 && i <= list[len(list)-1] {
			return nil
		}
		list = append(list, i)
	}
	return list
}

// Entry is a thing in a grid, such as a method, with the values of its settings.
type Entry struct {
	Name    string
	Choices Choices // in the order of declaration

	Place Place
}

// Choice is a setting with its values.
type Choice struct {
	Values []Setting

	Info  *SettingInfo
	Place Place // its key is "" for the default
}

// Choices are settings with all combinations of their values.
type Choices []Choice

func (c Choices) Applying(regularizer string) Choices {
	return slices.DeleteFunc(slices.Clone(c), func(choice Choice) bool { return !choice.Info.applies(regularizer) })
}

func (c Choices) Count() int { return int(c.Most()) }

// Most returns the number of combinations, which may exceed int.
func (c Choices) Most() float64 {
	n := 1.0
	for i := range c {
		n *= float64(len(c[i].Values))
	}
	return n
}

// Sorted returns each setting's values, independent of their order in the grid.
func (c Choices) Sorted() [][]Setting {
	var list [][]Setting
	for i := range c {
		values := slices.Clone(c[i].Values)
		slices.SortFunc(values, func(a, b Setting) int {
			return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Word, b.Word))
		})
		list = append(list, values)
	}
	return list
}

// At returns the i-th combination; the last setting varies fastest.
func (c Choices) At(i int) Settings {
	var s Settings
	for k := len(c) - 1; k >= 0; k-- {
		n := len(c[k].Values)
		s[k] = c[k].Values[i%n]
		i /= n
	}
	return s
}

// Has reports whether settings of the same names are a combination.
func (c Choices) Has(s Settings) bool {
	for k := range c {
		if !slices.Contains(c[k].Values, s[k]) {
			return false
		}
	}
	return true
}

// Overlaps reports whether choices of the same names share a combination.
func (c Choices) Overlaps(other Choices) bool {
	for k := range c {
		if !Intersect(c[k].Values, other[k].Values) {
			return false
		}
	}
	return true
}

// Values returns a setting's values, or nil.
func (c Choices) Values(name string) []Setting {
	if i := slices.IndexFunc(c, func(choice Choice) bool { return choice.Info.Name == name }); i >= 0 {
		return c[i].Values
	}
	return nil
}

// Largest returns a setting's largest number, or 0.
func (c Choices) Largest(name string) float64 {
	most := 0.0
	for _, v := range c.Values(name) {
		most = max(most, v.Number)
	}
	return most
}

// Intersect reports whether two lists share a value.
func Intersect[T comparable](a, b []T) bool {
	if len(a) > 0 && len(b) > 0 && &a[0] == &b[0] {
		return true
	}
	set := make(map[T]bool, len(a))
	for _, x := range a {
		set[x] = true
	}
	return slices.ContainsFunc(b, func(x T) bool { return set[x] })
}
