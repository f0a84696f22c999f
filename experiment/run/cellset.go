package run

import "encoding/hex"

// cellKey is the identity of a cell in 16 bytes: runs of millions of cells
// remember each.
type cellKey [16]byte

// keyOf returns the key of a cell's 32 hex digits, false for other names, which
// no plan gives.
func keyOf(cell string) (key cellKey, ok bool) {
	if len(cell) != hex.EncodedLen(len(key)) {
		return key, false
	}
	_, err := hex.Decode(key[:], []byte(cell))
	return key, err == nil
}

// cellSet is a set of cells.
type cellSet map[cellKey]struct{}

func (s cellSet) add(cell string) {
	if key, ok := keyOf(cell); ok {
		s[key] = struct{}{}
	}
}

func (s cellSet) has(cell string) bool {
	key, ok := keyOf(cell)
	if ok {
		_, ok = s[key]
	}
	return ok
}
