package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/spelling"
)

var (
	// ErrUnknown is a name that the catalog does not have.
	ErrUnknown = errors.New("unknown data set")
	// ErrAbsent is a data set of the catalog that is not on this machine.
	ErrAbsent = errors.New("data set is not on this machine")
)

// Library finds data sets: in the folder that the user gave, then in the
// cache that [Fetcher] fills. Embedded ones are always there.
type Library struct {
	Dir   string // "" for none
	Cache string // "" for none
}

// Folders are where the library looks, the first before the others.
func (l *Library) Folders() []string {
	return slices.DeleteFunc([]string{l.Dir, l.Cache}, func(dir string) bool { return dir == "" })
}

// DefaultCache returns the folder for downloads below the user's cache folder
// ($XDG_CACHE_HOME/agepath/datasets or what the system has for it).
func DefaultCache() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache for data sets: %w", err)
	}
	return filepath.Join(cache, "agepath", "datasets"), nil
}

// Source is what a grid asks for: a name of the catalog, or a path. With a
// path, Name is the name of the data set in results, the file's name without
// its ending when it is "".
type Source struct {
	Name, Path string
	Options    Options // where set, they go before those of the catalog
	Memory     int64   // bytes that the data set may take by [Need]; 0 is [DefaultMemory]
}

// DatasetName returns the name that the data set has once it is loaded.
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
	Path     string // "" when embedded
	File     File   // the form found; how to read it
	Embedded bool
}

// Load reads a data set. A set of the catalog must have the catalog's shape,
// as far as the source's options leave it alone. It goes by the name that was
// asked for, in the catalog's spelling.
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
	entry, ok := Lookup(s.Name)
	if !ok {
		hint := ""
		if meant := spelling.Hint(s.Name, names()); meant != "" {
			hint = meant + "? "
		}
		return nil, fmt.Errorf("%w %q: %s`coordinator datasets list` shows all; a file of your own is given by its path", ErrUnknown, s.Name, hint)
	}
	location, err := l.Locate(entry)
	if err != nil {
		return nil, err
	}
	d, err := entry.read(ctx, location, s.Options, s.Memory)
	if err != nil {
		return nil, fmt.Errorf("load data set %s: %w", entry.Name, err)
	}
	d.Name, _ = entry.spelling(s.Name)
	return d, nil
}

// Locate finds a data set of the catalog without reading it. The error of one
// that is not there, for which the data folder itself may be missing, is
// [ErrAbsent] and says where it was looked for.
func (l *Library) Locate(e Entry) (Location, error) {
	if e.Embedded {
		return Location{Embedded: true}, nil
	}
	if err := l.CheckDir(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Location{}, err
	}
	var looked []string
	for _, root := range []string{l.Dir, l.Cache} {
		if root == "" {
			continue
		}
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

// CheckDir returns an error unless Dir is empty or a folder. Its error is
// [fs.ErrNotExist] where Dir does not exist: Locate then finds nothing there.
// Commands call it first, so that a mistyped folder is not taken for one without
// data sets.
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

// read reads the data set where it was found and compares its shape.
func (e Entry) read(ctx context.Context, at Location, over Options, memory int64) (*Dataset, error) {
	if at.Embedded {
		over.Missing, over.Encode = "", "" // nothing is missing, nothing is text
		if over.Task == e.Task {
			over.Task = ""
		}
		if !reflect.DeepEqual(over, Options{}) {
			return nil, errors.New("it is embedded and read as it is; to read it in another way, give a file by its path")
		}
		d, ok, err := Embedded(e.Name)
		if err == nil && !ok {
			err = errors.New("it is not embedded in this program")
		}
		return d, err
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

// checkShape compares the shape of what was read with the catalog's, as far
// as the options that the user set leave it alone.
func (e Entry) checkShape(d *Dataset, over Options) error {
	if d.Task != e.Task && over.Task == "" && over.Target == "" {
		return fmt.Errorf("task is %s, expected %s", d.Task, e.Task)
	}
	rowsFree := over.Missing == missingDrop || over.Skip != 0 || over.Header != nil
	columnsFree := over.Target != "" || over.Drop != nil || over.Numbered || over.Encode != "" || over.OneHot != nil
	if d.N != e.Rows && !rowsFree || d.D != e.Features && !columnsFree {
		return fmt.Errorf("%d rows x %d features, expected %d x %d: the file is not the whole data set, or another one", d.N, d.D, e.Rows, e.Features)
	}
	return nil
}

// with returns the options with those that are set in over in their place.
// New classes replace the old ones as a whole.
func (o Options) with(over Options) Options {
	o.Format = cmp.Or(over.Format, o.Format)
	o.Skip = cmp.Or(over.Skip, o.Skip)
	o.Header = cmp.Or(over.Header, o.Header)
	o.Decimal = cmp.Or(over.Decimal, o.Decimal)
	o.Target = cmp.Or(over.Target, o.Target)
	o.Task = cmp.Or(over.Task, o.Task)
	o.Missing = cmp.Or(over.Missing, o.Missing)
	o.Numbered = o.Numbered || over.Numbered
	o.KeepQuoted = o.KeepQuoted || over.KeepQuoted
	if over.Marks != nil {
		o.Marks = over.Marks
	}
	if over.Encode != "" || over.OneHot != nil {
		o.Encode, o.OneHot = over.Encode, over.OneHot
	}
	if over.Drop != nil {
		o.Drop = over.Drop
	}
	if !over.Classes.isZero() {
		o.Classes = over.Classes
	}
	return o
}
