package gridfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// Place is a place in a grid.
type Place struct {
	File string
	Line int    // from 1; 0 if unknown
	Set  string // override, "" for the file
	Key  string // dotted path as in --set; "" for the whole file
}

// Problem says what is wrong where, and what is allowed.
type Problem struct {
	Place
	Text  string
	cause error
}

func (p *Problem) Unwrap() error { return p.cause }

// Error returns "file:line: key: text" or "--set key=value: key: text".
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

// Problems are at most [MaxProblems] problems, one per line in the order of the file.
type Problems []*Problem

const MaxProblems = 100

func (p Problems) Error() string {
	lines := lists.Map(p, (*Problem).Error)
	if len(p) == MaxProblems {
		lines = append(lines, fmt.Sprintf("only the first %d problems are shown", MaxProblems))
	}
	return strings.Join(lines, "\n")
}

func (p Problems) Unwrap() []error {
	return lists.Map(p, func(problem *Problem) error { return problem })
}

func (p *Problems) Add(problem Problem) {
	if len(*p) < MaxProblems && !slices.ContainsFunc(*p, func(q *Problem) bool { return q.Place == problem.Place && q.Text == problem.Text }) {
		*p = append(*p, &problem)
	}
}

// Err sorts the problems by place; nil if there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Line, b.Line))
	})
	return p
}

// Problem formats like [fmt.Errorf].
func (p Place) Problem(format string, args ...any) Problem {
	err := fmt.Errorf(format, args...)
	return Problem{p, err.Error(), err}
}

func (p Place) Name() string {
	if p.Key == "" {
		return "other cells of the grid"
	}
	return p.Key
}
