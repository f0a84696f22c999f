package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	maxFile    = 16 << 20 // bytes of a grid file
	maxName    = 100      // characters of a grid's name
	maxRepeats = 1_000_000
)

// MaxAttempts is the most attempts that a cell can have.
const MaxAttempts = 1000

// Defaults of a grid file; those of a sweep are in parse_sweep.go.
const (
	defaultSeed     = 40 // the paper's
	defaultRepeats  = 1
	defaultAttempts = 3
)

// section is what one kind of experiment adds to a grid file.
type section struct {
	keys []string
	read func(r *reader, root item, fields map[string]item, g *Grid)
}

// sections holds the kinds of experiment that a grid file can name.
var sections = map[string]section{
	SelfPaced: {keys: slices.Concat([]string{"sweeps", "keep"}, sweepKeys, []string{"select"}), read: (*reader).selfPaced},
}

// commonKeys are the keys of every kind of experiment.
var commonKeys = []string{"name", "experiment", "seed", "repeats", "limits"}

// ParseFile reads the grid file and applies the overrides, each "key=value"
// with a dotted path with list indexes, such as models.0.lasso.alpha=[0.1].
// An error in the grid is of type [Problems].
func ParseFile(path string, set []string) (*Grid, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the grid: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the grid: %w", err)
	}
	return Parse(data, path, set)
}

// Parse is [ParseFile] for a text in memory; file is its name in messages and
// for paths of data sets, which are relative to the file's folder.
func Parse(data []byte, file string, set []string) (*Grid, error) {
	r := &reader{file: file, origin: map[*yaml.Node]string{}}
	tree := r.tree(data)
	if tree == nil {
		return nil, r.problems.err()
	}
	for _, s := range set {
		r.override(tree, s)
	}
	root := item{Node: tree}
	if r.refuseAliases(tree); len(r.problems) > 0 {
		return nil, r.problems.err()
	}
	g := &Grid{File: file, Source: data, Set: set, place: r.place(root)}
	r.grid(root, g)
	if err := r.problems.err(); err != nil {
		return nil, err
	}
	return g, nil
}

// tree parses the file's text into a map, nil after a problem.
func (r *reader) tree(data []byte) *yaml.Node {
	whole := place{file: r.file}
	if len(data) > maxFile {
		r.problems.add(whole.problem("the file is larger than %d MiB, the most allowed for a grid", maxFile>>20))
		return nil
	}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) {
			whole.line = i + 1
			r.problems.add(whole.problem("not UTF-8; a grid file is UTF-8 text"))
			return nil
		}
	}
	tree, err := parseTree(data)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "yaml: ")
		if match := yamlLine.FindStringSubmatch(text); match != nil {
			whole.line, _ = strconv.Atoi(match[1])
			text = match[2]
		}
		r.problems.add(whole.problem("no YAML: %s", text))
		return nil
	}
	if tree.Kind != yaml.MappingNode {
		whole.line = tree.Line
		r.problems.add(whole.problem("%s is not allowed; a grid is a map with the keys name, data, models, methods, ...", describe(tree)))
		return nil
	}
	return tree
}

// yamlLine takes the line number out of the parser's messages.
var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// parseTree parses the one document of a text. An empty text is an error.
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

// refuseAliases reports anchors and aliases: they would give one value two
// places, and let a small file stand for an endless one.
func (r *reader) refuseAliases(node *yaml.Node) {
	if node.Anchor != "" || node.Kind == yaml.AliasNode {
		at := place{file: r.file, line: node.Line, set: r.origin[node]}
		r.problems.add(at.problem("anchors and aliases (& and *) are not allowed; top-level keys are the defaults of all sweeps"))
		return
	}
	for _, part := range node.Content {
		r.refuseAliases(part)
	}
}

// grid reads the keys of every kind and hands over to the kind's section.
func (r *reader) grid(root item, g *Grid) {
	g.Kind = SelfPaced
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "experiment" {
			g.Kind = oneOf(r, item{root.Content[i+1], "experiment"}, kindNames()...)
		}
	}
	section, known := sections[g.Kind]
	if !known {
		return
	}
	fields := r.fields(root, slices.Concat(commonKeys, section.keys)...)
	g.Name = plainName(strings.TrimSuffix(filepath.Base(r.file), filepath.Ext(r.file)))
	g.Seed, g.Repeats = defaultSeed, defaultRepeats
	read(fields,
		key{"name", into(&g.Name, r.name)},
		key{"seed", into(&g.Seed, integer[int64](r, math.MinInt64, math.MaxInt64))},
		key{"repeats", into(&g.Repeats, integer(r, 1, maxRepeats))})
	g.Limits = r.limits(fields["limits"])
	section.read(r, root, fields, g)
}

func kindNames() []string { return slices.Sorted(maps.Keys(sections)) }

// name reads a grid's name: printable, fit for a folder's name, with at least
// one letter or digit to make the name of a run from.
func (r *reader) name(n item) string {
	name := r.text(n)
	plain := func(c rune) bool { return c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) }
	bad := func(c rune) bool { return !unicode.IsPrint(c) || c == '/' || c == '\\' }
	if name != "" && (utf8.RuneCountInString(name) > maxName || !strings.ContainsFunc(name, plain) ||
		strings.ContainsFunc(name, bad) || strings.HasPrefix(name, ".")) {
		r.problem(n, "%s is not allowed; a name of at most %d printable characters is, with a letter a-z or a digit, without / and \\ and not starting with a point", describe(n.Node), maxName)
	}
	return name
}
