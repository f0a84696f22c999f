package dataset

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agepath/agepath/internal/spelling"
)

// Entry describes a data set of the catalog.
type Entry struct {
	Name    string
	Aliases []string
	Doc     string
	Task    Task

	// Reading names the data set that this entry reads as the GAGA scripts do, "" for others. The
	// paper's rows for that name also apply here.
	Reading string

	Rows, Features int // without the target

	// Files are the forms below a data folder, best first.
	Files    []File
	Embedded bool

	OpenML int    // data id, 0 for none
	URL    string // of the download if OpenML has other rows

	UCI     string // name at the UCI repository
	Source  string
	Licence string
}

// File is one form of a data set.
type File struct {
	// Path is slash-separated, below a data folder. The file may have .gz appended.
	Path string
	// SHA256 is the unzipped content's hex digest, "" if unknown.
	SHA256  string
	Options Options
	// Fetched marks the downloaded form.
	Fetched bool
}

func (e Entry) Download() (File, bool) {
	i := slices.IndexFunc(e.Files, func(f File) bool { return f.Fetched })
	if i < 0 {
		return File{}, false
	}
	return e.Files[i], true
}

// Catalog returns, ordered by name, the embedded sets and those of Tables 1 and 4 of the GAGA paper
// (Qu, Li and Gu, NeurIPS 2022), as in the paper and as read by its scripts.
func Catalog() []Entry { return slices.Clone(catalog()) }

var catalog = sync.OnceValue(func() (entries []Entry) {
	decoder := json.NewDecoder(bytes.NewReader(catalogFile))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&entries); err != nil {
		panic(fmt.Errorf("the catalog of data sets: %w", err)) // which every test of them would meet
	}
	return entries
})

// Lookup finds an entry by name or alias, ignoring case.
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

// Meant suggests similar names, as in "; did you mean digits?", or returns "".
func Meant(name string) string {
	var known []string
	for _, entry := range Catalog() {
		known = append(append(known, entry.Name), entry.Aliases...)
	}
	return spelling.After(name, known)
}

//go:embed data/catalog.json
var catalogFile []byte

//go:embed data/*.gz
var embeddedFiles embed.FS

var embeddedOptions = map[string]Options{
	"breast_cancer": {Task: Classification, Classes: Classes{Negative: []string{"0"}, Positive: []string{"1"}}},
	"diabetes":      {Task: Regression},
	"digits":        {Task: Classification, Classes: Classes{Negative: []string{"0", "1", "2", "3", "4"}}},
}

// embedded reads an embedded data set. Sources are in data/README.md.
func (e Entry) embedded(ctx context.Context) (*Dataset, error) {
	name := e.Name + ".csv.gz"
	file, err := embeddedFiles.Open("data/" + name)
	if err != nil {
		return nil, err
	}
	d, err := Read(ctx, file, name, embeddedOptions[e.Name])
	if err == nil {
		d.Reading = Reading{How: "embedded in the program; " + d.named()}
	}
	return d, err
}
