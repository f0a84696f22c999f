package gridfile

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const MaxFile = 16 << 20 // bytes

// Open parses a grid file's text, named file in messages, and applies overrides "key=value". Errors
// are [Problems].
func Open(data []byte, file string, set []string) (*Reader, Item, error) {
	r := &Reader{File: file, origin: map[*yaml.Node]string{}}
	tree := r.tree(data)
	if tree == nil {
		return nil, Item{}, r.Err()
	}
	for _, s := range set {
		r.override(tree, s)
	}
	if r.refuseAliases(tree); len(r.problems) > 0 {
		return nil, Item{}, r.Err()
	}
	return r, Item{Node: tree}, nil
}

func (r *Reader) tree(data []byte) *yaml.Node {
	whole := Place{File: r.File}
	if len(data) > MaxFile {
		r.problems.Add(whole.Problem("the file is larger than %d MiB, the most allowed for a grid", MaxFile>>20))
		return nil
	}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) {
			whole.Line = i + 1
			r.problems.Add(whole.Problem("not UTF-8; a grid file is UTF-8 text"))
			return nil
		}
	}
	tree, err := parseTree(data)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "yaml: ")
		if match := yamlLine.FindStringSubmatch(text); match != nil {
			whole.Line, _ = strconv.Atoi(match[1])
			text = match[2]
		}
		r.problems.Add(whole.Problem("no YAML: %s", text))
		return nil
	}
	if tree.Kind != yaml.MappingNode {
		whole.Line = tree.Line
		r.problems.Add(whole.Problem("%s is not allowed; a grid is a map with the keys name, data, models, methods, ...", Describe(tree)))
		return nil
	}
	return tree
}

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// parseTree requires one document that is not empty.
func parseTree(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, next yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty")
	case err != nil:
		return nil, err
	case document.Kind != yaml.DocumentNode || len(document.Content) != 1:
		return nil, errors.New("it is empty")
	}
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, errors.New("it holds more than one document")
	}
	return document.Content[0], nil
}

// refuseAliases reports anchors and aliases: a value would have two places, and a small file could
// expand without end.
func (r *Reader) refuseAliases(node *yaml.Node) {
	if node.Anchor != "" || node.Kind == yaml.AliasNode {
		at := Place{File: r.File, Line: node.Line, Set: r.origin[node]}
		r.problems.Add(at.Problem("anchors and aliases (& and *) are not allowed; top-level keys are the defaults of all sweeps"))
		return
	}
	for _, part := range node.Content {
		r.refuseAliases(part)
	}
}
