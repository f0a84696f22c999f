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
	scanner  *bufio.Scanner
	in       *bufio.Reader
	failed   error // of reading
	limit    int
	line     int
	ahead    [][]byte // scanned by peek
	searched int      // bytes without LF
	ended    bool
}

// source is a reader that ends with its context and explains errors of gzip.
type source struct {
	ctx  context.Context
	r    io.Reader
	gzip bool
}

func (s source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	if s.gzip && !errors.Is(err, io.EOF) {
		err = explain(err)
	}
	return n, err
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	utf8Mark  = []byte("\xef\xbb\xbf")
)

const (
	inR      = "write.csv(x, \"x.csv\", row.names = FALSE) in R writes a table that is read"
	inPython = "pandas' to_csv(\"x.csv\", index=False) writes a table that is read"
	toUTF8   = "iconv -f UTF-16 -t UTF-8 converts it"
)

// others are forms of files that are not read, known by bytes at a place, with remedies.
var others = []struct {
	at                  int
	magic, what, remedy string
}{
	{0, "version https://git-lfs", "a pointer of Git LFS to a file that is not here", "git lfs pull fetches it"},
	{0, "PK\x03\x04", "a zip archive, as .xlsx, .ods and .npz are", "unpack it, or save it as CSV"},
	{0, "\xd0\xcf\x11\xe0", "an Excel workbook (.xls)", "save it as CSV"},
	{0, "BZh", "packed by bzip2", "bunzip2 unpacks it"},
	{0, "\xfd7zXZ\x00", "packed by xz", "unxz unpacks it"},
	{0, "\x28\xb5\x2f\xfd", "packed by zstd", "unzstd unpacks it"},
	{257, "ustar", "a tar archive", "tar -xf unpacks it"},
	{0, "ARROW1", "an Arrow file", inPython},
	{0, "PAR1", "a Parquet file", inPython},
	{0, "\x89HDF", "an HDF5 file", inPython},
	{0, "\x80", "a pickle of Python", inPython},
	{0, "\x93NUMPY", "a NumPy array (.npy)", "numpy.savetxt(\"x.csv\", x, delimiter=\",\") writes a table that is read"},
	{0, "X\n\x00\x00\x00", "an R object (.rds)", inR},
	{0, "RDX", "an R workspace (.RData)", inR},
	{0, "MATLAB", "a MATLAB file (.mat)", "writematrix(x, \"x.csv\") in MATLAB writes a table that is read"},
	{0, "SQLite format 3", "an SQLite database", "sqlite3 -header -csv writes a table that is read"},
	{0, "%PDF-", "a PDF document", "download the file itself"},
	{0, "{\"", "JSON", inPython},
	{0, "[{", "JSON", inPython},
	{0, "<", "HTML or XML", "download the file itself, or save it as CSV"},
	{0, "\xff\xfe", "UTF-16 text", toUTF8},
	{0, "\xfe\xff", "UTF-16 text", toUTF8},
}

// members reads the members of gzip data, which zeros may follow, as tapes add them.
type members struct {
	in *bufio.Reader
	*gzip.Reader
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if n > 0 || !errors.Is(err, io.EOF) {
		if n > 0 && errors.Is(err, io.EOF) {
			err = nil // again with the next read
		}
		return n, err
	}
	zeros := false
	for {
		start, err := m.in.Peek(len(gzipMagic))
		switch {
		case len(start) == 0:
			return 0, err
		case start[0] == 0:
			zeros = true
			if _, err := m.in.Discard(1); err != nil {
				return 0, err
			}
			continue
		case zeros || !bytes.Equal(start, gzipMagic):
			return 0, errTrailing
		}
		if err := m.Reset(m.in); err != nil {
			return 0, err
		}
		m.Multistream(false)
		return m.Read(p)
	}
}

var errTrailing = errors.New("damaged gzip data: the bytes after its end are neither zeros nor gzip data; " +
	"gzip -dc FILE > FILE.csv writes what is before them")

