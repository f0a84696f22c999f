package experiment

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/outside"
)

// commandKey begins a method from outside in the list of methods.
const commandKey = "command"

// isCommand reports whether an element of the methods is {command: {...}}.
func isCommand(n item) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == commandKey
}

// command reads a method from outside. Its files have no digests yet.
func (r *reader) command(n item) (e Entry, ok bool) {
	before := r.reported
	given := n.child(commandKey, n.Content[1])
	p := &outside.Program{Uses: []string{outside.UsesModel}}
	e = Entry{place: r.place(n), program: p}
	fields := r.fields(given, "name", "run", "version", "files", "uses")
	if fields == nil {
		return e, false
	}
	r.demand(given, fields, "name", "what the results call it, as in name: mine")
	r.demand(given, fields, "run", "the command line as a list, as in run: [python3, mine.py]")
	read(fields,
		key{"name", func(n item) {
			e.Name = r.text(n)
			if err := checkCommandName(e.Name); e.Name != "" && err != nil {
				r.problem(n, "%v", err)
			}
		}},
		key{"run", func(n item) {
			for _, word := range r.list(n) {
				p.Run = append(p.Run, r.text(word))
			}
		}},
		key{"version", into(&p.Version, r.text)},
		key{"files", func(n item) { p.Files = r.commandFiles(n) }},
		key{"uses", func(n item) {
			p.Uses = nil
			for _, word := range r.many(n) {
				use := oneOf(r, word, outside.Uses...)
				if slices.Contains(p.Uses, use) {
					r.problem(word, "%s is given twice", use)
				}
				p.Uses = append(p.Uses, use)
			}
			slices.SortFunc(p.Uses, func(a, b string) int { return slices.Index(outside.Uses, a) - slices.Index(outside.Uses, b) })
		}})
	if r.reported > before {
		return e, false
	}
	if _, err := commandInfo(e.Name, p.WithoutFiles()); err != nil {
		r.problem(given, "%v", err)
		return e, false
	}
	text := string(mustJSON(p))
	if r.commands == nil {
		r.commands = map[string]string{}
	}
	if other, there := r.commands[e.Name]; there && other != text {
		r.problem(given, "another command of the grid has the name %s too; give one of them another name", e.Name)
	}
	r.commands[e.Name] = text
	return e, r.reported == before
}

// commandFiles reads names of files, which are sorted.
func (r *reader) commandFiles(n item) []outside.File {
	var files []outside.File
	names := r.texts(n)
	slices.Sort(names)
	for _, name := range names {
		if err := outside.CheckFileName(name); err != nil {
			r.problem(n, "%v", err)
		}
		files = append(files, outside.File{Name: name})
	}
	return files
}
