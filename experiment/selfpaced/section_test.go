package selfpaced

import (
	"iter"

	"github.com/agepath/agepath/experiment"
)

// sectionOf returns what the kind read of a grid.
func sectionOf(g *experiment.Grid) *Section { return g.Section.(*Section) }

// cellsOf yields the cells of a plan.
func cellsOf(p *experiment.Plan) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for cell := range p.Cells() {
			if !yield(cell.(*plannedCell).Cell) {
				return
			}
		}
	}
}

// keepOf keeps the given tables.
func keepOf(names ...string) experiment.Keep {
	kept := map[string]bool{}
	for _, name := range names {
		kept[name] = true
	}
	return experiment.NewKeep(furtherTables, kept)
}
