package results

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/agepath/agepath/experiment"
)

// cellKey is a cell's identity: the bytes of its 32 hex digits.
type cellKey [16]byte

func parseCell(cell string) (cellKey, error) {
	var key cellKey
	if len(cell) != 2*len(key) {
		return key, fmt.Errorf("cell %q: the identity of a cell is 32 hex digits", cell)
	}
	var text [2 * len(key)]byte
	copy(text[:], cell)
	if _, err := hex.Decode(key[:], text[:]); err != nil || !isLower(cell) {
		return key, fmt.Errorf("cell %q: the identity of a cell is 32 hex digits, letters in lower case", cell)
	}
	return key, nil
}

func isLower(s string) bool {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

func (k cellKey) String() string { return hex.EncodeToString(k[:]) }

// source is where the rows of a cell are: one batch of the streams of one
// segment, the same in every table. Segment 0 are the final files, in which
// rows are found by the cell alone.
type source struct {
	segment, batch int32
}

// entry is one cell of the index.
type entry struct {
	key    cellKey
	source source
	status uint8 // position in experiment.Statuses
}

// index knows the durable cells. It takes about 80 bytes a cell.
type index struct {
	entries []entry // in the order of the final file, then of arrival
	slots   map[cellKey]int32
	counts  map[experiment.Status]int
}

func newIndex() *index {
	return &index{slots: map[cellKey]int32{}, counts: map[experiment.Status]int{}}
}

// set makes a source the place of a cell's rows; rows elsewhere are dead.
func (x *index) set(key cellKey, at source, status experiment.Status) error {
	number := slices.Index(experiment.Statuses, status)
	if number < 0 {
		return fmt.Errorf("cell %s: there is no status %q", key, status)
	}
	x.counts[status]++
	if slot, ok := x.slots[key]; ok {
		e := &x.entries[slot]
		x.counts[experiment.Statuses[e.status]]--
		e.source, e.status = at, uint8(number)
		return nil
	}
	x.slots[key] = int32(len(x.entries))
	x.entries = append(x.entries, entry{key, at, uint8(number)})
	return nil
}

func (x *index) find(cell string) (*entry, int32, bool) {
	key, err := parseCell(cell)
	if err != nil {
		return nil, 0, false
	}
	slot, ok := x.slots[key]
	if !ok {
		return nil, 0, false
	}
	return &x.entries[slot], slot, true
}

// sort puts the entries in the given order; cells it does not know come last,
// by identity. It reports whether that is the order they were in.
func (x *index) sort(order func(cell string) (int64, bool)) (same bool) {
	type place struct {
		unknown bool
		rank    int64
		slot    int32
	}
	places := make([]place, len(x.entries))
	for i := range x.entries {
		rank, known := order(x.entries[i].key.String())
		if !known {
			rank = 0
		}
		places[i] = place{!known, rank, int32(i)}
	}
	compare := func(a, b place) int {
		if a.unknown != b.unknown {
			if a.unknown {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank),
			bytes.Compare(x.entries[a.slot].key[:], x.entries[b.slot].key[:]))
	}
	if slices.IsSortedFunc(places, compare) {
		return true
	}
	slices.SortFunc(places, compare)
	sorted := make([]entry, len(places))
	for i, p := range places {
		sorted[i] = x.entries[p.slot]
		x.slots[sorted[i].key] = int32(i)
	}
	x.entries = sorted
	return false
}

// settle moves all cells to the final files.
func (x *index) settle() {
	for i := range x.entries {
		x.entries[i].source = source{}
	}
}
