package selfpaced

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
)

// commandKey begins a method from outside in the list of methods.
const commandKey = "command"

// isCommand reports whether an element of the methods is {command: {...}}.
func isCommand(n gridfile.Item) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == commandKey
}

// command reads a method from outside. Its files have no digests yet.
func (r *sectionReader) command(n gridfile.Item) (e MethodEntry, ok bool) {
	before := r.Reports()
	given := n.Child(commandKey, n.Content[1])
	p := &outside.Program{Uses: []string{outside.UsesModel}}
	e = MethodEntry{gridfile.Entry{Place: r.Place(n)}, p}
	fields := r.Fields(given, "name", "run", "version", "files", "uses")
	if fields == nil {
		return e, false
	}
	r.Demand(given, fields, "name", "what the results call it, as in name: mine")
	r.Demand(given, fields, "run", "the command line as a list, as in run: [python3, mine.py]")
	gridfile.Read(fields,
		gridfile.On("name", func(n gridfile.Item) {
			e.Name = r.Text(n)
			if err := checkCommandName(e.Name); e.Name != "" && err != nil {
				r.Problem(n, "%v", err)
			}
		}),
		gridfile.On("run", func(n gridfile.Item) {
			for _, word := range r.List(n) {
				p.Run = append(p.Run, r.Text(word))
			}
		}),
		gridfile.On("version", gridfile.Into(&p.Version, r.Text)),
		gridfile.On("files", func(n gridfile.Item) { p.Files = r.commandFiles(n) }),
		gridfile.On("uses", func(n gridfile.Item) {
			p.Uses = nil
			for _, word := range r.Many(n) {
				use := gridfile.OneOf(r.Reader, word, outside.Uses...)
				if slices.Contains(p.Uses, use) {
					r.Problem(word, "%s is given twice", use)
				}
				p.Uses = append(p.Uses, use)
			}
			slices.SortFunc(p.Uses, func(a, b string) int { return slices.Index(outside.Uses, a) - slices.Index(outside.Uses, b) })
		}))
	if r.Reports() > before {
		return e, false
	}
	if _, err := commandInfo(e.Name, p.WithoutFiles()); err != nil {
		r.Problem(given, "%v", err)
		return e, false
	}
	text := string(gridfile.JSON(p))
	if r.commands == nil {
		r.commands = map[string]string{}
	}
	if other, there := r.commands[e.Name]; there && other != text {
		r.Problem(given, "another command of the grid has the name %s too; give one of them another name", e.Name)
	}
	r.commands[e.Name] = text
	return e, r.Reports() == before
}

// commandFiles reads names of files, which are sorted.
func (r *sectionReader) commandFiles(n gridfile.Item) []outside.File {
	var files []outside.File
	names := r.Texts(n)
	slices.Sort(names)
	for _, name := range names {
		if err := outside.CheckFileName(name); err != nil {
			r.Problem(n, "%v", err)
		}
		files = append(files, outside.File{Name: name})
	}
	return files
}
