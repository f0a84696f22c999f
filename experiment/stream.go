package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// seedBits bounds the seeds of cells, so that every reader of JSON or CSV
// holds them exactly, also those that keep all numbers as float64.
const seedBits = 53

// CellSeed derives the seed of the cells of one repeat (from 1) from the
// grid's seed. It depends on nothing else: the cells of a repeat share their
// split and contamination whatever their model, method or order.
func CellSeed(gridSeed int64, repeat int) int64 {
	text := []byte("agepath cell seed")
	text = binary.BigEndian.AppendUint64(text, uint64(gridSeed))
	text = binary.BigEndian.AppendUint64(text, uint64(repeat))
	sum := sha256.Sum256(text)
	return int64(binary.BigEndian.Uint64(sum[:8]) >> (64 - seedBits))
}

// Stream returns the random stream of a cell's seed for one purpose, for example
// "split". Streams of different purposes or seeds are independent; each call
// starts the stream anew.
func Stream(seed int64, purpose string) *rand.Rand {
	text := []byte("agepath stream")
	text = binary.BigEndian.AppendUint64(text, uint64(seed))
	text = append(text, purpose...)
	return rand.New(rand.NewChaCha8(sha256.Sum256(text)))
}
