package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agepath/agepath/internal/spelling"
)

// Command takes the arguments named in use, see [Arguments]; examples has one command per line.
func Command(use, short, long, examples string, run func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long, Example: Examples(examples), Args: Arguments(argumentNames(use)...),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
	}
}

// Examples indents command lines.
func Examples(lines string) string { return "  " + strings.ReplaceAll(lines, "\n", "\n  ") }

// argumentNames gives RUN for "collect RUN --out DIR".
func argumentNames(use string) []string {
	names, _, _ := strings.Cut(use, " --")
	return strings.Fields(names)[1:]
}

// Arguments requires one argument per name, as in Arguments("GRID"). A name in brackets is
// optional; a last one that ends in "..." may be repeated.
func Arguments(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for i, arg := range args {
			if strings.Contains(arg, "://") {
				return Refusef("argument %d is a URL; --%s URL takes that of a NATS server", i+1, natsFlag)
			}
		}
		switch want := strings.Join(names, " "); {
		case len(args) < len(names) && !strings.HasPrefix(names[len(args)], "["):
			return Refusef("%s is missing; allowed is %s and flags (--help tells more)", names[len(args)], want)
		case len(args) > len(names) && len(names) == 0:
			return Refusef("unexpected argument %s; only flags are allowed", quoted(args, 0))
		case len(args) > len(names) && !strings.Contains(names[len(names)-1], "..."):
			return Refusef("unexpected argument %s; allowed is %s and flags%s", quoted(args, len(names)), want, optional(cmd))
		}
		return nil
	}
}

// optional says how flags whose value may be left out take one.
func optional(cmd *cobra.Command) (hint string) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.NoOptDefVal != "" && flag.Value.Type() != "bool" {
			hint = fmt.Sprintf("; --%s takes a value by =, as in --%[1]s=%s", flag.Name, flag.NoOptDefVal)
		}
	})
	return hint
}

// quoted gives only the number of an argument that may be a URL with a password.
func quoted(args []string, i int) string {
	if strings.Contains(args[i], "@") || strings.Contains(args[i], "://") {
		return fmt.Sprintf("number %d", i+1)
	}
	return strconv.Quote(args[i])
}

// Section is a group of commands in the help.
type Section struct {
	Title    string
	Commands []*cobra.Command
}

// Sections gives cmd the commands of all sections.
func Sections(cmd *cobra.Command, sections ...Section) *cobra.Command {
	var all []*cobra.Command
	for _, section := range sections {
		cmd.AddGroup(&cobra.Group{ID: section.Title, Title: section.Title + ":"})
		cmd.SetHelpCommandGroupID(section.Title) // the last one
		for _, child := range section.Commands {
			child.GroupID = section.Title
		}
		all = append(all, section.Commands...)
	}
	return Group(cmd, all...)
}

// Group makes cmd a group of commands without action. Annotations of cmd name the commands that do what
// other words ask for.
func Group(cmd *cobra.Command, children ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(children...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var names []string
		for _, child := range cmd.Commands() {
			if child.IsAvailableCommand() {
				names = append(names, child.Name())
			}
		}
		what, hint := "a command is missing", ""
		if len(args) > 0 {
			what, hint = "unknown command "+quoted(args, 0), spelling.After(args[0], names)
			if does := cmd.Annotations[args[0]]; does != "" {
				hint = "; `" + does + "` does that"
			}
		}
		return Refusef("%s; allowed are %s%s", what, strings.Join(names, ", "), hint)
	}
	return cmd
}
