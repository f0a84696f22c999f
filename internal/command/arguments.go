package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/internal/spelling"
)

// Command makes a command that wants the arguments of its use, as [Arguments] does. The
// examples are command lines, one a line.
func Command(use, short, long, examples string, run func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long, Example: Examples(examples), Args: Arguments(argumentNames(use)...),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
	}
}

// Examples indents command lines as the help shows them.
func Examples(lines string) string { return "  " + strings.ReplaceAll(lines, "\n", "\n  ") }

// argumentNames returns the names of the arguments in a use, as in "collect RUN --out DIR".
func argumentNames(use string) []string {
	names, _, _ := strings.Cut(use, " --")
	return strings.Fields(names)[1:]
}

// Arguments wants one argument for each name, as in Arguments("GRID"). A name
// in brackets may be left out; a last one with "..." at its end may be repeated.
func Arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
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
			return Refusef("unexpected argument %s; allowed is %s and flags", quoted(args, len(names)), want)
		}
		return nil
	}
}

// quoted quotes an argument, but for one that may be a URL with a password: that
// is only numbered.
func quoted(args []string, i int) string {
	if strings.Contains(args[i], "@") || strings.Contains(args[i], "://") {
		return fmt.Sprintf("number %d", i+1)
	}
	return strconv.Quote(args[i])
}

// Section is commands of a program that belong together.
type Section struct {
	Title    string // of its place in the help
	Commands []*cobra.Command
}

// Sections makes cmd a group of the commands of all sections, which its help shows by
// section.
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

// Group makes cmd a group of commands, which does nothing by itself.
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
		}
		return Refusef("%s; allowed are %s%s", what, strings.Join(names, ", "), hint)
	}
	return cmd
}
