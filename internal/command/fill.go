package command

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// configFlag names the flag of the config file, which the file cannot set.
const configFlag = "config"

// envNames are the environment variables whose name does not follow from the
// flag's.
var envNames = map[string]string{natsFlag: "AGEPATH_NATS_URL"}

// EnvName returns the environment variable of a flag.
func EnvName(flag string) string { return cmp.Or(envNames[flag], ruledName(flag)) }

func ruledName(flag string) string {
	return "AGEPATH_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// settable reports whether a flag takes values from the environment.
func settable(flag *pflag.Flag) bool { return flag.Name != "help" && flag.Name != "version" }

// fillFlags gives the flags of cmd that are not on the command line the values
// of the environment or else of the config file. Both are checked as the
// command line is.
func fillFlags(cmd *cobra.Command, env func(string) (string, bool)) error {
	config := cmd.Flags().Lookup(configFlag)
	if err := fillFromEnv(config, env); err != nil {
		return err
	}
	file, err := readConfig(config.Value.String(), flagNames(cmd.Root()))
	if err != nil {
		return err
	}
	var errs []error
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !settable(flag) || flag == config {
			return
		}
		err := fillFromEnv(flag, env)
		if err == nil && !flag.Changed {
			err = file.fill(flag)
		}
		if err != nil {
			errs = append(errs, err)
		}
	})
	return errors.Join(errs...)
}

// fillFromEnv sets a flag that is not on the command line from its
// environment variable. An empty variable counts as not set.
func fillFromEnv(flag *pflag.Flag, env func(string) (string, bool)) error {
	if flag.Changed {
		return nil
	}
	for _, name := range []string{EnvName(flag.Name), ruledName(flag.Name)} {
		text, _ := env(name)
		if text == "" {
			continue
		}
		if err := set(flag, text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	return nil
}

// set sets a flag from one text. A list whose values may hold commas has one
// on each line.
func set(flag *pflag.Flag, text string) error {
	err := error(nil)
	if values, ok := flag.Value.(pflag.SliceValue); ok && flag.Value.Type() == "stringArray" {
		err = values.Replace(strings.Split(strings.TrimRight(text, "\n"), "\n"))
	} else {
		err = flag.Value.Set(text)
	}
	if err != nil {
		return plainValueError(flag, text, err)
	}
	flag.Changed = true
	return nil
}

// plainValueError puts the words of the types of pflag plainly.
func plainValueError(flag *pflag.Flag, text string, err error) error {
	if flag.Value.Type() == "bool" {
		return fmt.Errorf("%q is not allowed; true and false are", text)
	}
	return err
}

// flagNames lists the settable flags of a program's commands.
func flagNames(root *cobra.Command) map[string]bool {
	names := map[string]bool{}
	note := func(flag *pflag.Flag) {
		if settable(flag) && flag.Name != configFlag {
			names[flag.Name] = true
		}
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.PersistentFlags().VisitAll(note)
		cmd.LocalFlags().VisitAll(note)
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
	return names
}

// flagError puts an error of the command line's flags plainly and says what is
// allowed.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &value):
		flag := value.GetFlag()
		return Refusef("--%s: %w", flag.Name, plainValueError(flag, value.GetValue(), value.Unwrap()))
	case errors.As(err, &unknown):
		var known []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, "--"+flag.Name) })
		return Refusef("%w; allowed are %s", err, strings.Join(known, ", "))
	}
	return Refuse(err)
}
