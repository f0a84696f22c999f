package results

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/agepath/agepath/internal/disk"
)

// Arrow files written here have checksums for every byte, between the stream's end marker and the
// footer, where no reader looks. A section is a batch, the first with everything before it, the
// last the end marker.
//
//	for each section: its end in the file (int64), CRC-32C (uint32), zero (uint32)
//	CRC-32C of the footer up to the end of the file (uint32)
//	number of sections (uint32)
//	CRC-32C of this block up to here (uint32)
//	"SUMS"
//
// Numbers are little-endian. The schema's metadata ([MetadataChecksums]) records that the block
// exists, so that damage cannot hide it.

const (
	sumsMagic  = "SUMS"
	sumsTail   = 16 // bytes after the sections
	sumSection = 16 // bytes of a section
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type sums struct {
	crc   uint32 // of the current section
	block []byte // the earlier sections
}

func (s *sums) add(p []byte) { s.crc = crc32.Update(s.crc, castagnoli, p) }

func (s *sums) endSection(at int64) {
	s.block = binary.LittleEndian.AppendUint64(s.block, uint64(at))
	s.block = binary.LittleEndian.AppendUint64(s.block, uint64(s.crc))
	s.crc = 0
}

func (s *sums) close(footer []byte) []byte {
	n := uint32(len(s.block) / sumSection)
	block := binary.LittleEndian.AppendUint32(s.block, crc32.Checksum(footer, castagnoli))
	block = binary.LittleEndian.AppendUint32(block, n)
	block = binary.LittleEndian.AppendUint32(block, crc32.Checksum(block, castagnoli))
	return append(block, sumsMagic...)
}

// DamageError reports that a file of results differs from what was written.
type DamageError struct {
	Path string
	What string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged: %s; restore the folder from a copy, or remove all *.arrow files of it and compute the cells again", e.Path, e.What)
}

// checkSums reads a whole file. A file without checksums is a [*DamageError].
func checkSums(ctx context.Context, d disk.FS, path string) error {
	t := &TableReader{path: path}
	var err error
	if t.file, err = d.Open(path); err == nil {
		defer t.file.Close()
		if t.messages.size, err = t.file.Size(); err == nil {
			err = t.skipMagic()
		}
	}
	switch {
	case errors.Is(err, errNoFooter):
		return &DamageError{path, err.Error()}
	case err == nil && !t.isFile:
		return &DamageError{path, "it does not begin as an Arrow file"}
	case err == nil:
		err = t.checkSums(ctx)
	}
	var damage *DamageError
	if err != nil && !errors.As(err, &damage) {
		err = fmt.Errorf("reading %s: %w", path, disk.WithoutPath(err, path))
	}
	return err
}

func (t *TableReader) checkSums(ctx context.Context) error {
	footer := t.messages.size
	block, err := t.sumsBlock(footer)
	if err != nil {
		return err
	}
	end := int64(0)
	in := bufio.NewReaderSize(io.NewSectionReader(t.file, 0, footer), 1<<20)
	for k := 0; len(block) > sumsTail; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := int64(binary.LittleEndian.Uint64(block))
		crc := crc32.New(castagnoli)
		if next < end || next > footer {
			return &DamageError{t.path, "its checksums make no sense"}
		}
		if _, err := io.CopyN(crc, in, next-end); err != nil {
			return err
		}
		if crc.Sum32() != binary.LittleEndian.Uint32(block[8:]) {
			what := fmt.Sprintf("the checksum of batch %d, bytes %d to %d, differs", k, end, next)
			if len(block) == sumSection+sumsTail {
				what = fmt.Sprintf("the checksum of its end, bytes %d to %d, differs", end, next)
			}
			return &DamageError{t.path, what}
		}
		end, block = next, block[sumSection:]
	}
	size, err := t.file.Size()
	if err != nil {
		return err
	}
	crc := crc32.New(castagnoli)
	if _, err := io.Copy(crc, io.NewSectionReader(t.file, footer, size-footer)); err != nil {
		return err
	}
	if crc.Sum32() != binary.LittleEndian.Uint32(block) {
		return &DamageError{t.path, "the checksum of its footer differs"}
	}
	return nil
}

func (t *TableReader) sumsBlock(footer int64) ([]byte, error) {
	var tail [sumsTail]byte
	if footer >= sumsTail {
		if _, err := t.file.ReadAt(tail[:], footer-sumsTail); err != nil {
			return nil, err
		}
	}
	if string(tail[12:]) != sumsMagic {
		return nil, &DamageError{t.path, "its checksums are not where they should be"}
	}
	length := int64(binary.LittleEndian.Uint32(tail[4:]))*sumSection + sumsTail
	if length > footer {
		return nil, &DamageError{t.path, "its checksums make no sense"}
	}
	block := make([]byte, length)
	if _, err := t.file.ReadAt(block, footer-length); err != nil {
		return nil, err
	}
	if crc32.Checksum(block[:length-8], castagnoli) != binary.LittleEndian.Uint32(tail[8:]) {
		return nil, &DamageError{t.path, "the checksum of its checksums differs"}
	}
	if n := len(block); n < sumSection+sumsTail || int64(binary.LittleEndian.Uint64(block[n-sumsTail-sumSection:])) != footer-length {
		return nil, &DamageError{t.path, "its checksums make no sense"}
	}
	return block, nil
}

// CheckFiles refuses a damaged file. For a file of another version the error says so: its checksums
// may have another form.
func CheckFiles(ctx context.Context, dir string) error {
	names, err := disk.OS{}.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if filepath.Ext(name) != ".arrow" {
			continue
		}
		path := filepath.Join(dir, name)
		err := checkSums(ctx, disk.OS{}, path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if t, opening := OpenTable(path, nil); opening == nil {
			t.Close()
		} else if _, ok := errors.AsType[*VersionError](opening); ok {
			return opening
		}
		return err
	}
	return nil
}
