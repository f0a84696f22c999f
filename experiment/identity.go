package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
)

// Identity returns the identity of a cell: the first 16 bytes, in hex, of the SHA-256 of its
// canonical form.
func Identity(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:16])
}

// DecodeStrictly decodes exactly one JSON value and rejects unknown fields.
func DecodeStrictly(text []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// DecodeCell decodes the canonical form of a cell and checks it. A field that is not known here is
// something that a later agepath computes, a [*NeedError].
func DecodeCell[C any](spec []byte, check func(*C) error) (*C, error) {
	c := new(C)
	err := DecodeStrictly(spec, c)
	if err == nil {
		err = check(c)
	} else if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok { // encoding/json has no type for it
		err = &NeedError{Need: Need{Name: "parameter " + field}}
	}
	if err != nil {
		return nil, fmt.Errorf("decoding a cell: %w", err)
	}
	return c, nil
}

// CheckVersion refuses cells of another kind or of another version than here.
func CheckVersion(kind, own string, version int, here Need) error {
	if kind != own {
		return fmt.Errorf("its kind is %q, not %s", kind, own)
	}
	if version != here.Version {
		return &NeedError{Need: Need{Name: here.Name, Version: version}, Here: here.Version}
	}
	return nil
}

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

// Platform names what this process computes on, such as linux/amd64. "+fma" is appended where the
// compiler has fused operations, as Go does on arm64 without -gcflags=all=-d=fmahash=qn.
func Platform() string {
	const factor, square = 1 + 0x1p-30, 1 + 0x1p-29 // rounded
	if productSum(factor, factor, -square) != 0 {
		return runtime.GOOS + "/" + runtime.GOARCH + "+fma"
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}

//go:noinline
func productSum(x, y, z float64) float64 { return x*y + z }

// SameArithmetic reports whether two platforms compute the same bits, as amd64 and arm64 do without
// +fma. An empty, unknown platform counts as the same.
func SameArithmetic(a, b string) bool {
	_, a, _ = strings.Cut(a, "/")
	_, b, _ = strings.Cut(b, "/")
	return a == "" || b == "" || a == b || a+b == "amd64arm64" || a+b == "arm64amd64"
}

// Rounding is the difference up to which numbers of platforms with different arithmetic count as
// equal.
const Rounding = 1e-9
