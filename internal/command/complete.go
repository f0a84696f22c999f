package command

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var shells = map[string]func(root *cobra.Command, to io.Writer) error{
	"bash":       func(root *cobra.Command, to io.Writer) error { return root.GenBashCompletionV2(to, true) },
	"fish":       func(root *cobra.Command, to io.Writer) error { return root.GenFishCompletion(to, true) },
	"powershell": func(root *cobra.Command, to io.Writer) error { return root.GenPowerShellCompletionWithDesc(to) },
	"zsh":        func(root *cobra.Command, to io.Writer) error { return root.GenZshCompletion(to) },
}

var shellNames = []string{"bash", "fish", "powershell", "zsh"}

// CompletionCommand prints a completion script for a shell.
func (b *Base) CompletionCommand(root *cobra.Command) *cobra.Command {
	return Command("completion SHELL", "Print a completion script: "+strings.Join(shellNames, ", "),
		`Print a script with which a shell completes commands, flags and their values. In
bash, with the package bash-completion:

    source <(`+root.Name()+` completion bash)`,
		root.Name()+" completion zsh",
		func(_ context.Context, args []string) error {
			script, ok := shells[args[0]]
			if !ok {
				return Refusef("SHELL: %q is not allowed; allowed are %s", args[0], strings.Join(shellNames, ", "))
			}
			return script(root, b.Out)
		})
}

// Words offers the words that begin with begin.
func Words(words []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
	fit := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, begin) })
	return fit, cobra.ShellCompDirectiveNoFileComp
}

// Folders offers folders.
func Folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// Files offers files with an extension, such as yaml.
func Files(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

func (b *Base) complete(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		b.complete(child)
	}
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if cmd.Flag(flag.Name).Value.Type() != "bool" {
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, completeFlag(flag)) // it exists, and has none
		}
	})
	names := argumentNames(cmd.Use)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := len(args)
		if last := len(names) - 1; at > last && last >= 0 && strings.Contains(names[last], "...") {
			at = last
		}
		if at >= len(names) {
			return Words(nil, begin)
		}
		switch name := strings.Trim(names[at], "[.]"); {
		case name == "SHELL":
			return Words(shellNames, begin)
		case b.Completions[name] != nil:
			return b.Completions[name](cmd, args, begin)
		}
		return Words(nil, begin)
	}
}

func completeFlag(flag *pflag.Flag) cobra.CompletionFunc {
	if known, ok := flag.Value.(interface{ allowed() []string }); ok && known.allowed() != nil {
		return func(_ *cobra.Command, _ []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
			before := ""
			if _, many := flag.Value.(pflag.SliceValue); many {
				before = begin[:strings.LastIndex(begin, ",")+1]
			}
			words, directive := Words(known.allowed(), begin[len(before):])
			for i := range words {
				words[i] = before + words[i]
			}
			return words, directive
		}
	}
	switch kind, _ := pflag.UnquoteUsage(flag); kind {
	case "folder", "folders":
		return Folders
	case "file":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return cobra.NoFileCompletions
}
