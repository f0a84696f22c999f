package command

import "github.com/spf13/pflag"

// AllowCommands adds the flag --allow-commands.
func AllowCommands(flags *pflag.FlagSet, value *bool) {
	flags.BoolVar(value, "allow-commands", false,
		"run methods that are commands; anyone who can publish tasks can then run programs on this machine")
}
