package dataset

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/spelling"
)

// Entry describes a data set of the catalog.
type Entry struct {
	Name    string
	Aliases []string // other names it is found by
	Doc     string   // what it is, and what was decided about it
	Task    Task

	// Reading names the data set that this one reads as the scripts of the GAGA paper do; "" for
	// others. Rows of the paper for that name also apply to this one.
	Reading string

	Rows, Features int // expected shape, the target left out

	// Files are the forms below a data folder, best first. An embedded data set has none.
	Files    []File
	Embedded bool

	OpenML int    // data id the download comes from, 0 for none
	URL    string // where the download comes from when OpenML does not have the same rows

	UCI     string // name at the UCI repository, "" where it is not from there
	Source  string // who made it
	Licence string // "not stated" where the source says nothing
}

// File is one form of a data set.
type File struct {
	// Path lies below a data folder, with slashes. The file may be gzipped, with .gz at the end.
	Path string
	// SHA256 is the digest in hex of the decompressed contents, "" if unknown.
	SHA256  string
	Options Options
	// Fetched marks the form that a download has.
	Fetched bool
}

// Download returns the form in which the data set can be downloaded.
func (e Entry) Download() (File, bool) {
	i := slices.IndexFunc(e.Files, func(f File) bool { return f.Fetched })
	if i < 0 {
		return File{}, false
	}
	return e.Files[i], true
}

// Catalog returns the data sets of Tables 1 and 4 of the GAGA paper (Qu, Li and Gu, NeurIPS 2022),
// as the paper describes them and as its scripts read them, and the embedded ones, ordered by name.
func Catalog() []Entry {
	entries := slices.Concat(embeddedSets(), classificationSets(), regressionSets(), scriptsSets())
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return entries
}

// Lookup finds an entry by its name or an alias, ignoring case.
func Lookup(name string) (Entry, bool) {
	for _, entry := range Catalog() {
		if _, ok := entry.spelling(name); ok {
			return entry, true
		}
	}
	return Entry{}, false
}

func (e Entry) spelling(name string) (string, bool) {
	for _, known := range append([]string{e.Name}, e.Aliases...) {
		if strings.EqualFold(known, name) {
			return known, true
		}
	}
	return "", false
}

// Meant returns the names similar to an unknown one, as in "; did you mean digits?", or "".
func Meant(name string) string { return spelling.After(name, names()) }

func names() []string {
	var known []string
	for _, entry := range Catalog() {
		known = append(append(known, entry.Name), entry.Aliases...)
	}
	return known
}
