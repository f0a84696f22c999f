package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/internal/spelling"
)

const configFlag = "config"

// envNames are exceptions to [ruledName].
var envNames = map[string]string{natsFlag: "AGEPATH_NATS_URL"}

// EnvName returns the environment variable of a flag.
func EnvName(flag string) string { return cmp.Or(envNames[flag], ruledName(flag)) }

func ruledName(flag string) string {
	return "AGEPATH_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func settable(flag *pflag.Flag) bool { return flag.Name != "help" && flag.Name != "version" }

type settings struct {
	*viper.Viper
	places map[string]string // variable, or file, line and key
}

// fillFlags sets flags that are not on the command line from the environment, else the config file,
// with the same checks.
func (b *Base) fillFlags(cmd *cobra.Command) error {
	s := settings{viper.New(), map[string]string{}}
	fill := func(flag *pflag.Flag) error {
		if flag.Changed || !settable(flag) {
			return nil
		}
		s.look(flag.Name, b.Env)
		err := s.fill(flag)
		b.Filled[flag.Name] = flag.Changed
		return err
	}
	if err := fill(cmd.Flags().Lookup(configFlag)); err != nil {
		return err
	}
	if b.config != "" {
		if err := s.readFile(b.config, flagNames(cmd.Root())); err != nil {
			return err
		}
	}
	given := cmd.Flags().Changed(natsFlag)
	var errs []error
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { errs = append(errs, fill(flag)) })
	if !given && strings.HasPrefix(s.places[natsFlag], b.config+":") {
		b.NATS.Renew = func() string { // of a coordinator that runs again, at another address
			again := settings{viper.New(), map[string]string{}}
			if again.readFile(b.config, flagNames(cmd.Root())) != nil {
				return ""
			}
			return again.GetString(natsFlag)
		}
	}
	return errors.Join(errs...)
}

// look ignores an empty variable.
func (s *settings) look(flag string, env func(string) (string, bool)) {
	for _, name := range []string{ruledName(flag), EnvName(flag)} {
		if text, _ := env(name); text != "" {
			s.Set(flag, text)
			s.places[flag] = name
		}
	}
}

// readFile rejects maps and keys that are no flag; viper reports neither the lines of keys nor
// their capitals.
func (s *settings) readFile(path string, known map[string]bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--%s: %w; a YAML file is allowed", configFlag, err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var errs []error
	for _, root := range document.Content {
		if root.Kind != yaml.MappingNode && root.Tag != "!!null" {
			return fmt.Errorf("%s:%d: a map of flags to their values is needed, as in log-level: debug", path, root.Line)
		}
		for i := 0; i+1 < len(root.Content); i += 2 {
			key, value := root.Content[i], root.Content[i+1]
			place := fmt.Sprintf("%s:%d: %s", path, key.Line, key.Value)
			switch {
			case !known[key.Value]:
				names := slices.Sorted(maps.Keys(known))
				errs = append(errs, fmt.Errorf("%s: unknown key; allowed are %s%s", place, strings.Join(names, ", "), spelling.After(key.Value, names)))
			case value.Kind != yaml.ScalarNode && value.Kind != yaml.SequenceNode:
				errs = append(errs, fmt.Errorf("%s: a map is not allowed; a value or a list is", place))
			}
			s.places[key.Value] = place
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.SetConfigType("yaml")
	if err := s.ReadConfig(bytes.NewReader(text)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (s *settings) fill(flag *pflag.Flag) error {
	value := s.Get(flag.Name)
	if value == nil {
		return nil
	}
	text := fmt.Sprint(value)
	var err error
	list, isList := flag.Value.(pflag.SliceValue)
	switch _, many := value.([]any); {
	case many && !isList:
		err = errors.New("a list is not allowed; one value is")
	case many:
		err = list.Replace(s.GetStringSlice(flag.Name))
	case isList && flag.Value.Type() == "stringArray": // values may contain commas: one per line
		err = list.Replace(strings.Split(strings.TrimRight(text, "\n"), "\n"))
	default:
		err = plainValueError(flag, text, flag.Value.Set(text))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.places[flag.Name], err)
	}
	flag.Changed = true
	return nil
}

func plainValueError(flag *pflag.Flag, text string, err error) error {
	if err != nil && flag.Value.Type() == "bool" {
		return fmt.Errorf("%q is not allowed; true and false are", text)
	}
	return err
}

func flagNames(cmd *cobra.Command) map[string]bool {
	names := map[string]bool{}
	for _, flags := range []*pflag.FlagSet{cmd.PersistentFlags(), cmd.LocalFlags()} {
		flags.VisitAll(func(flag *pflag.Flag) {
			if settable(flag) && flag.Name != configFlag {
				names[flag.Name] = true
			}
		})
	}
	for _, child := range cmd.Commands() {
		maps.Copy(names, flagNames(child))
	}
	return names
}

func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case cmd.HasSubCommands() && cmd.Flags().NArg() > 0: // the command is unknown
		return cmd.RunE(cmd, cmd.Flags().Args())
	case errors.As(err, &value):
		flag := value.GetFlag()
		return Refusef("--%s: %w", flag.Name, plainValueError(flag, value.GetValue(), value.Unwrap()))
	case errors.As(err, &unknown):
		var known []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, "--"+flag.Name) })
		return Refusef("%w; allowed are %s%s", err, strings.Join(known, ", "), spelling.After("--"+unknown.GetSpecifiedName(), known))
	}
	return Refuse(err)
}
