package results

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agepath/agepath/internal/disk"
)

// opKind is what an operation does.
type opKind string

// The operations that can fail.
const (
	opCreate  opKind = "create"
	opOpen    opKind = "open"
	opRead    opKind = "read"
	opWrite   opKind = "write"
	opSync    opKind = "sync"
	opRename  opKind = "rename"
	opRemove  opKind = "remove"
	opMkdir   opKind = "mkdir"
	opReadDir opKind = "readdir"
	opSyncDir opKind = "syncdir"
	opLock    opKind = "lock"
)

// Changes reports whether an operation changes what a crash leaves. A crash just
// before another one is the same as before the next that does.
func (k opKind) Changes() bool { return k != opOpen && k != opRead && k != opReadDir }

// diskOp is an operation.
type diskOp struct {
	Kind  opKind
	Path  string
	Bytes int // of a write
}

// faultyDisk is a disk in memory, which fails where it is told to and loses at a crash what
// was not made durable. It does what [disk.FS] promises and no more, as the fault injection
// of SQLite's and LevelDB's tests does: unsynced bytes, and names whose folder was not
// synced, are kept apart from what is durable, and at a crash any part of them survives, in
// any order. Its methods may be called concurrently.
type faultyDisk struct {
	// Fail is asked before each operation; where it returns an error the
	// operation fails with it. A write has then written half of its bytes, and
	// a sync has lost what it should have made durable, as Linux does; other
	// operations have done nothing. From the first [errCrash] on every operation
	// fails with that and does nothing. Default: nothing fails.
	Fail func(diskOp) error

	mu      sync.Mutex
	names   map[string]*faultyNode // as processes see them
	durable map[string]*faultyNode // as they are on the disk
	changes []nameChange           // from the one to the other, in order
	locks   map[string]bool
	crashed bool
}

// errCrash is what operations return once the machine is down.
var errCrash = errors.New("the machine is down")

var _ disk.FS = (*faultyDisk)(nil)

// nameChange is a change of names of one folder that happens as a whole or not at
// all.
type nameChange struct {
	folder string
	set    string // the name that is given to node; "" for none
	node   *faultyNode
	gone   string // the name that is taken; "" for none
}

// faultyNode is a file or a folder.
type faultyNode struct {
	folder bool
	data   []byte
	synced int        // bytes that are durable but for those lost
	lost   []lostSpan // bytes whose sync failed
}

// lostSpan is a range of bytes.
type lostSpan struct{ from, to int }

// diskSector is what a disk writes as a whole.
const diskSector = 512

// newFaultyDisk returns an empty disk, which has the folder /.
func newFaultyDisk() *faultyDisk {
	root := map[string]*faultyNode{"/": {folder: true}}
	return &faultyDisk{names: root, durable: maps.Clone(root), locks: map[string]bool{}}
}

// keepsLost decides whether something that is not durable survives a crash.
type keepsLost func() bool

// keepNothing lets nothing survive that is not durable.
func keepNothing() bool { return false }

// keepEverything lets everything survive, as when a process dies and the machine
// writes on.
func keepEverything() bool { return true }

// Crash returns the disk after a power failure: what is durable, and of the rest
// the changes of names and the sectors of files that keep says. Lost sectors
// before others that survive are zero. The old disk must not be used on.
func (d *faultyDisk) Crash(keep keepsLost) *faultyDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := maps.Clone(d.durable)
	for _, c := range d.changes {
		if keep() {
			c.apply(names)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if parent := names[filepath.Dir(name)]; parent == nil || !parent.folder {
			delete(names, name)
		}
	}
	copies := map[*faultyNode]*faultyNode{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		old := names[name]
		if copies[old] == nil {
			copies[old] = old.crash(keep)
		}
		names[name] = copies[old]
	}
	return &faultyDisk{names: names, durable: maps.Clone(names), locks: map[string]bool{}}
}

// Kill returns the disk after the death of the process that used it: the machine
// has all that was written, but no more of it is durable than was. The old disk
// must not be used on.
func (d *faultyDisk) Kill() *faultyDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &faultyDisk{names: d.names, durable: d.durable, changes: d.changes, locks: map[string]bool{}}
}

// crash returns what is left of a file.
func (n *faultyNode) crash(keep keepsLost) *faultyNode {
	left := &faultyNode{folder: n.folder, data: slices.Clone(n.data[:n.synced])}
	for _, s := range n.lost {
		for at := s.from; at < s.to; at += diskSector {
			if !keep() {
				clear(left.data[at:min(at+diskSector, s.to)])
			}
		}
	}
	for at := n.synced; at < len(n.data); at += diskSector {
		if to := min(at+diskSector, len(n.data)); keep() {
			left.data = append(left.data, make([]byte, at-len(left.data))...)
			left.data = append(left.data, n.data[at:to]...)
		}
	}
	left.synced = len(left.data)
	return left
}

func (c nameChange) apply(names map[string]*faultyNode) {
	if c.gone != "" {
		delete(names, c.gone)
	}
	if c.set != "" {
		names[c.set] = c.node
	}
}

