package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
)

// limits bound what reading a table may take: a line in bytes, the columns of
// a table and the labels of a target, and the memory by [Need]. Without them one
// line without an end, one index of a sparse row, or a short gzip file of many
// rows would fill the memory.
type limits struct {
	line, columns int
	memory        int64
}

// limited returns the limits with the given memory, [DefaultMemory] for 0.
func limited(memory int64) limits {
	return limits{line: 64 << 20, columns: 1 << 20, memory: cmp.Or(memory, DefaultMemory)}
}

// readBuffer is the size of the reader's buffer, and so of what is looked at
// to tell the format.
const readBuffer = 256 << 10

// lines reads a text line by line: unpacks gzip, leaves out a byte order mark
// and line ends, counts lines from 1, bounds their length.
type lines struct {
	in    *bufio.Reader
	gzip  bool
	limit int
	line  int    // number of the line last read
	long  []byte // a line longer than the buffer
}

// contextReader makes every read of r end with the context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	utf8Mark  = []byte("\xef\xbb\xbf")
)

// others are the beginnings of files that are no text.
var others = []struct{ magic, what string }{
	{"PK\x03\x04", "a zip archive"},
	{"BZh", "packed by bzip2"},
	{"\xfd7zXZ\x00", "packed by xz"},
	{"\x28\xb5\x2f\xfd", "packed by zstd"},
	{"ARROW1", "an Arrow file"},
	{"PAR1", "a Parquet file"},
	{"\x89HDF", "an HDF5 file"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xfe\xff", "UTF-16 text"},
}

// unpacked returns a text that ends with the context, and whether it was gzipped.
func unpacked(ctx context.Context, r io.Reader) (text *bufio.Reader, packed bool, err error) {
	text = bufio.NewReaderSize(contextReader{ctx, r}, readBuffer)
	if magic, err := text.Peek(len(gzipMagic)); err != nil && err != io.EOF || !bytes.Equal(magic, gzipMagic) {
		return text, false, nil // a later read has the error
	}
	contents, err := gzip.NewReader(text)
	if err != nil {
		return nil, true, explain(err)
	}
	return bufio.NewReaderSize(contextReader{ctx, contents}, readBuffer), true, nil
}

func newLines(ctx context.Context, r io.Reader, limit int) (*lines, error) {
	text, packed, err := unpacked(ctx, r)
	if err != nil {
		return nil, err
	}
	l := &lines{in: text, gzip: packed, limit: limit}
	start, err := l.peek(8)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		if bytes.HasPrefix(start, []byte(other.magic)) {
			return nil, fmt.Errorf("%s: allowed is UTF-8 text, also packed by gzip", other.what)
		}
	}
	if bytes.HasPrefix(start, utf8Mark) {
		_, err = l.in.Discard(len(utf8Mark))
	}
	return l, err
}

// peek returns the next n bytes, fewer at the end of the text.
func (l *lines) peek(n int) ([]byte, error) {
	b, err := l.in.Peek(n)
	if err != nil && err != io.EOF {
		return nil, l.explain(err)
	}
	return b, nil
}

// next returns the next line without its end, good until the next call, and
// io.EOF after the last one.
func (l *lines) next() ([]byte, error) {
	b, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		b, err = l.nextLong(b)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(b) == 0) {
		if !errors.Is(err, io.EOF) {
			l.line++
			err = l.explain(err)
		}
		return nil, err
	}
	l.line++
	b = bytes.TrimSuffix(b, []byte("\n"))
	return bytes.TrimSuffix(b, []byte("\r")), nil
}

// nextLong collects a line longer than the buffer, of which b is the start.
func (l *lines) nextLong(b []byte) ([]byte, error) {
	l.long = append(l.long[:0], b...)
	for {
		b, err := l.in.ReadSlice('\n')
		l.long = append(l.long, b...)
		if len(l.long) > l.limit {
			return nil, fmt.Errorf("longer than %d bytes, the longest line allowed", l.limit)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, err
		}
	}
}

// skip leaves out n lines.
func (l *lines) skip(n int) error {
	for range n {
		if _, err := l.next(); err != nil {
			return err
		}
	}
	return nil
}

// explain says what an error of reading means for the file.
func (l *lines) explain(err error) error {
	if l.gzip {
		return explain(err)
	}
	return err
}

// explain says what an error of the unpacker means for the file.
func explain(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("truncated: the gzip data ends in the middle")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return fmt.Errorf("damaged gzip data: %w", err)
	}
	return err
}

// checkText refuses what no text file holds.
func checkText(b []byte) error {
	if !utf8.Valid(b) {
		at := 0
		for r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(b[at:]) {
			at += size
		}
		return fmt.Errorf("byte %d (0x%02x) is not UTF-8", at+1, b[at])
	}
	if at := bytes.IndexByte(b, 0); at >= 0 {
		return fmt.Errorf("byte %d is zero: this is no text file", at+1)
	}
	return nil
}
