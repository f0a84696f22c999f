package gridfile

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
