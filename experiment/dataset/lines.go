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
	"slices"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
)

// limits bound bytes per line, columns (also labels), and memory by [Need], which an endless line,
// one sparse index, or a short gzip file would otherwise fill.
type limits struct {
	line, columns int
	memory        int64
}

func limited(memory int64) limits {
	return limits{line: 64 << 20, columns: 1 << 20, memory: cmp.Or(memory, DefaultMemory)}
}

// readBuffer bounds the part that decides the format.
const readBuffer = 256 << 10

// lines reads lines that end with LF, CRLF or CR from text or gzip, without byte order mark, and
// counts from 1.
type lines struct {
	in    *bufio.Reader
	gzip  bool
	limit int
	line  int
	rest  []byte // unread part after that line; ends at a line end unless open
	open  bool
	long  []byte
}

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

func unpacked(ctx context.Context, r io.Reader) (text *bufio.Reader, packed bool, err error) {
	text = bufio.NewReaderSize(contextReader{ctx, r}, readBuffer)
	if magic, err := text.Peek(len(gzipMagic)); err != nil && err != io.EOF || !bytes.Equal(magic, gzipMagic) {
		return text, false, nil // errors return with the next read
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

// peek returns at least n bytes, fewer at the end.
func (l *lines) peek(n int) ([]byte, error) {
	l.rest = slices.Clone(l.rest) // the buffer may move
	b, err := l.in.Peek(n)
	if err != nil && err != io.EOF {
		return nil, l.explain(err)
	}
	if len(l.rest) == 0 {
		return b, nil
	}
	end := "\n"
	if l.open {
		end = ""
	}
	return slices.Concat(l.rest, []byte(end), b), nil
}

// next returns a line without its end, valid until the next call.
func (l *lines) next() ([]byte, error) {
	if len(l.rest) == 0 {
		b, err := l.in.ReadSlice('\n')
		l.open = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !l.open && (!errors.Is(err, io.EOF) || len(b) == 0) {
			if !errors.Is(err, io.EOF) {
				l.line++
				err = l.explain(err)
			}
			return nil, err
		}
		if l.rest = b; !l.open {
			l.rest = withoutEnd(b)
		}
	}
	if l.open && !hasEnd(l.rest) {
		if err := l.join(); err != nil {
			l.line++
			return nil, l.explain(err)
		}
	}
	l.line++
	line := l.rest
	if i := bytes.IndexByte(line, '\r'); i >= 0 {
		line, l.rest = line[:i], line[i+1:]
	} else {
		l.rest = nil
	}
	return line, nil
}

func withoutEnd(b []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
}

// hasEnd reports whether a CR ends a line within b; a last CR may begin CRLF.
func hasEnd(b []byte) bool { return len(b) > 0 && bytes.IndexByte(b[:len(b)-1], '\r') >= 0 }

// join extends the open rest to a line end.
func (l *lines) join() error {
	l.long = append(l.long[:0], l.rest...)
	for {
		from := max(len(l.long)-1, 0)
		b, err := l.in.ReadSlice('\n')
		l.long = append(l.long, b...)
		l.open = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !l.open && !errors.Is(err, io.EOF) {
			return err
		}
		l.rest = l.long
		if !l.open {
			l.rest = withoutEnd(l.long)
		}
		switch {
		case l.open && hasEnd(l.long[from:]):
			return nil
		case len(l.long) > l.limit && (l.open || !hasEnd(l.long[from:])):
			return fmt.Errorf("longer than %d bytes, the longest line allowed", l.limit)
		case !l.open:
			return nil
		}
	}
}

func (l *lines) skip(n int) error {
	for range n {
		if _, err := l.next(); err != nil {
			return err
		}
	}
	return nil
}

func (l *lines) explain(err error) error {
	if l.gzip {
		return explain(err)
	}
	return err
}

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

// checkText refuses bytes that no text has.
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
