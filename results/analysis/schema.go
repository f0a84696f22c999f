package analysis

import (
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/layout"
)

type (
	// Dimension is [layout.Dimension].
	Dimension = layout.Dimension
	// Setting is [layout.Setting].
	Setting = layout.Setting
	// Value is [layout.Value].
	Value = layout.Value
	// Aspect is [layout.Aspect].
	Aspect = layout.Aspect
)

// schema is what the cells table of a kind has.
type schema struct {
	*layout.Layout

	columns []string
}

func schemaOf(kind *experiment.Registration) *schema {
	s := &schema{Layout: kind.Layout}
	for _, column := range kind.Tables().Cells().Columns {
		s.columns = append(s.columns, column.Name)
	}
	return s
}

// has reports whether the kind has a column.
func (s *schema) has(column string) bool { return slices.Contains(s.columns, column) }

// there returns those of the columns that the kind has.
func (s *schema) there(columns ...string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(column string) bool { return !s.has(column) })
}

// scored tells which scores the kind has.
func (s *schema) scored() (has [scores]bool) {
	for score, column := range ScoreColumns {
		has[score] = s.has(column)
	}
	has[SelectionBias] = has[TestAtBestValidation] && has[TestAtBestTest]
	return has
}

// cellColumnNames are the columns that cellColumns finds.
func (s *schema) cellColumnNames() []string {
	return s.there(slices.Concat(s.Columns(), ScoreColumns, timeColumns[:],
		[]string{"method", "method_params", "best_validation", "repeat", "status", "metric", "cell"})...)
}
