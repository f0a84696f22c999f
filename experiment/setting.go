package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/dataset"
)

// maxSettings bounds the settings of a method.
const maxSettings = 8

// Settings are the settings of a method's own in the order in which its table
// declares them; the rest is zero. Its JSON is an object in that order.
type Settings [maxSettings]Setting

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
		text = append(append(text, mustJSON(setting.Name)...), ':')
		text = append(text, mustJSON(value)...)
	}
	return append(text, '}'), nil
}

// text returns the settings' JSON, "" where there are none.
func (s *Settings) text() string {
	if s.IsZero() {
		return ""
	}
	return string(mustJSON(s))
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
		if i == maxSettings {
			return fmt.Errorf("more than %d settings of a method", maxSettings)
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

// settingInfo declares a setting of something that a grid names: a number that the
// rule allows, one of several words, or either. Lists and ranges of it make a cell
// for each value.
type settingInfo struct {
	name     string
	rule     rule     // of a number, whole where the rule says so; zero: no number is allowed
	words    []string // allowed ones; nil: none
	standard Setting  // the default, without its name
	meaning  string   // for docs/grid.md, which a test compares
	example  string   // of a value, for the message that a needed one is missing
	single   bool     // takes one value, no list
	needed   bool     // has no default
	columns  bool     // a list of features, which is one value

	// Where the setting applies: elsewhere it is refused if no cell uses it, and
	// left out of the cells that do not.
	task         dataset.Task // "": both
	regularizers []string     // nil: all
}

// applies reports whether cells of a task and a regularizer have the setting.
func (s *settingInfo) applies(task dataset.Task, regularizer string) bool {
	return (s.task == "" || s.task == task) && (s.regularizers == nil || slices.Contains(s.regularizers, regularizer))
}

// scope says where the setting applies, for a setting that does not everywhere.
func (s *settingInfo) scope() string {
	var parts []string
	if s.task != "" {
		parts = append(parts, "for "+string(s.task))
	}
	if s.regularizers != nil {
		parts = append(parts, "with the regularizers "+strings.Join(s.regularizers, ", "))
	}
	return strings.Join(parts, " ")
}

// allows reports whether a cell may have the value.
func (s *settingInfo) allows(value Setting) bool {
	if s.columns {
		return columnIndexes(value.Word) != nil
	}
	if value.Word != "" {
		return slices.Contains(s.words, value.Word)
	}
	return s.rule.allows != nil && s.rule.allows(value.Number)
}

// want says what is allowed.
func (s *settingInfo) want() string {
	words := strings.Join(s.words, ", ")
	switch {
	case s.words == nil:
		return s.rule.want
	case s.rule.allows == nil:
		return "one of " + words
	case len(s.words) == 1:
		return s.rule.want + " or " + words
	}
	return s.rule.want + " or one of " + words
}

// declared is what a grid can name with settings: a model, a regularizer, a
// method, a loss or a constraint.
type declared interface {
	declaration() (name string, settings []settingInfo)
}

func nameOf(d declared) string {
	name, _ := d.declaration()
	return name
}

// namesOf returns the names of a table in its order, in which messages and
// documents show them.
func namesOf[T declared](table []T) []string {
	names := make([]string, len(table))
	for i, d := range table {
		names[i] = nameOf(d)
	}
	return names
}

// lookup returns the entry of a table by its name, zero if there is none.
func lookup[T declared](table []T, name string) (found T) {
	if i := slices.IndexFunc(table, func(d T) bool { return nameOf(d) == name }); i >= 0 {
		return table[i]
	}
	return found
}

// checkSettings returns an error where settings are not those that what declares
// them has for the task and the regularizer.
func checkSettings(owner declared, settings Settings, task dataset.Task, regularizer string) error {
	name, infos := owner.declaration()
	rest := settings[:]
	for i := range infos {
		info := &infos[i]
		if !info.applies(task, regularizer) {
			continue
		}
		if rest[0].Name != info.name || !info.allows(rest[0]) {
			return fmt.Errorf("the settings %s of %s are not those that it has here: %s is %s",
				mustJSON(settings), name, info.name, info.want())
		}
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0] != (Setting{}) {
		return fmt.Errorf("%s has no setting %q here", name, rest[0].Name)
	}
	return nil
}
