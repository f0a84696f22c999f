package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// configFile is a config file: a YAML map of flags by their names.
type configFile struct {
	path   string
	lines  map[string]int // of the keys
	values *viper.Viper
}

// readConfig reads the config file, none for the path "". A key that is no
// flag of the program is an error.
func readConfig(path string, known map[string]bool) (*configFile, error) {
	file := &configFile{path: path, lines: map[string]int{}, values: viper.New()}
	if path == "" {
		return file, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w; a YAML file is allowed", configFlag, err)
	}
	if err := file.check(text, known); err != nil {
		return nil, err
	}
	file.values.SetConfigType("yaml")
	if err := file.values.ReadConfig(bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// check notes the lines of the keys and refuses unknown ones and values that
// are maps. Viper does not tell keys' places.
func (f *configFile) check(text []byte, known map[string]bool) error {
	var document yaml.Node
	err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %s", f.path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: a map of flags to their values is needed, as in workers: 4", f.path, root.Line)
	}
	var errs []error
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		switch {
		case !known[key.Value]:
			errs = append(errs, fmt.Errorf("%s:%d: %s: unknown key; allowed are %s",
				f.path, key.Line, key.Value, strings.Join(slices.Sorted(maps.Keys(known)), ", ")))
		case value.Kind != yaml.ScalarNode && value.Kind != yaml.SequenceNode:
			errs = append(errs, fmt.Errorf("%s:%d: %s: a map is not allowed; a value or a list is", f.path, key.Line, key.Value))
		}
		f.lines[key.Value] = key.Line
	}
	return errors.Join(errs...)
}

// fill sets a flag from the file, which may not have it.
func (f *configFile) fill(flag *pflag.Flag) error {
	if !f.values.IsSet(flag.Name) {
		return nil
	}
	var err error
	list, isList := flag.Value.(pflag.SliceValue)
	switch value := f.values.Get(flag.Name).(type) {
	case []any:
		if !isList {
			err = errors.New("a list is not allowed; one value is")
			break
		}
		if err = list.Replace(f.values.GetStringSlice(flag.Name)); err == nil {
			flag.Changed = true
		}
	default:
		err = set(flag, fmt.Sprint(value))
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %s: %w", f.path, f.lines[flag.Name], flag.Name, err)
	}
	return nil
}
