package report

import "github.com/agepath/agepath/results/layout"

type (
	section     = layout.Section
	sheet       = layout.Sheet
	sheetColumn = layout.SheetColumn
	sheetCell   = layout.SheetCell
)
