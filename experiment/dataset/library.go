package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

var (
	// ErrUnknown reports a name that is not in the catalog.
	ErrUnknown = errors.New("unknown data set")
	// ErrAbsent reports a known data set that is not on this machine.
	ErrAbsent = errors.New("data set is not on this machine")
)

// Library finds data sets: embedded ones, then in the user's folder, then in the cache filled by
// [Fetcher].
type Library struct {
	Dir   string
	Cache string
}

func (l *Library) Folders() []string {
	return slices.DeleteFunc([]string{l.Dir, l.Cache}, func(dir string) bool { return dir == "" })
}

// DefaultCache returns the user's cache of downloads.
func DefaultCache() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache for data sets: %w", err)
	}
	return filepath.Join(cache, "agepath", "datasets"), nil
}

// Source names a data set of the catalog or a file. Name is the name in results, by default the
// file's without extension.
type Source struct {
	Name, Path string
	Options    Options // override the catalog's
	Memory     int64   // limit on [Need] in bytes, default [DefaultMemory]
}

func (s Source) DatasetName() string {
	if s.Path != "" && s.Name == "" {
		name, _ := split(s.Path)
		return name
	}
	if entry, ok := Lookup(s.Name); ok && s.Path == "" {
		name, _ := entry.spelling(s.Name)
		return name
	}
	return s.Name
}

// Location is where a data set was found.
type Location struct {
	Path string // "" if embedded
	File File
}

// Load reads a data set, named in the catalog's spelling. Its shape must be the catalog's unless an
// option changes it.
func (l *Library) Load(ctx context.Context, s Source) (*Dataset, error) {
	if s.Path != "" {
		d, err := readFile(ctx, s.Path, s.Options, s.Memory)
		if err != nil {
			return nil, err
		}
		if s.Name != "" {
			d.Name = s.Name
		}
		return d, nil
	}
	if s.Name == "" {
		return nil, errors.New("load data set: neither a name of the catalog nor a path")
	}
	entry, err := known(s.Name)
	if err != nil {
		return nil, err
	}
	location, err := l.Locate(entry)
	if err != nil {
		return nil, err
	}
	return entry.load(ctx, location, s)
}

// known is [Lookup] with an error that helps.
func known(name string) (Entry, error) {
	entry, ok := Lookup(name)
	if ok {
		return entry, nil
	}
	return entry, fmt.Errorf("%w %q; `coordinator datasets list` shows all; a file of your own is given by its path%s", ErrUnknown, name, Meant(name))
}

// load reads the data set that the source names in its spelling.
func (e Entry) load(ctx context.Context, at Location, s Source) (*Dataset, error) {
	d, err := e.read(ctx, at, s.Options, s.Memory)
	if err != nil {
		return nil, fmt.Errorf("load data set %s: %w", e.Name, err)
	}
	d.Name, _ = e.spelling(s.Name)
	return d, nil
}

// Locate finds a data set, or returns [ErrAbsent] with the folders searched, which may be missing.
func (l *Library) Locate(e Entry) (Location, error) {
	if e.Embedded {
		return Location{}, nil
	}
	if err := l.CheckDir(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Location{}, err
	}
	var looked []string
	for _, root := range l.Folders() {
		for _, file := range e.Files {
			path := filepath.Join(root, filepath.FromSlash(file.Path))
			for _, path := range []string{path, path + ".gz"} {
				switch info, err := os.Stat(path); {
				case err == nil && info.Mode().IsRegular():
					return Location{Path: path, File: file}, nil
				case err == nil:
					return Location{}, fmt.Errorf("data set %s: %s is not a regular file", e.Name, path)
				case !errors.Is(err, fs.ErrNotExist):
					return Location{}, fmt.Errorf("data set %s: %w", e.Name, err)
				}
			}
			looked = append(looked, path+"[.gz]")
		}
	}
	if len(looked) == 0 {
		looked = []string{"no folder: neither a data folder nor a cache is set"}
	}
	return Location{}, fmt.Errorf("%w: %s; looked for %s; `coordinator datasets fetch %s` downloads it",
		ErrAbsent, e.Name, strings.Join(looked, ", "), e.Name)
}

// CheckDir returns an error unless Dir is empty or a folder, [fs.ErrNotExist] if it is missing.
// Commands check it to catch mistyped folders.
func (l *Library) CheckDir() error {
	if l.Dir == "" {
		return nil
	}
	if info, err := os.Stat(l.Dir); err != nil {
		return fmt.Errorf("data folder: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("data folder: %s is not a folder", l.Dir)
	}
	return nil
}

func (e Entry) read(ctx context.Context, at Location, over Options, memory int64) (*Dataset, error) {
	if e.Embedded {
		over.Missing, over.Encode = "", "" // no effect on embedded data
		if over.Task == e.Task {
			over.Task = ""
		}
		if !reflect.DeepEqual(over, Options{}) {
			return nil, errors.New("it is embedded and read as it is; to read it in another way, give a file by its path")
		}
		return e.embedded(ctx)
	}
	d, err := readFile(ctx, at.Path, at.File.Options.with(over), memory)
	if err != nil {
		return nil, err
	}
	if err := e.checkShape(d, over); err != nil {
		return nil, fmt.Errorf("%s: %w", at.Path, err)
	}
	return d, nil
}

func (e Entry) checkShape(d *Dataset, over Options) error {
	if d.Task != e.Task && over.Task == "" && over.Target == "" {
		return fmt.Errorf("task is %s, expected %s", d.Task, e.Task)
	}
	rowsFree := over.Missing == missingDrop || over.Skip != 0 || over.Header != nil
	columnsFree := over.Target != "" || over.Drop != nil || over.Numbered || over.Encode != "" || over.OneHot != nil ||
		over.Clean.Column != "" || over.Parts.Column != ""
	if d.N != e.Rows && !rowsFree || d.D != e.Features && !columnsFree {
		return fmt.Errorf("%d rows x %d features, expected %d x %d: the file is not the whole data set, or another one", d.N, d.D, e.Rows, e.Features)
	}
	return nil
}

// with lets over override options that it sets, Classes as a whole, Encode and OneHot together.
func (o Options) with(over Options) Options {
	if over.Encode != "" || over.OneHot != nil {
		o.Encode, o.OneHot = "", nil
	}
	to, from := reflect.ValueOf(&o).Elem(), reflect.ValueOf(over)
	for i := range from.NumField() {
		if field := from.Field(i); !field.IsZero() {
			to.Field(i).Set(field)
		}
	}
	return o
}

// Place returns the absolute path that Load reads, "" if embedded.
func (l *Library) Place(s Source) (string, error) {
	path := s.Path
	if path == "" {
		entry, err := known(s.Name)
		if err != nil {
			return "", err
		}
		at, err := l.Locate(entry)
		if err != nil || entry.Embedded {
			return "", err
		}
		path = at.Path
	}
	return filepath.Abs(path)
}

// LoadFrom is Load with the file at another path.
func (l *Library) LoadFrom(ctx context.Context, s Source, path string) (*Dataset, error) {
	if s.Path != "" {
		s.Name, s.Path = s.DatasetName(), path
		return l.Load(ctx, s)
	}
	entry, err := known(s.Name)
	if err != nil {
		return nil, err
	}
	for _, file := range entry.Files {
		if strings.HasSuffix(strings.TrimSuffix(filepath.ToSlash(path), ".gz"), "/"+file.Path) {
			return entry.load(ctx, Location{Path: path, File: file}, s)
		}
	}
	return nil, fmt.Errorf("load data set %s: %s is none of its files", entry.Name, path)
}
