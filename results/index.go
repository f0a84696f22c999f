package results

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// CellKey is a cell's identity.
type CellKey [16]byte

// ParseCell reads 32 hex digits.
func ParseCell(cell string) (CellKey, error) {
	var key CellKey
	if len(cell) != 2*len(key) {
		return key, fmt.Errorf("cell %q: the identity of a cell is 32 hex digits", cell)
	}
	var text [2 * len(key)]byte
	copy(text[:], cell)
	if _, err := hex.Decode(key[:], text[:]); err != nil || strings.ContainsAny(cell, "ABCDEF") {
		return key, fmt.Errorf("cell %q: the identity of a cell is 32 hex digits, letters in lower case", cell)
	}
	return key, nil
}

func (k CellKey) String() string { return hex.EncodeToString(k[:]) }

// Compare orders by identity.
func (k CellKey) Compare(other CellKey) int { return bytes.Compare(k[:], other[:]) }

// rowSource locates a cell's rows: one batch of the streams of one segment, the same in every
// table, or segment 0, the final files.
type rowSource struct {
	segment, batch int32
}

// formerSegment means the files of former grids.
const formerSegment = -1

var inFormer = rowSource{segment: formerSegment}

type entry struct {
	key    CellKey
	source rowSource
	short  float64 // the column short_of, 0 for null
	status uint8   // in experiment.Statuses
	has    uint8   // bit k: k-th further table
}

type index struct {
	entries []entry           // in the order of the final file, then of arrival
	slots   map[CellKey]int32 // in entries

	further []string // tables of entry.has, at most 8
	needed  uint8    // tables required for a computed cell to count as done
}

var indexed = []experiment.Column{
	{Name: "cell", Type: experiment.Text}, {Name: "status", Type: experiment.Text}, {Name: "short_of", Type: experiment.Float}, {Name: "tables", Type: experiment.Text},
}

func newIndex(further, needed []string) *index {
	x := &index{slots: map[CellKey]int32{}, further: further}
	x.needed = x.lists(needed)
	return x
}

func (x *index) lists(names []string) (has uint8) {
	for k, table := range x.further {
		if slices.Contains(names, table) {
			has |= 1 << k
		}
	}
	return has
}

func (x *index) number() {
	clear(x.slots)
	for slot := range x.entries {
		x.slots[x.entries[slot].key] = int32(slot)
	}
}

// set records in has the tables computed for the cell. Its rows elsewhere are dead.
func (x *index) set(key CellKey, at rowSource, status experiment.Status, short float64, has uint8) error {
	number := slices.Index(experiment.Statuses, status)
	if number < 0 {
		return fmt.Errorf("cell %s: there is no status %q", key, status)
	}
	e := entry{key, at, short, uint8(number), has}
	if slot, known := x.slots[key]; known {
		x.entries[slot] = e
		return nil
	}
	x.slots[key] = int32(len(x.entries))
	x.entries = append(x.entries, e)
	return nil
}

// newest returns how a cell ended, and the column short_of; false if it does not exist or lacks needed
// tables.
func (x *index) newest(cell string) (status experiment.Status, short float64, there bool) {
	e, _, ok := x.find(cell)
	if !ok || e.has&x.needed != x.needed && experiment.Statuses[e.status].Computed() {
		return "", 0, false
	}
	return experiment.Statuses[e.status], e.short, true
}

// counts returns the cells of each status, without former grids.
func (x *index) counts() map[experiment.Status]int {
	counts := map[experiment.Status]int{}
	for _, status := range experiment.Statuses {
		counts[status] = 0
	}
	for _, e := range x.entries {
		if e.source != inFormer {
			counts[experiment.Statuses[e.status]]++
		}
	}
	return counts
}

// add expects the columns of indexed. keep, if not nil, selects the known cells to change.
func (x *index) add(f *Frame, at rowSource, keep func(*entry) bool) error {
	statuses := f.Batch.Columns[1].Texts
	last, lists := "", uint8(0) // column tables rarely changes
	for i, cell := range f.Batch.Columns[0].Texts {
		key, err := ParseCell(cell)
		if err != nil {
			return err
		}
		if slot, known := x.slots[key]; known && keep != nil && !keep(&x.entries[slot]) {
			continue
		}
		status, has := experiment.Status(statuses[i]), uint8(0)
		if tables := &f.Batch.Columns[3]; !tables.IsNull(i) {
			if text := tables.Texts[i]; text != last {
				last, lists = text, x.lists(strings.Split(text, ","))
			}
			has = lists
		}
		if err := x.set(key, at, status, f.Batch.Columns[2].Floats[i], has); err != nil {
			return err
		}
	}
	return nil
}

func sourceOf(segment, k int) rowSource {
	if segment <= 0 {
		k = 0
	}
	return rowSource{int32(segment), int32(k)}
}

func (x *index) find(cell string) (*entry, int32, bool) {
	key, err := ParseCell(cell)
	if err != nil {
		return nil, 0, false
	}
	slot, ok := x.slots[key]
	if !ok {
		return nil, 0, false
	}
	return &x.entries[slot], slot, true
}

// sort puts cells outside the order last, by identity. It returns the number of cells in the order,
// and whether the final files have that order.
func (x *index) sort(order iter.Seq[string]) (ordered int, same bool) {
	if len(x.entries) == 0 {
		return 0, true
	}
	same = true
	last := int32(-1) // of the final files
	sorted := make([]entry, 0, len(x.entries))
	known := make([]bool, len(x.entries))
	add := func(slot int32) {
		if x.entries[slot].source.segment == 0 {
			same = same && slot > last
			last = slot
		}
		sorted = append(sorted, x.entries[slot])
		known[slot] = true
	}
	for cell := range order {
		if _, slot, ok := x.find(cell); ok && !known[slot] {
			add(slot)
		}
	}
	ordered = len(sorted)
	var rest []int32
	for slot := range x.entries {
		if !known[slot] {
			rest = append(rest, int32(slot))
		}
	}
	slices.SortFunc(rest, func(a, b int32) int { return x.entries[a].key.Compare(x.entries[b].key) })
	for _, slot := range rest {
		add(slot)
	}
	x.entries = sorted
	x.number()
	return ordered, same
}

func relocate(entries []entry, at rowSource) {
	for i := range entries {
		entries[i].source = at
	}
}
