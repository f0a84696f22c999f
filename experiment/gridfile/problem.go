package gridfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one problem of a grid: where, what is wrong and what is allowed.
type Problem struct {
	File string
	Line int    // from 1; 0 if unknown
	Set  string // override that holds the value, "" for the file
	Key  string // dotted path with list indexes, as in --set; "" for the whole file
	Text string
}

// Error returns "file:line: key: text", or "--set key=value: key: text" for an override.
func (p *Problem) Error() string {
	var b strings.Builder
	switch {
	case p.Set != "":
		fmt.Fprintf(&b, "--set %s: ", p.Set)
	case p.Line > 0:
		fmt.Fprintf(&b, "%s:%d: ", p.File, p.Line)
	default:
		fmt.Fprintf(&b, "%s: ", p.File)
	}
	if p.Key != "" {
		fmt.Fprintf(&b, "%s: ", p.Key)
	}
	b.WriteString(p.Text)
	return b.String()
}

// Problems are the problems of a grid, one per line in the order of the file, at most
// [MaxProblems].
type Problems []*Problem

const MaxProblems = 100

func (p Problems) Error() string {
	lines := make([]string, 0, len(p)+1)
	for _, problem := range p {
		lines = append(lines, problem.Error())
	}
	if len(p) == MaxProblems {
		lines = append(lines, fmt.Sprintf("only the first %d problems are shown", MaxProblems))
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets [errors.As] find each [Problem].
func (p Problems) Unwrap() []error {
	list := make([]error, len(p))
	for i, problem := range p {
		list[i] = problem
	}
	return list
}

// Add adds a new problem up to [MaxProblems].
func (p *Problems) Add(problem Problem) {
	if len(*p) < MaxProblems && !slices.ContainsFunc(*p, func(q *Problem) bool { return *q == problem }) {
		*p = append(*p, &problem)
	}
}

// Err returns the problems sorted by place, nil if there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Line, b.Line))
	})
	return p
}

// Place is a place in a grid.
type Place struct {
	file, set, Key string
	line           int
}

func (p Place) Problem(format string, args ...any) Problem {
	return Problem{File: p.file, Line: p.line, Set: p.set, Key: p.Key, Text: fmt.Sprintf(format, args...)}
}

// Name names the place in messages about another.
func (p Place) Name() string {
	if p.Key == "" {
		return "other cells of the grid"
	}
	return p.Key
}
