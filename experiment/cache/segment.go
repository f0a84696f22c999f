package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"
)

const (
	magic      = "AOC1"
	headBytes  = 24
	entryBytes = 20

	// A block is written when it has so much.
	blockCells = 4096
	blockBytes = 1 << 20
	// mostCells bounds what the head of a block may say.
	mostCells = 1 << 16
	// mostBody bounds the body of a block, in bytes: an outcome beside the messages has
	// at most a quarter of that.
	mostBody = 1 << 30
)

// key is what outcomes are kept by.
type key [16]byte

// entry is the place of an outcome in the body of a block.
type entry struct {
	key  key
	size uint32
}

// block is what is in a segment together.
type block struct {
	entries []entry
	body    []byte

	// Of one that was read, the body is still in the file.
	at           int64 // of the packed body
	packed, size uint32
	crc          uint32
}

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	packer     = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1)))
	unpacker   = must(zstd.NewReader(nil, zstd.WithDecoderMaxMemory(mostBody), zstd.WithDecoderConcurrency(1)))
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err) // only constants go in
	}
	return value
}

// add adds an outcome.
func (b *block) add(k key, outcome []byte) {
	b.entries = append(b.entries, entry{k, uint32(len(outcome))})
	b.body = append(b.body, outcome...)
}

// encode returns the block as it is written.
func (b *block) encode() []byte {
	head := headBytes + entryBytes*len(b.entries)
	text := packer.EncodeAll(b.body, make([]byte, head, head+len(b.body)/4))
	copy(text, magic)
	binary.LittleEndian.PutUint32(text[4:], uint32(len(b.entries)))
	binary.LittleEndian.PutUint32(text[8:], uint32(len(text)-head))
	binary.LittleEndian.PutUint32(text[12:], uint32(len(b.body)))
	binary.LittleEndian.PutUint32(text[16:], crc32.Checksum(text[head:], castagnoli))
	for i, e := range b.entries {
		at := headBytes + entryBytes*i
		copy(text[at:], e.key[:])
		binary.LittleEndian.PutUint32(text[at+len(e.key):], e.size)
	}
	binary.LittleEndian.PutUint32(text[20:], headSum(text[:head]))
	return text
}

// headSum returns the checksum of a block's head and table.
func headSum(head []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:20], castagnoli), castagnoli, head[headBytes:])
}

// errTorn says that a segment ends within a block: it is being written, or its writer
// was killed.
var errTorn = errors.New("it ends within a block")

// readBlock reads the head and the table of the block at a place of a segment of so many
// bytes.
func readBlock(r io.ReaderAt, at, size int64) (*block, error) {
	var start [headBytes]byte
	if size-at < headBytes {
		return nil, errTorn
	}
	if _, err := r.ReadAt(start[:], at); err != nil {
		return nil, err
	}
	cells, packed := binary.LittleEndian.Uint32(start[4:]), binary.LittleEndian.Uint32(start[8:])
	b := &block{packed: packed, size: binary.LittleEndian.Uint32(start[12:]), crc: binary.LittleEndian.Uint32(start[16:])}
	if string(start[:4]) != magic || cells > mostCells || b.size > mostBody {
		return nil, fmt.Errorf("no block begins at byte %d", at)
	}
	head := make([]byte, headBytes+entryBytes*int(cells))
	b.at = at + int64(len(head))
	if size-b.at < int64(packed) {
		return nil, errTorn
	}
	if _, err := r.ReadAt(head, at); err != nil {
		return nil, err
	}
	if headSum(head) != binary.LittleEndian.Uint32(start[20:]) {
		return nil, fmt.Errorf("the checksum of the block at byte %d is another", at)
	}
	b.entries = make([]entry, cells)
	for i := range b.entries {
		text := head[headBytes+entryBytes*i:]
		b.entries[i].size = binary.LittleEndian.Uint32(text[len(key{}):])
		copy(b.entries[i].key[:], text)
	}
	return b, nil
}

// end returns where the block ends in its segment.
func (b *block) end() int64 { return b.at + int64(b.packed) }

// load reads the body of a block.
func (b *block) load(r io.ReaderAt) error {
	packed := make([]byte, b.packed)
	if _, err := r.ReadAt(packed, b.at); err != nil {
		return err
	}
	if crc32.Checksum(packed, castagnoli) != b.crc {
		return fmt.Errorf("the checksum of the outcomes at byte %d is another", b.at)
	}
	body, err := unpacker.DecodeAll(packed, make([]byte, 0, b.size))
	if err != nil {
		return fmt.Errorf("the outcomes at byte %d: %w", b.at, err)
	}
	total := uint64(0)
	for _, e := range b.entries {
		total += uint64(e.size)
	}
	if len(body) != int(b.size) || total != uint64(b.size) {
		return fmt.Errorf("the outcomes at byte %d have %d bytes; the block says %d", b.at, len(body), b.size)
	}
	b.body = body
	return nil
}

// scan calls do with the whole blocks of a segment and returns where the last one ends.
// That the segment is torn there is no error.
func scan(file *os.File, do func(*block) error) (end int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	for end < info.Size() {
		b, err := readBlock(file, end, info.Size())
		if errors.Is(err, errTorn) {
			return end, nil
		}
		if err == nil {
			err = do(b)
		}
		if err != nil {
			return end, err
		}
		end = b.end()
	}
	return end, nil
}

// segment is a file of the cache.
type segment struct {
	path         string
	lane, number int
	size         int64
	used         time.Time
}

var segmentPattern = regexp.MustCompile(`^(\d{2})-(\d{6,9})\.outcomes$`)

func segmentName(lane, number int) string { return fmt.Sprintf("%02d-%06d.outcomes", lane, number) }

func lockName(lane int) string { return fmt.Sprintf("%02d.lock", lane) }

// segments lists the segments of a folder, those used last first. A folder that is not
// there has none.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var list []segment
	for _, item := range entries {
		m := segmentPattern.FindStringSubmatch(item.Name())
		if m == nil {
			continue
		}
		info, err := item.Info()
		if err != nil { // another process removed it
			continue
		}
		lane, _ := strconv.Atoi(m[1])
		number, _ := strconv.Atoi(m[2])
		list = append(list, segment{filepath.Join(dir, item.Name()), lane, number, info.Size(), info.ModTime()})
	}
	slices.SortFunc(list, func(a, b segment) int { return b.used.Compare(a.used) })
	return list, err
}

// segmentBytes returns how large a segment gets within a limit of all of them.
func segmentBytes(limit int64) int64 { return min(max(limit/16, 64<<10), 64<<20) }

// outcomeBytes returns how large an outcome may be that is kept.
func outcomeBytes(limit int64) int64 { return min(limit/4, math.MaxInt32/8) }
