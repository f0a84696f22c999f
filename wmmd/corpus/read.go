package corpus

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const maxBytes = 1 << 30

var errTooLarge = fmt.Errorf("more than %d MiB of texts: %w", maxBytes>>20, ErrFormat)

// ReadFolders reads the files *.txt of a file system; a file's folder is its class. Hidden files
// and files without folder are skipped.
func ReadFolders(files fs.FS, o Options) (*Corpus, error) {
	var texts []labelled
	left := int64(maxBytes)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		hidden := name != "." && strings.HasPrefix(path.Base(name), ".")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (hidden || path.Base(name) == "__MACOSX"):
			return fs.SkipDir
		case entry.IsDir() || hidden || !strings.HasSuffix(name, ".txt") || path.Dir(name) == ".":
			return nil
		}
		content, err := readUpTo(files, name, left)
		if err != nil {
			return err
		}
		left -= int64(len(content))
		if !utf8.Valid(content) {
			return fmt.Errorf("%s: %w", name, ErrEncoding)
		}
		texts = append(texts, labelled{string(content), path.Base(path.Dir(name))})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return encode(texts, o)
}

func readUpTo(files fs.FS, name string, most int64) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(&limited{f, most})
	return content, errors.Join(err, f.Close())
}

// limited fails when more than left bytes were read.
type limited struct {
	io.Reader

	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// ReadCSV reads a table with a header; text and class name its columns.
func ReadCSV(r io.Reader, text, class string, o Options) (*Corpus, error) {
	rows := csv.NewReader(&limited{r, maxBytes})
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w: %w", ErrFormat, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	columns := [2]int{slices.Index(header, text), slices.Index(header, class)}
	if columns[0] < 0 || columns[1] < 0 {
		return nil, fmt.Errorf("columns %q and %q are not among %q: %w", text, class, header, ErrFormat)
	}
	var texts []labelled
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return encode(texts, o)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		t := labelled{row[columns[0]], row[columns[1]]}
		if line, _ := rows.FieldPos(columns[0]); !utf8.ValidString(t.text) || !utf8.ValidString(t.class) {
			return nil, fmt.Errorf("line %d: %w", line, ErrEncoding)
		}
		texts = append(texts, t)
	}
}

// File describes a file of texts: a zip of folders or a CSV table, which may be gzipped.
type File struct {
	Options
	// Text and Class are columns of a CSV table, "" for a zip.
	Text, Class string
}

// Read reads the content of a file.
func Read(content []byte, f File) (*Corpus, error) {
	if f.Text == "" {
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		return ReadFolders(archive, f.Options)
	}
	var r io.Reader = bytes.NewReader(content)
	if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		r = unpacked
	}
	return ReadCSV(r, f.Text, f.Class, f.Options)
}

// Known is a corpus among the data sets.
type Known struct {
	Name, Path, SHA256 string
	File
}

// Catalog lists the corpora of Gao and Dai's experiments, with paths below a folder of data sets.
func Catalog() []Known {
	return []Known{
		{
			"bbc-news", "bbc-news/bbc-fulltext.zip",
			"53f0c14147bf7bafc3a319a7e0f4aba9ecaafc5d1e6f11dc536a4a83f46744fc",
			File{Options: Options{Language: "english", Occurrences: 10, Length: 512}},
		},
		{
			"ce-t1", "ce-t1/ce-t1.csv.gz",
			"67f1dc7d5dcf4c93c5354da9b16ea186be765d1c170211d5df8a1f26cf624502",
			File{Options: Options{Language: "spanish", Occurrences: 5, Length: 32}, Text: "texto", Class: "value"},
		},
	}
}
