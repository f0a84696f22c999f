package dataset

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// counts are the rows of class -1 as the sources of the data sets state them.
var counts = map[string]int{
	"mfeat-pixel": 500, "pendigits": 363 + 364 + 364 + 336 + 364, "MagicTelescope": 6688, "nomao": 9844,
	"breast_cancer": 212, "digits": 178 + 182 + 177 + 183 + 181,
}

func TestRealDataSets(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	library := Library{Dir: needs.Datasets(t)}
	checked := 0
	for _, entry := range Catalog() {
		if _, err := library.Locate(entry); errors.Is(err, ErrAbsent) {
			continue
		}
		checked++
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			result := library.Check(context.Background(), entry)
			if result.Err != nil {
				t.Fatal(result.Err)
			}
			if at, _ := library.Locate(entry); at.File.SHA256 == "" && !entry.Embedded {
				t.Errorf("the catalog does not know the digest of %s", result.Path)
			}
			if result.Rows != entry.Rows || result.Features != entry.Features || result.Task != entry.Task {
				t.Errorf("%s %d x %d, want %s %d x %d", result.Task, result.Rows, result.Features, entry.Task, entry.Rows, entry.Features)
			}
			d, err := library.Load(context.Background(), Source{Name: entry.Name})
			if err != nil {
				t.Fatal(err)
			}
			if negative := counts[cmp.Or(entry.Reading, entry.Name)]; entry.Task == Classification && Positives(d.Y) != entry.Rows-negative {
				t.Errorf("%d of %d rows of +1, want %d of -1", Positives(d.Y), entry.Rows, negative)
			}
		})
	}
	if checked < 13 {
		t.Errorf("only %d data sets of the catalog were found", checked)
	}
}

// TestRealTargets compares ranges of targets with those their sources state.
func TestRealTargets(t *testing.T) {
	t.Parallel()
	library := Library{Dir: needs.Datasets(t)}
	for name, want := range map[string][2]float64{
		"music": {-35.30, 54.68}, "cadata": {14999, 500001}, "delta_elevators": {-0.014, 0.013},
		"house_8L": {0, 500001}, "ailerons": {-0.0036, 0}, "elevators": {0.012, 0.078}, "diabetes": {25, 346},
	} {
		if d, err := library.Load(context.Background(), Source{Name: name}); err != nil || slices.Min(d.Y) != want[0] || slices.Max(d.Y) != want[1] {
			t.Errorf("%s: target beyond %v, or %v", name, want, err)
		}
	}
}

// TestSameDataInBothForms: mfeat-pixel is here as UCI's table and as OpenML's
// ARFF; both must give the same data.
func TestSameDataInBothForms(t *testing.T) {
	t.Parallel()
	dir := needs.Datasets(t)
	entry, _ := Lookup("mfeat-pixel")
	digests := map[string]bool{}
	read := 0
	for _, file := range entry.Files {
		for _, suffix := range []string{"", ".gz"} {
			path := filepath.Join(dir, filepath.FromSlash(file.Path)+suffix)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			d, err := readFile(context.Background(), path, file.Options, 0)
			if err != nil {
				t.Fatal(err)
			}
			digests[d.Digest()] = true
			read++
		}
	}
	if read != 2 || len(digests) != 1 {
		t.Errorf("%d files gave %d different data sets, want 2 files and 1 data set", read, len(digests))
	}
}

