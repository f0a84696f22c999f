package gridfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxSettings bounds the settings of a method.
const MaxSettings = 8

// Settings are the settings of a method's own in the order in which its table
// declares them; the rest is zero. Its JSON is an object in that order.
type Settings [MaxSettings]Setting

// Setting is one of them: a number, or a word where Word is not "".
type Setting struct {
	Name   string
	Number float64
	Word   string
}

// Number returns the number of that name. It panics where there is none: what a
// method asks for is what its table declares.
func (s *Settings) Number(name string) float64 { return s.find(name).Number }

// Int returns the whole number of that name; it panics like Number.
func (s *Settings) Int(name string) int { return int(s.find(name).Number) }

// Word returns the word of that name, "" for a setting that is a number. It
// panics like Number.
func (s *Settings) Word(name string) string { return s.find(name).Word }

func (s *Settings) find(name string) Setting {
	for _, setting := range s {
		if setting.Name == name {
			return setting
		}
	}
	panic(fmt.Sprintf("experiment: the method has no setting %q", name))
}

// IsZero reports whether there are no settings.
func (s Settings) IsZero() bool { return s[0].Name == "" }

// MarshalJSON writes the settings as an object in their order.
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

// Text returns the settings' JSON, "" where there are none.
func (s *Settings) Text() string {
	if s.IsZero() {
		return ""
	}
	return string(JSON(s))
}

// UnmarshalJSON reads what MarshalJSON wrote.
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

// SettingInfo declares a setting of something that a grid names: a number that the
// rule allows, one of several words, or either. Lists and ranges of it make a cell
// for each value.
type SettingInfo struct {
	Name     string
	Rule     Rule     // of a number, whole where the rule says so; zero: no number is allowed
	Words    []string // allowed ones; nil: none
	Standard Setting  // the default, without its name
	Meaning  string   // for docs/grid.md, which a test compares
	Example  string   // of a value, for the message that a needed one is missing
	Single   bool     // takes one value, no list
	Needed   bool     // has no default
	Columns  bool     // a list of features, which is one value

	// Where the setting applies, nil for everywhere: elsewhere it is refused if no
	// cell uses it, and left out of the cells that do not.
	Scopes []Scope
}

// Scope bounds where a setting applies: to cells for which the aspect has one of the
// names.
type Scope struct {
	Aspect string   // for example "regularizer"
	Names  []string // of the aspect
	Words  string   // for messages, as in "with the regularizers a, b"
}

// Aspects are the names of what a cell has, by aspect.
type Aspects map[string]string

func (s *SettingInfo) applies(of Aspects) bool {
	return !slices.ContainsFunc(s.Scopes, func(c Scope) bool { return !slices.Contains(c.Names, of[c.Aspect]) })
}

// Where says where the setting applies, for a setting that does not everywhere.
func (s *SettingInfo) Where() string {
	parts := make([]string, len(s.Scopes))
	for i, c := range s.Scopes {
		parts[i] = c.Words
	}
	return strings.Join(parts, " ")
}

// Allows reports whether a cell may have the value.
func (s *SettingInfo) Allows(value Setting) bool {
	if s.Columns {
		return ColumnIndexes(value.Word) != nil
	}
	if value.Word != "" {
		return slices.Contains(s.Words, value.Word)
	}
	return s.Rule.Allows != nil && s.Rule.Allows(value.Number)
}

// Want says what is allowed.
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

// Declared is what a grid can name with settings: a model, a regularizer, a
// method, a loss or a constraint.
type Declared interface {
	Declaration() (name string, settings []SettingInfo)
}

func nameOf(d Declared) string {
	name, _ := d.Declaration()
	return name
}

// NamesOf returns the names of a table in its order, in which messages and
// documents show them.
func NamesOf[T Declared](table []T) []string {
	names := make([]string, len(table))
	for i, d := range table {
		names[i] = nameOf(d)
	}
	return names
}

// Lookup returns the entry of a table by its name, zero if there is none.
func Lookup[T Declared](table []T, name string) (found T) {
	if i := slices.IndexFunc(table, func(d T) bool { return nameOf(d) == name }); i >= 0 {
		return table[i]
	}
	return found
}

// CheckSettings returns an error where settings are not those that what declares
// them has for cells with the aspects.
func CheckSettings(owner Declared, settings Settings, of Aspects) error {
	name, infos := owner.Declaration()
	rest := settings[:]
	for i := range infos {
		info := &infos[i]
		if !info.applies(of) {
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

// JSON encodes a value that always has an encoding: finite numbers and
// valid text, which parsing a grid makes sure of.
func JSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("experiment: encoding %T: %v", value, err))
	}
	return text
}

// ColumnIndexes reads the value of a setting of features: indexes with
// commas, rising.
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
