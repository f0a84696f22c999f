package run

import (
	"bytes"
	"encoding/hex"
)

// cellKey is the identity of a cell in 16 bytes: runs of millions of cells
// remember each.
type cellKey [16]byte

// keyOf returns the key of a cell's 32 hex digits in lower case, false for other names, which
// no plan gives.
func keyOf(cell string) (key cellKey, ok bool) {
	if len(cell) != hex.EncodedLen(len(key)) {
		return key, false
	}
	_, err := hex.Decode(key[:], []byte(cell))
	return key, err == nil && hex.EncodeToString(key[:]) == cell // not in upper case
}

// String returns the 32 hex digits.
func (k cellKey) String() string { return hex.EncodeToString(k[:]) }

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

// compareKeys orders keys by their digits.
func compareKeys(a, b cellKey) int { return bytes.Compare(a[:], b[:]) }