// Files returns the files in a folder and what a process reads from them.
func (d *faultyDisk) Files(folder string) map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	files := map[string]string{}
	for name, n := range d.names {
		if filepath.Dir(name) == folder && !n.folder {
			files[filepath.Base(name)] = string(n.data)
		}
	}
	return files
}

// begin asks whether an operation fails and locks the disk.
func (d *faultyDisk) begin(kind opKind, path string, bytes int) (end func(), err error) {
	if d.Fail != nil {
		err = d.Fail(diskOp{kind, path, bytes})
	}
	d.mu.Lock()
	if d.crashed = d.crashed || errors.Is(err, errCrash); d.crashed {
		err = errCrash
	}
	return d.mu.Unlock, err
}

// find returns the file or folder of a name.
func (d *faultyDisk) find(name string, folder bool) (*faultyNode, error) {
	n := d.names[filepath.Clean(name)]
	switch {
	case n == nil:
		return nil, fs.ErrNotExist
	case n.folder != folder:
		return nil, errors.New("not a file or folder as asked for")
	}
	return n, nil
}

// change makes a change of names that is not durable yet.
func (d *faultyDisk) change(c nameChange) {
	c.apply(d.names)
	d.changes = append(d.changes, c)
}

// add adds a name to its folder.
func (d *faultyDisk) add(name string, n *faultyNode) error {
	name = filepath.Clean(name)
	if _, err := d.find(filepath.Dir(name), true); err != nil {
		return err
	}
	if d.names[name] != nil {
		return fs.ErrExist
	}
	d.change(nameChange{folder: filepath.Dir(name), set: name, node: n})
	return nil
}

// pathError says which operation failed on which file.
func opError(kind opKind, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: string(kind), Path: path, Err: err}
}

// Create implements [disk.FS].
func (d *faultyDisk) Create(name string) (disk.File, error) {
	end, err := d.begin(opCreate, name, 0)
	defer end()
	f := &faultyFile{d, name, &faultyNode{}}
	if err == nil {
		err = d.add(name, f.node)
	}
	return f, opError(opCreate, name, err)
}

// Open implements [disk.FS].
func (d *faultyDisk) Open(name string) (disk.Source, error) {
	end, err := d.begin(opOpen, name, 0)
	defer end()
	f := &faultyFile{d, name, nil}
	if err == nil {
		f.node, err = d.find(name, false)
	}
	return f, opError(opOpen, name, err)
}

// Rename implements [disk.FS].
func (d *faultyDisk) Rename(from, to string) error {
	end, err := d.begin(opRename, from, 0)
	defer end()
	from, to = filepath.Clean(from), filepath.Clean(to)
	var n *faultyNode
	if err == nil {
		n, err = d.find(from, false)
	}
	if err == nil && filepath.Dir(from) != filepath.Dir(to) {
		err = errors.New("another folder")
	}
	if err != nil {
		return &os.LinkError{Op: string(opRename), Old: from, New: to, Err: err}
	}
	d.change(nameChange{folder: filepath.Dir(from), set: to, node: n, gone: from})
	return nil
}

// Remove implements [disk.FS].
func (d *faultyDisk) Remove(name string) error {
	end, err := d.begin(opRemove, name, 0)
	defer end()
	if err == nil {
		_, err = d.find(name, false)
	}
	if err == nil {
		d.change(nameChange{folder: filepath.Dir(name), gone: filepath.Clean(name)})
	}
	return opError(opRemove, name, err)
}

// Mkdir implements [disk.FS].
func (d *faultyDisk) Mkdir(name string) error {
	end, err := d.begin(opMkdir, name, 0)
	defer end()
	if err == nil {
		err = d.add(name, &faultyNode{folder: true})
	}
	return opError(opMkdir, name, err)
}

// ReadDir implements [disk.FS].
func (d *faultyDisk) ReadDir(name string) ([]string, error) {
	end, err := d.begin(opReadDir, name, 0)
	defer end()
	if err == nil {
		_, err = d.find(name, true)
	}
	var names []string
	for path := range d.names {
		if path != "/" && filepath.Dir(path) == filepath.Clean(name) {
			names = append(names, filepath.Base(path))
		}
	}
	slices.Sort(names)
	return names, opError(opReadDir, name, err)
}

// SyncDir implements [disk.FS].
func (d *faultyDisk) SyncDir(name string) error {
	end, err := d.begin(opSyncDir, name, 0)
	defer end()
	if err == nil {
		_, err = d.find(name, true)
	}
	if err != nil {
		return opError(opSyncDir, name, err)
	}
	var others []nameChange
	for _, c := range d.changes {
		if c.folder == filepath.Clean(name) {
			c.apply(d.durable)
		} else {
			others = append(others, c)
		}
	}
	d.changes = others
	return nil
}

// Lock implements [disk.FS].
func (d *faultyDisk) Lock(name string) (io.Closer, error) {
	end, err := d.begin(opLock, name, 0)
	defer end()
	if err == nil {
		if err = d.add(name, &faultyNode{}); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, opError(opLock, name, err)
	}
	if d.locks[name] {
		return nil, &disk.HeldError{Path: name}
	}
	d.locks[name] = true
	return faultyLock{d, name}, nil
}

