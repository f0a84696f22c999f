package layout

// PublishedTable is a table of numbers that were published for a kind, as data.
type PublishedTable struct {
	Name   string // grids that reproduce it are named after it
	Number int
	Title  string
	Source string // in which it was published
	Runs   int    // that each mean is over
	Always string // what holds for all rows, in words

	Columns []SheetColumn // what rows state, see [PublishedRow.Words]
	Stated  []Dimension   // that every row states
	Rows    []PublishedRow
}

// PublishedRow is one row of a table.
type PublishedRow struct {
	Setting Setting  // null in what the row does not state
	Words   []string // what it states, for readers; "" for nothing
	Scores  []PublishedScore
	Notes   []string // what is odd in it
}

// PublishedScore is what a method reached.
type PublishedScore struct {
	Method    string // as in grids
	Mean, Std float64
}
