package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// seedBits bounds seeds so that readers of JSON or CSV that store numbers as float64 hold them
// exactly.
const seedBits = 53

// CellSeed derives the seed of all cells of a repeat (from 1): they share split and contamination.
func CellSeed(gridSeed int64, repeat int) int64 {
	text := []byte("agepath cell seed")
	text = binary.BigEndian.AppendUint64(text, uint64(gridSeed))
	text = binary.BigEndian.AppendUint64(text, uint64(repeat))
	sum := sha256.Sum256(text)
	return int64(binary.BigEndian.Uint64(sum[:8]) >> (64 - seedBits))
}

// Stream returns a new random stream of a seed for a purpose, such as "split". Streams of different
// purposes or seeds are independent.
func Stream(seed int64, purpose string) *rand.Rand {
	text := []byte("agepath stream")
	text = binary.BigEndian.AppendUint64(text, uint64(seed))
	text = append(text, purpose...)
	return rand.New(rand.NewChaCha8(sha256.Sum256(text)))
}
