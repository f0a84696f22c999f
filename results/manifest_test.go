package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

func TestManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadManifest(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a manifest: %v", err)
	}
	m := &Manifest{
		Name: "test", Run: storeRun, Kind: "self-paced", Grid: "name: test # <&>\n",
		Versions: map[string]string{"agepath": "v1"},
		Data:     map[string]string{"iris": "12ab", "a": "34cd"},
		Cells:    7, Counts: map[experiment.Status]int{experiment.OK: 6, experiment.Failed: 1},
		Tables: ManifestTables(selfpaced.Tables()),
	}
	if err := WriteManifest(dir, m); err != nil {
		t.Fatal(err)
	}
	have, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := *m
	want.SchemaVersion, want.SHA256 = experiment.SchemaVersion, have.SHA256
	if !reflect.DeepEqual(have, &want) {
		t.Errorf("read %+v, want %+v", have, &want)
	}
	path := filepath.Join(dir, ManifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"# <&>", `"type": "timestamp[us, tz=UTC]"`, `"type": "list<item: float64, nullable>"`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the manifest does not contain %s:\n%s", part, text)
		}
	}
	long := time.Unix(1e9, 0)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if err := WriteManifest(dir, have); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("an unchanged manifest was written again, %v", err)
	}
	for text, want := range map[string]string{
		`{"schema_version": 1}`: "of schema version 1, and this agepath reads versions ",
		`{"schema_version": 3`:  "unexpected end of JSON input",
	} {
		writeDir(t, dir, map[string]string{ManifestName: text})
		if _, err := ReadManifest(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