func unpacked(ctx context.Context, r io.Reader) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(source{ctx, r, false}, readBuffer)
	if magic, err := text.Peek(len(gzipMagic)); err != nil && err != io.EOF || !bytes.Equal(magic, gzipMagic) {
		return text, nil // errors return with the next read
	}
	contents, err := gzip.NewReader(text)
	if err != nil {
		return nil, explain(err)
	}
	contents.Multistream(false)
	return bufio.NewReaderSize(source{ctx, &members{text, contents}, true}, readBuffer), nil
}

func newLines(ctx context.Context, r io.Reader, limit int) (*lines, error) {
	text, err := unpacked(ctx, r)
	if err != nil {
		return nil, err
	}
	l := &lines{in: text, limit: limit}
	l.scanner = bufio.NewScanner(l)
	l.scanner.Buffer(make([]byte, min(readBuffer, limit)), limit+len("\r\r\n"))
	l.scanner.Split(l.split)
	start, err := text.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for bytes.HasPrefix(start, utf8Mark) {
		if _, err = text.Discard(len(utf8Mark)); err != nil {
			return nil, err
		}
		start = start[len(utf8Mark):]
	}
	for _, other := range others {
		if len(start) > other.at && bytes.HasPrefix(start[other.at:], []byte(other.magic)) {
			return nil, fmt.Errorf("%s: allowed is UTF-8 text, also packed by gzip; %s", other.what, other.remedy)
		}
	}
	return l, nil
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if err != io.EOF {
		l.failed = err
	}
	return n, err
}

// split takes "\r\r\n", which a text mode makes of "\r\n", for one line end.
func (l *lines) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if atEOF && (l.failed != nil || len(data) == 0) {
		return 0, nil, l.failed // a part of a line is none
	}
	feed := len(data)
	if i := bytes.IndexByte(data[l.searched:], '\n'); i >= 0 {
		feed = l.searched + i
	}
	end := feed
	if i := bytes.IndexByte(data[:feed], '\r'); i >= 0 {
		end = i
	}
	rest, size := data[end:], 1
	switch {
	case bytes.HasPrefix(rest, []byte("\n")):
	case len(rest) < 3 && !atEOF: // it may go on
		l.searched = feed
		return 0, nil, nil
	case bytes.HasPrefix(rest, []byte("\r\r\n")):
		size = 3
	case bytes.HasPrefix(rest, []byte("\r\n")):
		size = 2
	}
	advance = min(end+size, len(data))
	l.searched = max(feed-advance, 0)
	return advance, data[:end], nil
}

// scan reports whether there is a line. After an error the scanner would give what is left.
func (l *lines) scan() bool {
	l.ended = l.ended || !l.scanner.Scan()
	return !l.ended
}

// peek returns the lines of the next [readBuffer] bytes.
func (l *lines) peek() [][]byte {
	for size := 0; size < readBuffer && l.scan(); size += len(l.scanner.Bytes()) + 1 {
		l.ahead = append(l.ahead, slices.Clone(l.scanner.Bytes()))
	}
	return l.ahead
}

// next returns a line without its end, valid until the next call.
func (l *lines) next() (line []byte, err error) {
	switch {
	case len(l.ahead) > 0:
		line, l.ahead = l.ahead[0], l.ahead[1:]
	case l.scan():
		line = l.scanner.Bytes()
	case l.scanner.Err() == nil:
		return nil, io.EOF
	case errors.Is(l.scanner.Err(), bufio.ErrTooLong):
		err = fmt.Errorf("longer than %d bytes, the longest line allowed", l.limit)
	default:
		err = l.scanner.Err()
	}
	l.line++
	return line, err
}

func (l *lines) skip(n int) error {
	for range n {
		if _, err := l.next(); err != nil {
			return err
		}
	}
	return nil
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
		return fmt.Errorf("byte %d (0x%02x) is not UTF-8; iconv -f CP1252 -t UTF-8 converts a file of older Windows programs", at+1, b[at])
	}
	if at := bytes.IndexByte(b, 0); at >= 0 {
		return fmt.Errorf("byte %d is zero: this is no text file", at+1)
	}
	return nil
}
