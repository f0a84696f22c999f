package run

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// TestFolders remembers folders once, the newest first, with the program of rows without
// a commit while there is one alone.
func TestFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "agepath", "folders.jsonl")
	in := func(name string) string { return filepath.Join(dir, name) }
	remember := func(build, name string, others bool) {
		t.Helper()
		if err := (&Folders{Path: path, Build: build}).Remember(in(name), others); err != nil {
			t.Fatal(err)
		}
	}
	want := func(want ...Folder) {
		t.Helper()
		if list, err := (&Folders{Path: path}).List(); err != nil || !reflect.DeepEqual(list, want) {
			t.Errorf("the folders are %v, %v; want %v", list, err, want)
		}
	}
	want()
	remember("x", "a", false)
	remember("x", "a", false)
	remember("", "b", false)
	remember("x", "c", true)
	want(Folder{in("c"), ""}, Folder{in("b"), ""}, Folder{in("a"), "x"})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, `{"dir":"/to`...), 0o600); err != nil {
		t.Fatal(err)
	}
	remember("y", "a", false)
	want(Folder{in("a"), ""}, Folder{in("c"), ""}, Folder{in("b"), ""})
	remember("x", "a", false)
	want(Folder{in("a"), ""}, Folder{in("c"), ""}, Folder{in("b"), ""})
}

// TestFoldersNoFile wants what is in the place of the file to be refused, and its removal to help.
func TestFoldersNoFile(t *testing.T) {
	t.Parallel()
	f := &Folders{Path: filepath.Join(t.TempDir(), "folders.jsonl")}
	for name, put := range map[string]func() error{
		"a folder": func() error { return os.Mkdir(f.Path, 0o700) },
		"a link":   func() error { return os.Symlink(os.DevNull, f.Path) },
	} {
		if err := put(); err != nil {
			t.Skipf("%s: %v", name, err)
		}
		_, err := f.List()
		if err == nil || err.Error() != f.Path+" is not a regular file; remove it" {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(f.Path); err != nil {
			t.Fatal(err)
		}
		if err := f.Remember("/folder", true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(f.Path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFoldersTakes lets a program take rows of committed versions, and one without a
// commit its own alone.
func TestFoldersTakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own, folder, version string
		want                 bool
	}{
		{"", "", "v0.1.0", true},
		{"", "x", "v0.1.1-0.20260101000000-abcdefabcdef", true},
		{"", "x", "devel", false},
		{"", "x", "v0.1.1-0.20260101000000-abcdefabcdef+dirty", false},
		{"x", "x", "devel", true},
		{"x", "", "devel", false},
		{"x", "y", "devel", false},
		{"x", "x", "v0.1.0", false},
	} {
		if got := (&Folders{Build: c.own}).Takes(Folder{Build: c.folder}, c.version); got != c.want {
			t.Errorf("%+v: taken is %v", c, got)
		}
	}
}

// TestFoldersMany keeps the newest folders of many, and those of processes at once.
func TestFoldersMany(t *testing.T) {
	t.Parallel()
	f := &Folders{Path: filepath.Join(t.TempDir(), "folders.jsonl")}
	var text strings.Builder
	for i := range mostFolders {
		fmt.Fprintf(&text, "\n{\"dir\":\"/%d\"}\n", i)
	}
	if err := os.WriteFile(f.Path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Remember("/new", false); err != nil {
		t.Fatal(err)
	}
	list, err := f.List()
	if err != nil || len(list) != mostFolders || list[0].Dir != "/new" || list[mostFolders-1].Dir != "/1" {
		t.Errorf("%d folders, %v", len(list), err)
	}
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			if err := f.Remember(fmt.Sprintf("/at once/%d", i), false); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if list, err := f.List(); err != nil || !strings.HasPrefix(list[39].Dir, "/at once/") {
		t.Errorf("of 40 folders at once some are lost: %v, %v", list[:40], err)
	}
}

// TestFoldersOfOthers reads and writes no file through a link, nor one that others can write.
func TestFoldersOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := &Folders{Path: filepath.Join(dir, "own", "folders.jsonl")}
	target := filepath.Join(dir, "target")
	for _, err := range []error{os.Mkdir(filepath.Dir(f.Path), 0o700), os.WriteFile(target, []byte("{\"dir\":\"/x\"}\n"), 0o600), os.Symlink(target, f.Path)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	refuses := func(want string) {
		t.Helper()
		if list, err := f.List(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v; want an error with %q", list, err, want)
		}
		if err := f.Remember(dir, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want an error with %q", err, want)
		}
	}
	refuses("not a regular file")
	if text, err := os.ReadFile(target); err != nil || len(text) != len("{\"dir\":\"/x\"}\n") {
		t.Errorf("the target holds %q, %v", text, err)
	}
	if err := os.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(f.Path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refuses("others can write it")
}