// write puts a file below dir, gzipped when its name says so.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if strings.HasSuffix(name, ".gz") {
		packed := gzip.NewWriter(file)
		if _, err := packed.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := packed.Close(); err != nil {
			t.Fatal(err)
		}
	} else if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLocateOrder(t *testing.T) {
	t.Parallel()
	entry := Entry{Name: "toy", Files: []File{{Path: "toy/a.csv"}, {Path: "toy/b.csv"}}}
	dir, cache := t.TempDir(), t.TempDir()
	library := Library{Dir: dir, Cache: cache}
	_, err := library.Locate(entry)
	if !errors.Is(err, ErrAbsent) {
		t.Fatalf("error %v, want ErrAbsent", err)
	}
	for _, want := range []string{filepath.Join(dir, "toy", "a.csv"), filepath.Join(cache, "toy", "b.csv"), "`coordinator datasets fetch toy`"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
	// Each file goes before those that were there already.
	for _, place := range []struct{ root, name string }{
		{cache, "toy/b.csv.gz"}, {cache, "toy/b.csv"}, {cache, "toy/a.csv"}, {dir, "toy/b.csv"}, {dir, "toy/a.csv.gz"}, {dir, "toy/a.csv"},
	} {
		path := write(t, place.root, place.name, "1,2\n")
		at, err := library.Locate(entry)
		if err != nil || at.Path != path {
			t.Errorf("found %q, %v, want %s", at.Path, err, path)
		}
	}
	if _, err := (&Library{}).Locate(entry); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "neither a data folder nor a cache") {
		t.Errorf("error %v of a library without folders", err)
	}
	file := Library{Dir: filepath.Join(dir, "toy", "a.csv"), Cache: cache}
	if _, err := file.Locate(entry); err == nil || errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("error %v of a file in the data folder's place", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := library.Locate(Entry{Files: []File{{Path: "folder.csv"}}}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error %v of a folder in the file's place", err)
	}
}

// TestMissingDataFolder wants a data folder that does not exist to be one without
// data sets, and to be told from that by whoever asks.
func TestMissingDataFolder(t *testing.T) {
	t.Parallel()
	entry, ok := Lookup("music")
	if !ok {
		t.Fatal("the catalog has no music")
	}
	missing := filepath.Join(t.TempDir(), "none")
	path := filepath.Join(missing, filepath.FromSlash(entry.Files[0].Path))
	for _, library := range []*Library{{Dir: missing}, {Dir: missing, Cache: t.TempDir()}} {
		if _, err := library.Locate(entry); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), path) {
			t.Errorf("Locate: error %v, want ErrAbsent that names %s", err, path)
		}
		if _, err := library.Load(t.Context(), Source{Name: "music"}); !errors.Is(err, ErrAbsent) {
			t.Errorf("Load: error %v, want ErrAbsent", err)
		}
		if err := library.CheckDir(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
			t.Errorf("CheckDir: error %v, want fs.ErrNotExist that names %s", err, missing)
		}
	}
	cache := t.TempDir()
	want := write(t, cache, entry.Files[0].Path, "1,2\n")
	if at, err := (&Library{Dir: missing, Cache: cache}).Locate(entry); err != nil || at.Path != want {
		t.Errorf("found %q, %v, want %s of the cache", at.Path, err, want)
	}
	if err := (&Library{Cache: cache}).CheckDir(); err != nil {
		t.Errorf("CheckDir without a folder: %v", err)
	}
}

func TestLoadByName(t *testing.T) {
	t.Parallel()
	library := Library{Dir: t.TempDir()}
	for _, name := range embeddedNames {
		d, err := library.Load(context.Background(), Source{Name: name, Options: Options{Missing: missingMean}})
		entry, _ := Lookup(name)
		if err != nil || d.Name != name || d.N != entry.Rows || d.D != entry.Features || d.Task != entry.Task {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, test := range []struct {
		source Source
		is     error
		want   string
	}{
		{Source{}, nil, "neither a name of the catalog nor a path"},
		{Source{Name: "pendigit"}, ErrUnknown, "is given by its path; did you mean pendigits?"},
		{Source{Name: "zzz"}, ErrUnknown, "`coordinator datasets list` shows all"},
		{Source{Name: "nomao"}, ErrAbsent, "`coordinator datasets fetch nomao` downloads it"},
		{Source{Name: "digits", Options: Options{Target: "3"}}, nil, "load data set digits: it is embedded and read as it is"},
		{Source{Name: "digits", Options: Options{Task: Regression}}, nil, "it is embedded and read as it is"},
		{Source{Path: filepath.Join(library.Dir, "none.csv")}, os.ErrNotExist, "none.csv"},
	} {
		_, err := library.Load(context.Background(), test.source)
		if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("%+v: error %v, want %q in it", test.source, err, test.want)
		}
	}
}

func TestLoadByPath(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "mine.csv", "a,b,c\n1,2,3.5\n4,5,6.5\n")
	var library Library
	for _, test := range []struct {
		source   Source
		name     string
		features []string
	}{
		{Source{Path: path}, "mine", []string{"a", "b"}},
		{Source{Path: path, Name: "own"}, "own", []string{"a", "b"}},
		{Source{Path: path, Options: Options{Target: "a"}}, "mine", []string{"b", "c"}},
	} {
		d, err := library.Load(context.Background(), test.source)
		if err != nil || d.Name != test.name || !slices.Equal(d.Features, test.features) {
			t.Errorf("%+v: %+v, %v", test.source, d, err)
		}
	}
}

// elevatorsFile is an ARFF file of delta_elevators' columns with the given
// number of rows.
func elevatorsFile(rows int) string {
	text := strings.Builder{}
	text.WriteString("@relation r\n")
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "class"} {
		text.WriteString("@attribute " + name + " numeric\n")
	}
	text.WriteString("@data\n")
	text.WriteString(strings.Repeat("1,2,3,4,5,6,0.5\n", rows))
	return text.String()
}

