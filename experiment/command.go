package experiment

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/lists"
)

const commandKey = "command"

// PlainName matches names of commands and of what programs register: up to 40 of a-z, 0-9 and -,
// not - first.
var PlainName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// CheckCommandName refuses a name that is none of a command or that is in the table, of things
// called what.
func CheckCommandName[T gridfile.Declared](name, what string, table []T) error {
	if !PlainName.MatchString(name) {
		return fmt.Errorf("%.100q is not a valid name of a command; use up to 40 of a-z, 0-9 and -, not starting with -", name)
	}
	if slices.Contains(gridfile.NamesOf(table), name) {
		return fmt.Errorf("a command cannot have the name %s, which is that of a %s of agepath", name, what)
	}
	return nil
}

// IsCommand reports whether an element of a list of methods is {command: {...}}.
func IsCommand(n gridfile.Item) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == commandKey
}

// ReadCommand reads the keys of a command and further ones. Digests of files are still missing.
func ReadCommand(r *gridfile.Reader, n gridfile.Item, check func(name string) error, further ...gridfile.Key) (name string, p *outside.Program, ok bool) {
	before := r.Reports()
	given := n.Child(commandKey, n.Content[1])
	p = new(outside.Program)
	keys := slices.Concat([]gridfile.Key{
		gridfile.On("name", func(n gridfile.Item) {
			name = r.Text(n)
			if err := check(name); name != "" && err != nil {
				r.Problem(n, "%v", err)
			}
		}),
		gridfile.On("run", func(n gridfile.Item) { p.Run = lists.Map(r.List(n), r.Text) }),
		gridfile.On("version", gridfile.Into(&p.Version, r.Text)),
		gridfile.On("env", func(n gridfile.Item) { p.Env = sortedTexts(r, n, outside.CheckVariable) }),
		gridfile.On("files", func(n gridfile.Item) {
			names := sortedTexts(r, n, outside.CheckFileName)
			p.Files = lists.Map(names, func(name string) outside.File { return outside.File{Name: name} })
		}),
	}, further)
	fields := r.Keys(given, keys...)
	if fields == nil {
		return name, p, false
	}
	r.Demand(given, fields, "name", "what the results call it, as in name: mine")
	r.Demand(given, fields, "run", "the command line as a list, as in run: [python3, mine.py]")
	return name, p, r.Reports() == before
}

func sortedTexts(r *gridfile.Reader, n gridfile.Item, check func(text string) error) []string {
	texts := r.Texts(n)
	slices.Sort(texts)
	for _, text := range texts {
		if err := check(text); err != nil {
			r.Problem(n, "%v", err)
		}
	}
	return texts
}

// Program adds the digests of the program's files. read returns a file's content; nil reads from
// the grid's folder. ok is false after a problem, which is reported.
func (p *Planner) Program(ctx context.Context, at gridfile.Place, name string, of *outside.Program, read func(file string) ([]byte, error)) (program *outside.Program, ok bool) {
	full := *of
	full.Files = slices.Clone(of.Files)
	for k := range full.Files {
		file := &full.Files[k]
		var content func(context.Context) ([]byte, error)
		key := file.Name
		if read != nil {
			key = name + "/" + file.Name
			content = func(context.Context) ([]byte, error) { return read(file.Name) }
		}
		var err error
		if file.Digest, err = p.File(ctx, key, content); err != nil {
			p.Problem(at, "the file %s of the command %s: %w", file.Name, name, err)
			return nil, false
		}
		if p.plan.CommandFiles == nil {
			p.plan.CommandFiles = map[string]string{}
		}
		p.plan.CommandFiles[key] = file.Digest
	}
	return &full, true
}
