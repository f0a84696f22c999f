package gridfile

import (
	"bytes"
	"errors"
	"fmt"
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
		switch {
		case strings.Contains(text, "tab ") || strings.Contains(text, "cannot start any token") && tabIndent.Match(data):
			text += "; indent with blanks, not with tabs"
		case strings.Contains(text, "escape"):
			text += "; in double quotes \\ begins an escape: write paths in single quotes"
		case bytes.Contains(data, []byte("${")):
			text += "; ${...} is not replaced: write the value itself, and ~/ for your home folder"
		}
		r.problems.Add(whole.Problem("no YAML: %s", text))
		return nil
	}
	if tree.Kind != yaml.MappingNode {
		whole.Line = tree.Line
		r.problems.Add(whole.Problem("%s is not allowed; a grid is a map with the keys name, data, models, methods, ...; `coordinator init FILE` writes one for a file of data", Describe(tree)))
		return nil
	}
	return tree
}

var tabIndent = regexp.MustCompile(`(?m)^ *\t`)

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

// override applies "key=value", a dotted path with list indexes and YAML. It creates missing maps,
// but no list entries.
func (r *Reader) override(root *yaml.Node, set string) {
	key, text, found := strings.Cut(set, "=")
	at := Place{File: r.File, Set: set, Key: key}
	if !found || key == "" {
		at.Key = ""
		r.problems.Add(at.Problem("not of the form key=value, for example repeats=2 or models.0.lasso.alpha=[0.1, 0.2]"))
		return
	}
	value, err := parseTree([]byte(text))
	if err != nil {
		r.problems.Add(at.Problem("the value is no YAML: %v", err))
		return
	}
	r.mark(value, set)
	node := root
	path := strings.Split(key, ".")
	for i, name := range path {
		next, err := r.descend(node, name, set)
		if err != nil {
			r.problems.Add(at.Problem("%v", err))
			return
		}
		if i == len(path)-1 {
			*next = *value
			r.origin[next] = set
			return
		}
		if next.Kind == 0 {
			next.Kind, next.Tag = yaml.MappingNode, "!!map"
			r.origin[next] = set
		}
		node = next
	}
}

// descend adds a missing key of a map without value.
func (r *Reader) descend(node *yaml.Node, name, set string) (*yaml.Node, error) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == name {
				return node.Content[i+1], nil
			}
		}
		key, next := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, &yaml.Node{}
		r.origin[key] = set
		node.Content = append(node.Content, key, next)
		return next, nil
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(node.Content) {
			return node.Content[i], nil
		}
		return nil, fmt.Errorf("%q is no index of a list of %d entries, which count from 0", Clip(name), len(node.Content))
	}
	return nil, fmt.Errorf("%s has no part %q; only maps and lists have parts", Describe(node), Clip(name))
}

func (r *Reader) mark(node *yaml.Node, set string) {
	r.origin[node] = set
	node.Line = 0
	for _, part := range node.Content {
		r.mark(part, set)
	}
}
