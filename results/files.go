package results

// CellsFile is the table of cells in DIR.
const CellsFile = "cells.arrow"
