package selfpaced

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
)

// command reads a command method, without digests of its files.
func (r *sectionReader) command(n gridfile.Item) (e MethodEntry, ok bool) {
	before, given := r.Reports(), n.Child("command", n.Content[1])
	uses := []string{outside.UsesModel}
	name, p, ok := experiment.ReadCommand(r.Reader, n, checkCommandName, gridfile.On("uses", func(n gridfile.Item) {
		uses = nil
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 { // only the data
			return
		}
		for _, word := range r.Many(n) {
			use := gridfile.OneOf(r.Reader, word, outside.Uses...)
			if slices.Contains(uses, use) {
				r.Problem(word, "%s is given twice", use)
			}
			uses = append(uses, use)
		}
		slices.SortFunc(uses, func(a, b string) int { return slices.Index(outside.Uses, a) - slices.Index(outside.Uses, b) })
	}))
	p.Uses = uses
	e = MethodEntry{gridfile.Entry{Name: name, Place: r.Place(n)}, p}
	if !ok {
		return e, false
	}
	if _, err := commandInfo(e.Name, p.WithoutFiles()); err != nil {
		r.Problem(given, "%v", err)
		return e, false
	}
	text := string(gridfile.JSON(p))
	if other, there := r.commands[e.Name]; there && other != text {
		r.Problem(given, "another command of the grid has the name %s too; give one of them another name", e.Name)
	}
	r.commands[e.Name] = text
	return e, r.Reports() == before
}