func TestLoadComparesShape(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	library := Library{Dir: dir}
	source := Source{Name: "Delta_Elevators"}
	write(t, dir, "delta_elevators/delta_elevators.arff.gz", elevatorsFile(9517))
	d, err := library.Load(context.Background(), source)
	if err != nil || d.Name != "delta_elevators" {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, over := range []Options{{Target: "a"}, {Drop: []string{"b", "c"}}, {Target: "b", Drop: []string{"class"}}} {
		source.Options = over
		d, err := library.Load(context.Background(), source)
		if err != nil || d.D != 6-len(over.Drop) {
			t.Errorf("%+v: %v", over, err)
		}
	}
	source.Options = Options{Missing: missingMean}
	write(t, dir, "delta_elevators/delta_elevators.arff.gz", elevatorsFile(9516))
	if _, err := library.Load(context.Background(), source); err == nil || !strings.Contains(err.Error(), "9516 rows x 6 features, expected 9517 x 6") {
		t.Errorf("error %v of a file without its last row", err)
	}
	source.Options = Options{Missing: missingDrop}
	if _, err := library.Load(context.Background(), source); err != nil {
		t.Errorf("rows may be dropped: %v", err)
	}
}

func TestLoadGoesByAlias(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "cadata/cal_housing.data", strings.Repeat("1,2,3,4,5,6,7,8,9\n", 20640))
	library := Library{Cache: dir}
	for asked, want := range map[string]string{"cadata": "cadata", "HOUSES": "houses"} {
		if d, err := library.Load(context.Background(), Source{Name: asked}); err != nil || d.Name != want {
			t.Errorf("%s: %v, want the name %s", asked, err, want)
		}
	}
}

func TestOptionsWith(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	base := Options{Format: "csv", Skip: 1, Header: &no, Target: "a", Drop: []string{"b"}, Task: Regression,
		Classes: Classes{NegativeRows: 5}, Missing: missingDrop}
	if got := base.with(Options{}); !reflect.DeepEqual(got, base) {
		t.Errorf("nothing set: %+v", got)
	}
	over := Options{Format: "arff", Skip: 2, Header: &yes, Target: "c", Drop: []string{}, Task: Classification,
		Classes: Classes{Positive: []string{"x"}}, Missing: missingMean, Numbered: true}
	if got := base.with(over); !reflect.DeepEqual(got, over) {
		t.Errorf("everything set: %+v", got)
	}
}

func TestDefaultCache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cache, err := DefaultCache()
	if err != nil || !strings.HasSuffix(cache, filepath.Join("agepath", "datasets")) {
		t.Errorf("%q, %v", cache, err)
	}
}

func TestCheckTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	library := Library{Dir: dir}
	entry, _ := Lookup("delta_elevators")
	check := func() CheckResult { return library.Check(context.Background(), entry) }

	if result := check(); !errors.Is(result.Err, ErrAbsent) || result.Path != "" {
		t.Errorf("absent: %+v", result)
	}
	path := write(t, dir, "delta_elevators/delta_elevators.arff", elevatorsFile(9517))
	if result := check(); result.Err == nil || !strings.Contains(result.Err.Error(), "expected 2759f67d") ||
		result.Rows != 9517 || result.Path != path || result.Digest == "" {
		t.Errorf("other bytes: %+v", result)
	}
	write(t, dir, "delta_elevators/delta_elevators.arff", elevatorsFile(9))
	if result := check(); result.Err == nil || !strings.Contains(result.Err.Error(), "9 rows x 6 features, expected 9517 x 6") {
		t.Errorf("other shape: %+v", result)
	}
	write(t, dir, "delta_elevators/delta_elevators.arff", strings.Replace(elevatorsFile(9517), "1,2,3", "1,?,3", 2))
	if result := check(); result.Err == nil || !strings.Contains(result.Err.Error(), "2 missing") {
		t.Errorf("missing values: %v", result.Err)
	}
	entry.Files = entry.Files[1:] // OpenML's form, whose digest is not known
	write(t, dir, "delta_elevators/openml-198.arff", elevatorsFile(9517))
	if result := check(); result.Err != nil || result.Rows != 9517 {
		t.Errorf("unknown digest: %+v", result)
	}
	entry, _ = Lookup("digits")
	if result := check(); result.Err != nil || result.Path != "" || result.Rows != 1797 {
		t.Errorf("embedded: %+v", result)
	}
}
