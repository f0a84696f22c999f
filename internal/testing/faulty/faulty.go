// Package faulty is a disk in memory for tests, which fails where it is told to
// and loses at a crash what was not made durable. It does what [disk.FS]
// promises and no more, as the fault injection of SQLite's and LevelDB's tests
// does: unsynced bytes, and names whose folder was not synced, are kept apart
// from what is durable, and at a crash any part of them survives, in any order.
package faulty

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agepath/agepath/internal/disk"
)

// Kind is what an operation does.
type Kind string

// The operations that can fail.
const (
	Create  Kind = "create"
	Open    Kind = "open"
	Read    Kind = "read"
	Write   Kind = "write"
	Sync    Kind = "sync"
	Rename  Kind = "rename"
	Remove  Kind = "remove"
	Mkdir   Kind = "mkdir"
	ReadDir Kind = "readdir"
	SyncDir Kind = "syncdir"
	Lock    Kind = "lock"
)

// Changes reports whether an operation changes what a crash leaves. A crash just
// before another one is the same as before the next that does.
func (k Kind) Changes() bool { return k != Open && k != Read && k != ReadDir }

// Op is an operation.
type Op struct {
	Kind  Kind
	Path  string
	Bytes int // of a write
}

// Disk is a simulated disk. Its methods may be called concurrently.
type Disk struct {
	// Fail is asked before each operation; where it returns an error the
	// operation fails with it. A write has then written half of its bytes, and
	// a sync has lost what it should have made durable, as Linux does; other
	// operations have done nothing. From the first [ErrCrash] on every operation
	// fails with that and does nothing. Default: nothing fails.
	Fail func(Op) error

	mu      sync.Mutex
	names   map[string]*node // as processes see them
	durable map[string]*node // as they are on the disk
	changes []change         // from the one to the other, in order
	locks   map[string]bool
	crashed bool
}

// ErrCrash is what operations return once the machine is down.
var ErrCrash = errors.New("the machine is down")

var _ disk.FS = (*Disk)(nil)

// change is a change of names of one folder that happens as a whole or not at
// all.
type change struct {
	folder string
	set    string // the name that is given to node; "" for none
	node   *node
	gone   string // the name that is taken; "" for none
}

// node is a file or a folder.
type node struct {
	folder bool
	data   []byte
	synced int    // bytes that are durable but for those lost
	lost   []span // bytes whose sync failed
}

// span is a range of bytes.
type span struct{ from, to int }

// sector is what a disk writes as a whole.
const sector = 512

// New returns an empty disk, which has the folder /.
func New() *Disk {
	root := map[string]*node{"/": {folder: true}}
	return &Disk{names: root, durable: maps.Clone(root), locks: map[string]bool{}}
}

// Keep decides whether something that is not durable survives a crash.
type Keep func() bool

// Nothing lets nothing survive that is not durable.
func Nothing() bool { return false }

// Everything lets everything survive, as when a process dies and the machine
// writes on.
func Everything() bool { return true }

// Crash returns the disk after a power failure: what is durable, and of the rest
// the changes of names and the sectors of files that keep says. Lost sectors
// before others that survive are zero. The old disk must not be used on.
func (d *Disk) Crash(keep Keep) *Disk {
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
	copies := map[*node]*node{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		old := names[name]
		if copies[old] == nil {
			copies[old] = old.crash(keep)
		}
		names[name] = copies[old]
	}
	return &Disk{names: names, durable: maps.Clone(names), locks: map[string]bool{}}
}

// Kill returns the disk after the death of the process that used it: the machine
// has all that was written, but no more of it is durable than was. The old disk
// must not be used on.
func (d *Disk) Kill() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &Disk{names: d.names, durable: d.durable, changes: d.changes, locks: map[string]bool{}}
}

// crash returns what is left of a file.
func (n *node) crash(keep Keep) *node {
	left := &node{folder: n.folder, data: slices.Clone(n.data[:n.synced])}
	for _, s := range n.lost {
		for at := s.from; at < s.to; at += sector {
			if !keep() {
				clear(left.data[at:min(at+sector, s.to)])
			}
		}
	}
	for at := n.synced; at < len(n.data); at += sector {
		if to := min(at+sector, len(n.data)); keep() {
			left.data = append(left.data, make([]byte, at-len(left.data))...)
			left.data = append(left.data, n.data[at:to]...)
		}
	}
	left.synced = len(left.data)
	return left
}

func (c change) apply(names map[string]*node) {
	if c.gone != "" {
		delete(names, c.gone)
	}
	if c.set != "" {
		names[c.set] = c.node
	}
}

