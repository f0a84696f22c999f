package faulty

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/disk"
)

func write(t *testing.T, d *Disk, name, text string) disk.File {
	t.Helper()
	f, err := d.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Bytes and names become durable apart from each other.
func TestCrash(t *testing.T) {
	t.Parallel()
	d := New()
	must(t, write(t, d, "/synced", "a").Sync(), d.SyncDir("/"))
	must(t, write(t, d, "/nameless", "b").Sync())
	write(t, d, "/unsynced", "c")
	must(t, d.Rename("/synced", "/renamed"))
	check := func(what string, keep Keep, want map[string]string) {
		t.Helper()
		if have := d.Crash(keep).Files("/"); !maps.Equal(have, want) {
			t.Errorf("%s: %v, want %v", what, have, want)
		}
	}
	check("nothing", Nothing, map[string]string{"synced": "a"})
	check("everything", Everything, map[string]string{"renamed": "a", "nameless": "b", "unsynced": "c"})
	asked := 0
	check("the rename alone", func() bool { asked++; return asked == 3 }, map[string]string{"renamed": "a"})
	must(t, d.SyncDir("/"))
	check("names without bytes", Nothing, map[string]string{"renamed": "a", "nameless": "b", "unsynced": ""})
	if have := d.Kill().Crash(Everything).Files("/")["unsynced"]; have != "c" {
		t.Errorf("a killed process left %q", have)
	}
}

// Sectors are lost one by one, and read as zero where later ones are left.
func TestTornWrite(t *testing.T) {
	t.Parallel()
	d := New()
	f := write(t, d, "/f", strings.Repeat("a", 100))
	must(t, f.Sync(), d.SyncDir("/"))
	write := strings.Repeat("b", 3*sector)
	if _, err := f.Write([]byte(write)); err != nil {
		t.Fatal(err)
	}
	asked := 0
	have := d.Crash(func() bool { asked++; return asked == 2 }).Files("/")["f"]
	if want := strings.Repeat("a", 100) + strings.Repeat("\x00", sector) + strings.Repeat("b", sector); have != want {
		t.Errorf("%q is left", have)
	}
}

// After a sync that failed another one makes nothing durable of what was
// written before the first.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	d := New()
	broken := errors.New("broken")
	f := write(t, d, "/f", "lost")
	d.Fail = func(op Op) error {
		if op.Kind == Sync {
			return broken
		}
		return nil
	}
	if err := f.Sync(); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	d.Fail = nil
	must(t, f.Sync(), d.SyncDir("/"))
	if have := d.Crash(Nothing).Files("/")["f"]; have != "\x00\x00\x00\x00" {
		t.Errorf("%q is left", have)
	}
	if have := d.Files("/")["f"]; have != "lost" {
		t.Errorf("before a crash %q is read", have)
	}
}

// A file that is replaced is the old or the new one, whenever the power fails,
// and the new one once that is said.
func TestReplace(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		d := New()
		must(t, disk.MkdirAll(d, "/a/b"), disk.WriteFile(d, "/a/b/f", []byte("old")))
		count := 0
		d.Fail = func(op Op) error {
			if count++; count > n {
				return ErrCrash
			}
			return nil
		}
		err := disk.WriteFile(d, "/a/b/f", []byte("new"))
		for what, keep := range map[string]Keep{"nothing": Nothing, "everything": Everything} {
			have := d.Crash(keep).Files("/a/b")["f"]
			if have != "new" && (have != "old" || err == nil) {
				t.Errorf("crash before operation %d, %s survives: %q, %v", n, what, have, err)
			}
		}
		if err == nil {
			break
		}
	}
}
