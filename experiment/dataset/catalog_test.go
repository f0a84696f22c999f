package dataset

import (
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestCatalogNamesThePapersSets lists the data sets of Tables 1 and 4 as the
// paper's tables write them.
func TestCatalogNamesThePapersSets(t *testing.T) {
	t.Parallel()
	shapes := map[string]struct {
		task           Task
		rows, features int
	}{
		"mfeat-pixel": {Classification, 2000, 240}, "pendigits": {Classification, 3498, 16},
		"hiva_agnostic": {Classification, 4229, 1617}, "MagicTelescope": {Classification, 19020, 10},
		"nomao": {Classification, 34465, 118}, "music": {Regression, 1059, 116},
		"cadata": {Regression, 20640, 8}, "houses": {Regression, 20640, 8},
		"delta_elevators": {Regression, 9517, 6}, "house_8L": {Regression, 22784, 8},
		"ailerons": {Regression, 13750, 40}, "elevator": {Regression, 16599, 18},
		"elevators": {Regression, 16599, 18}, "breast_cancer": {Classification, 569, 30},
		"diabetes": {Regression, 442, 10}, "digits": {Classification, 1797, 64},
		"music-column-100": {Regression, 1059, 117}, "ailerons-climbRate": {Regression, 13750, 40}, "MagicTelescope-ID": {Classification, 19020, 11},
	}
	for name, want := range shapes {
		entry, ok := Lookup(name)
		if !ok {
			t.Errorf("%s is not in the catalog", name)
			continue
		}
		if entry.Task != want.task || entry.Rows != want.rows || entry.Features != want.features {
			t.Errorf("%s: %s %d x %d, want %+v", name, entry.Task, entry.Rows, entry.Features, want)
		}
	}
	if _, ok := Lookup("iris"); ok {
		t.Error("iris is in the catalog")
	}
}

func TestCatalogIsConsistent(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	type fileKey struct{ path, reading string } // readings of a set have its files
	paths := map[fileKey]bool{}
	for _, entry := range Catalog() {
		for _, name := range append([]string{entry.Name}, entry.Aliases...) {
			if key := strings.ToLower(name); names[key] {
				t.Errorf("%s stands twice", name)
			} else {
				names[key] = true
			}
		}
		if entry.Doc == "" || entry.Source == "" || entry.Licence == "" {
			t.Errorf("%s: description, source or licence is missing", entry.Name)
		}
		if _, fetchable := entry.Download(); fetchable == entry.Embedded || entry.Embedded != (len(entry.Files) == 0) {
			t.Errorf("%s: embedded %v, can be fetched %v, %d files", entry.Name, entry.Embedded, fetchable, len(entry.Files))
		}
		if (entry.OpenML == 0) != (entry.URL != "" || entry.Embedded) {
			t.Errorf("%s: OpenML id %d and address %q", entry.Name, entry.OpenML, entry.URL)
		}
		if of, ok := Lookup(entry.Reading); entry.Reading != "" && (!ok || of.Reading != "" || len(of.Files) != len(entry.Files)) {
			t.Errorf("%s is a reading of %q, which is %+v", entry.Name, entry.Reading, of)
		}
		for _, file := range entry.Files {
			key := fileKey{file.Path, entry.Reading}
			if paths[key] || path.Clean(file.Path) != file.Path || path.IsAbs(file.Path) || strings.HasSuffix(file.Path, ".gz") {
				t.Errorf("%s: path %q", entry.Name, file.Path)
			}
			paths[key] = true
			if digest, err := hex.DecodeString(file.SHA256); err != nil || len(digest) != 0 && len(digest) != 32 {
				t.Errorf("%s: digest %q of %s", entry.Name, file.SHA256, file.Path)
			}
			if err := file.Options.Validate(); err != nil || file.Options.Task != entry.Task {
				t.Errorf("%s: options of %s: %v, task %q", entry.Name, file.Path, err, file.Options.Task)
			}
		}
	}
	if embedded := embeddedNames; slices.ContainsFunc(embedded, func(name string) bool {
		entry, _ := Lookup(name)
		return !entry.Embedded
	}) {
		t.Errorf("one of %v is not embedded in the catalog", embedded)
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"mfeat_pixel": "mfeat-pixel", "brest_cancer": "breast_cancer", "magic": "MagicTelescope",
		"pendigit": "pendigits", "house8L": "house_8L", "deltaelevators": "delta_elevators", "Nomoa": "nomao",
	} {
		if got := Meant(name); !strings.HasPrefix(got, "; did you mean "+want) {
			t.Errorf("near %q: %v, want %s first", name, got, want)
		}
	}
	if got := Meant("imagenet-large"); got != "" {
		t.Errorf("near a name that is like none: %v", got)
	}
}