// Files returns the files in a folder and what a process reads from them.
func (d *Disk) Files(folder string) map[string]string {
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
func (d *Disk) begin(kind Kind, path string, bytes int) (end func(), err error) {
	if d.Fail != nil {
		err = d.Fail(Op{kind, path, bytes})
	}
	d.mu.Lock()
	if d.crashed = d.crashed || errors.Is(err, ErrCrash); d.crashed {
		err = ErrCrash
	}
	return d.mu.Unlock, err
}

// find returns the file or folder of a name.
func (d *Disk) find(name string, folder bool) (*node, error) {
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
func (d *Disk) change(c change) {
	c.apply(d.names)
	d.changes = append(d.changes, c)
}

// add adds a name to its folder.
func (d *Disk) add(name string, n *node) error {
	name = filepath.Clean(name)
	if _, err := d.find(filepath.Dir(name), true); err != nil {
		return err
	}
	if d.names[name] != nil {
		return fs.ErrExist
	}
	d.change(change{folder: filepath.Dir(name), set: name, node: n})
	return nil
}

// pathError says which operation failed on which file.
func pathError(kind Kind, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: string(kind), Path: path, Err: err}
}

// Create implements [disk.FS].
func (d *Disk) Create(name string) (disk.File, error) {
	end, err := d.begin(Create, name, 0)
	defer end()
	f := &file{d, name, &node{}}
	if err == nil {
		err = d.add(name, f.node)
	}
	return f, pathError(Create, name, err)
}

// Open implements [disk.FS].
func (d *Disk) Open(name string) (disk.Source, error) {
	end, err := d.begin(Open, name, 0)
	defer end()
	f := &file{d, name, nil}
	if err == nil {
		f.node, err = d.find(name, false)
	}
	return f, pathError(Open, name, err)
}

// Rename implements [disk.FS].
func (d *Disk) Rename(from, to string) error {
	end, err := d.begin(Rename, from, 0)
	defer end()
	from, to = filepath.Clean(from), filepath.Clean(to)
	var n *node
	if err == nil {
		n, err = d.find(from, false)
	}
	if err == nil && filepath.Dir(from) != filepath.Dir(to) {
		err = errors.New("another folder")
	}
	if err != nil {
		return &os.LinkError{Op: string(Rename), Old: from, New: to, Err: err}
	}
	d.change(change{folder: filepath.Dir(from), set: to, node: n, gone: from})
	return nil
}

// Remove implements [disk.FS].
func (d *Disk) Remove(name string) error {
	end, err := d.begin(Remove, name, 0)
	defer end()
	if err == nil {
		_, err = d.find(name, false)
	}
	if err == nil {
		d.change(change{folder: filepath.Dir(name), gone: filepath.Clean(name)})
	}
	return pathError(Remove, name, err)
}

// Mkdir implements [disk.FS].
func (d *Disk) Mkdir(name string) error {
	end, err := d.begin(Mkdir, name, 0)
	defer end()
	if err == nil {
		err = d.add(name, &node{folder: true})
	}
	return pathError(Mkdir, name, err)
}

// ReadDir implements [disk.FS].
func (d *Disk) ReadDir(name string) ([]string, error) {
	end, err := d.begin(ReadDir, name, 0)
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
	return names, pathError(ReadDir, name, err)
}

// SyncDir implements [disk.FS].
func (d *Disk) SyncDir(name string) error {
	end, err := d.begin(SyncDir, name, 0)
	defer end()
	if err == nil {
		_, err = d.find(name, true)
	}
	if err != nil {
		return pathError(SyncDir, name, err)
	}
	var others []change
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
func (d *Disk) Lock(name string) (io.Closer, error) {
	end, err := d.begin(Lock, name, 0)
	defer end()
	if err == nil {
		if err = d.add(name, &node{}); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, pathError(Lock, name, err)
	}
	if d.locks[name] {
		return nil, &disk.HeldError{Path: name}
	}
	d.locks[name] = true
	return lock{d, name}, nil
}

type lock struct {
	disk *Disk
	name string
}

// Close releases the lock.
func (l lock) Close() error {
	l.disk.mu.Lock()
	defer l.disk.mu.Unlock()
	delete(l.disk.locks, l.name)
	return nil
}

// file is an open file.
type file struct {
	disk *Disk
	path string
	node *node
}

// Write implements [disk.File].
func (f *file) Write(p []byte) (int, error) {
	d := f.disk
	end, err := d.begin(Write, f.path, len(p))
	defer end()
	switch {
	case d.crashed:
		p = nil
	case err != nil:
		p = p[:len(p)/2]
	}
	f.node.data = append(f.node.data, p...)
	return len(p), pathError(Write, f.path, err)
}

// Sync implements [disk.File] and [disk.Source].
func (f *file) Sync() error {
	end, err := f.disk.begin(Sync, f.path, 0)
	defer end()
	if f.disk.crashed {
		return pathError(Sync, f.path, err)
	}
	if err != nil && f.node.synced < len(f.node.data) {
		f.node.lost = append(f.node.lost, span{f.node.synced, len(f.node.data)})
	}
	f.node.synced = len(f.node.data)
	return pathError(Sync, f.path, err)
}

// ReadAt implements [disk.Source].
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	end, err := f.disk.begin(Read, f.path, len(p))
	defer end()
	if err != nil {
		return 0, pathError(Read, f.path, err)
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
func (f *file) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.node.data)), nil
}

// Close implements [io.Closer].
func (f *file) Close() error { return nil }