type faultyLock struct {
	disk *faultyDisk
	name string
}

// Close releases the lock.
func (l faultyLock) Close() error {
	l.disk.mu.Lock()
	defer l.disk.mu.Unlock()
	delete(l.disk.locks, l.name)
	return nil
}

// faultyFile is an open file.
type faultyFile struct {
	disk *faultyDisk
	path string
	node *faultyNode
}

// Write implements [disk.File].
func (f *faultyFile) Write(p []byte) (int, error) {
	d := f.disk
	end, err := d.begin(opWrite, f.path, len(p))
	defer end()
	switch {
	case d.crashed:
		p = nil
	case err != nil:
		p = p[:len(p)/2]
	}
	f.node.data = append(f.node.data, p...)
	return len(p), opError(opWrite, f.path, err)
}

// Sync implements [disk.File] and [disk.Source].
func (f *faultyFile) Sync() error {
	end, err := f.disk.begin(opSync, f.path, 0)
	defer end()
	if f.disk.crashed {
		return opError(opSync, f.path, err)
	}
	if err != nil && f.node.synced < len(f.node.data) {
		f.node.lost = append(f.node.lost, lostSpan{f.node.synced, len(f.node.data)})
	}
	f.node.synced = len(f.node.data)
	return opError(opSync, f.path, err)
}

// ReadAt implements [disk.Source].
func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	end, err := f.disk.begin(opRead, f.path, len(p))
	defer end()
	if err != nil {
		return 0, opError(opRead, f.path, err)
	}
	if off > int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Size implements [disk.Source].
func (f *faultyFile) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.node.data)), nil
}

// Close implements [io.Closer].
func (f *faultyFile) Close() error { return nil }

func writeFaulty(t *testing.T, d *faultyDisk, name, text string) disk.File {
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

func mustAll(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Bytes and names become durable apart from each other.
func TestFaultyDiskCrash(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk()
	mustAll(t, writeFaulty(t, d, "/synced", "a").Sync(), d.SyncDir("/"))
	mustAll(t, writeFaulty(t, d, "/nameless", "b").Sync())
	writeFaulty(t, d, "/unsynced", "c")
	mustAll(t, d.Rename("/synced", "/renamed"))
	check := func(what string, keep keepsLost, want map[string]string) {
		t.Helper()
		if have := d.Crash(keep).Files("/"); !maps.Equal(have, want) {
			t.Errorf("%s: %v, want %v", what, have, want)
		}
	}
	check("nothing", keepNothing, map[string]string{"synced": "a"})
	check("everything", keepEverything, map[string]string{"renamed": "a", "nameless": "b", "unsynced": "c"})
	asked := 0
	check("the rename alone", func() bool { asked++; return asked == 3 }, map[string]string{"renamed": "a"})
	mustAll(t, d.SyncDir("/"))
	check("names without bytes", keepNothing, map[string]string{"renamed": "a", "nameless": "b", "unsynced": ""})
	if have := d.Kill().Crash(keepEverything).Files("/")["unsynced"]; have != "c" {
		t.Errorf("a killed process left %q", have)
	}
}

// Sectors are lost one by one, and read as zero where later ones are left.
func TestFaultyDiskTornWrite(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk()
	f := writeFaulty(t, d, "/f", strings.Repeat("a", 100))
	mustAll(t, f.Sync(), d.SyncDir("/"))
	write := strings.Repeat("b", 3*diskSector)
	if _, err := f.Write([]byte(write)); err != nil {
		t.Fatal(err)
	}
	asked := 0
	have := d.Crash(func() bool { asked++; return asked == 2 }).Files("/")["f"]
	if want := strings.Repeat("a", 100) + strings.Repeat("\x00", diskSector) + strings.Repeat("b", diskSector); have != want {
		t.Errorf("%q is left", have)
	}
}

// After a sync that failed another one makes nothing durable of what was
// written before the first.
func TestFaultyDiskFailedSync(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk()
	broken := errors.New("broken")
	f := writeFaulty(t, d, "/f", "lost")
	d.Fail = func(op diskOp) error {
		if op.Kind == opSync {
			return broken
		}
		return nil
	}
	if err := f.Sync(); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	d.Fail = nil
	mustAll(t, f.Sync(), d.SyncDir("/"))
	if have := d.Crash(keepNothing).Files("/")["f"]; have != "\x00\x00\x00\x00" {
		t.Errorf("%q is left", have)
	}
	if have := d.Files("/")["f"]; have != "lost" {
		t.Errorf("before a crash %q is read", have)
	}
}

// A file that is replaced is the old or the new one, whenever the power fails,
// and the new one once that is said.
func TestFaultyDiskReplace(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		d := newFaultyDisk()
		mustAll(t, disk.MkdirAll(d, "/a/b"), disk.WriteFile(d, "/a/b/f", []byte("old")))
		count := 0
		d.Fail = func(op diskOp) error {
			if count++; count > n {
				return errCrash
			}
			return nil
		}
		err := disk.WriteFile(d, "/a/b/f", []byte("new"))
		for what, keep := range map[string]keepsLost{"nothing": keepNothing, "everything": keepEverything} {
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
