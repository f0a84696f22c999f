package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/disk"
)

// Cache keeps outcomes. Its methods may be called concurrently.
type Cache struct {
	Dir   string
	Limit int64 // bytes of all outcomes
	// Build names the program where no version stands for what it computes, see
	// [Committed]. Its outcomes are kept apart from those of all others.
	Build string
	// Report is told of what was not read or written. Default: nothing is told.
	Report func(error)

	mu      sync.Mutex
	pending block
	lane    *lane // nil until something is written
	failed  bool  // nothing is written any more
}

// Committed reports whether a version of agepath is that of sources that are known. An
// algorithm may change before its version does in a program of others.
func Committed(version string) bool {
	return strings.HasPrefix(version, "v") && !strings.Contains(version, "dirty")
}

// report tells of what went wrong.
func (c *Cache) report(format string, args ...any) {
	if c.Report != nil {
		c.Report(fmt.Errorf("cache of outcomes: "+format, args...))
	}
}

// key returns what the outcome of a cell is kept by.
func (c *Cache) key(cell string) (k key, ok bool) {
	if n, err := hex.Decode(k[:], []byte(cell[:min(len(cell), 2*len(k))])); err != nil || n != len(k) || len(cell) != 2*len(k) {
		return k, false
	}
	if c.Build != "" {
		sum := sha256.Sum256(append([]byte(c.Build+" "), k[:]...))
		copy(k[:], sum[:])
	}
	return k, true
}

// Add keeps the outcome of a computed cell, from the next Flush on. Other outcomes are
// not kept, nor those of programs that are neither of a committed version nor this one.
func (c *Cache) Add(o *experiment.Outcome) {
	k, ok := c.key(o.Cell)
	if !ok || !o.Status.Computed() || Committed(o.Version) != (c.Build == "") {
		return
	}
	text, err := queue.EncodeOutcome(o)
	if err != nil || int64(len(text)) > outcomeBytes(c.Limit) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed {
		return
	}
	c.pending.add(k, text)
	if len(c.pending.entries) >= blockCells || len(c.pending.body) >= blockBytes {
		c.write()
	}
}

// Flush writes what was added.
func (c *Cache) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write()
}

// Close flushes and removes what is beyond the limit.
func (c *Cache) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write()
	if c.lane == nil {
		return
	}
	err := errors.Join(c.evict(), c.lane.close())
	if c.lane = nil; err != nil {
		c.report("%w", err)
	}
}

// write appends what is pending to the lane's segment. Once that fails nothing is
// written any more.
func (c *Cache) write() {
	if len(c.pending.entries) == 0 || c.failed {
		return
	}
	err := c.ready()
	if err == nil {
		err = c.lane.append(c.pending.encode())
	}
	c.pending = block{body: c.pending.body[:0], entries: c.pending.entries[:0]}
	if err != nil {
		c.failed = true
		c.report("outcomes of this run are not kept: %w", disk.Advise(err))
	}
}

// ready makes sure that the lane has a segment with room.
func (c *Cache) ready() (err error) {
	if c.lane == nil {
		if err := os.MkdirAll(c.Dir, 0o700); err != nil {
			return err
		}
		if err := disk.CheckOwn(c.Dir); err != nil {
			return err
		}
		if c.lane, err = openLane(c.Dir); err != nil {
			return err
		}
	}
	full := segmentBytes(c.Limit)
	if c.lane.file != nil && c.lane.size < full {
		return nil
	}
	if err := c.lane.open(full, c.report); err != nil {
		return err
	}
	return c.evict()
}

// evict removes the least recently used segments beyond the limit.
func (c *Cache) evict() error {
	list, err := segments(c.Dir)
	total := int64(0)
	for _, s := range list {
		total += s.size
	}
	for _, s := range slices.Backward(list) {
		if total <= c.Limit {
			break
		}
		if s.lane == c.lane.number && s.number == c.lane.segment {
			continue
		}
		if os.Remove(s.path) == nil { // another process may have done it, or read it where that is in the way
			total -= s.size
		}
	}
	return err
}

// Empty reports whether nothing is kept.
func (c *Cache) Empty() bool {
	list, err := segments(c.Dir)
	return err == nil && len(list) == 0
}

// Each calls take with the outcomes that are kept of the cells. take reports whether an
// outcome will do; if not, it gets the others of its cell. An error of take ends it.
// What cannot be read is reported.
func (c *Cache) Each(ctx context.Context, cells iter.Seq[string], take func(*experiment.Outcome) (bool, error)) error {
	if err := disk.CheckOwn(c.Dir); err != nil {
		c.report("it is left out: %w", err)
		return nil
	}
	list, err := segments(c.Dir)
	if err != nil {
		c.report("%w", err)
	}
	if len(list) == 0 {
		return nil
	}
	want := c.wants(cells)
	for _, s := range list {
		if len(want.keys) == want.found {
			return nil
		}
		err := c.serve(ctx, s, want, take)
		var stop *stopError
		switch {
		case errors.As(err, &stop):
			return stop.err
		case err != nil && !errors.Is(err, os.ErrNotExist): // another process removed it
			c.report("%s: %w", s.path, err)
		}
	}
	return nil
}

// stopError ends the reading of a cache for reasons of the reader.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

// wanted are keys that are looked for.
type wanted struct {
	keys  []key // sorted
	got   []bool
	found int
}

func (c *Cache) wants(cells iter.Seq[string]) *wanted {
	w := &wanted{}
	for cell := range cells {
		if k, ok := c.key(cell); ok {
			w.keys = append(w.keys, k)
		}
	}
	slices.SortFunc(w.keys, func(a, b key) int { return bytes.Compare(a[:], b[:]) })
	w.got = make([]bool, len(w.keys))
	return w
}

// at returns the position of a key that is still looked for.
func (w *wanted) at(k key) (int, bool) {
	i, ok := slices.BinarySearchFunc(w.keys, k, func(a, b key) int { return bytes.Compare(a[:], b[:]) })
	return i, ok && !w.got[i]
}

// serve hands over what a segment has of what is wanted.
func (c *Cache) serve(ctx context.Context, s segment, want *wanted, take func(*experiment.Outcome) (bool, error)) error {
	file, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer file.Close()
	before := want.found
	_, err = scan(file, func(b *block) error {
		if err := ctx.Err(); err != nil {
			return &stopError{err}
		}
		if !slices.ContainsFunc(b.entries, func(e entry) bool { _, ok := want.at(e.key); return ok }) {
			return nil
		}
		if err := b.load(file); err != nil {
			c.report("%s: %w", s.path, err)
			return nil
		}
		return c.serveBlock(s, b, want, take)
	})
	if want.found > before {
		now := time.Now()
		_ = os.Chtimes(s.path, now, now) // it may be gone
	}
	return err
}

func (c *Cache) serveBlock(s segment, b *block, want *wanted, take func(*experiment.Outcome) (bool, error)) error {
	for body, rest := b.body, b.entries; len(rest) > 0; rest = rest[1:] {
		text := body[:rest[0].size]
		body = body[rest[0].size:]
		i, ok := want.at(rest[0].key)
		if !ok {
			continue
		}
		o, err := queue.DecodeOutcome(text)
		if err == nil {
			if k, _ := c.key(o.Cell); k != rest[0].key {
				err = fmt.Errorf("an outcome of cell %.140q is in the place of another", o.Cell)
			}
		}
		if err != nil {
			c.report("%s: %w", s.path, err)
			continue
		}
		taken, err := take(o)
		if err != nil {
			return &stopError{err}
		}
		if taken {
			want.got[i] = true
			want.found++
		}
	}
	return nil
}

// Info tells what a cache holds.
type Info struct {
	Segments, Outcomes int
	Bytes              int64
	Oldest, Newest     time.Time // when the segments were used that were so first and last
}

// Look reads what the cache of a folder holds.
func Look(dir string) (*Info, error) {
	list, err := segments(dir)
	info := &Info{Segments: len(list)}
	for i, s := range list {
		info.Bytes += s.size
		if i == 0 {
			info.Newest = s.used
		}
		info.Oldest = s.used
		file, problem := os.Open(s.path)
		if problem == nil {
			_, problem = scan(file, func(b *block) error { info.Outcomes += len(b.entries); return nil })
			problem = errors.Join(problem, file.Close())
		}
		if problem != nil && !errors.Is(problem, os.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%s: %w", s.path, problem))
		}
	}
	return info, err
}

// Clear removes what the cache of a folder holds, and returns what that was.
func Clear(dir string) (*Info, error) {
	info, _ := Look(dir) // damage goes too
	list, err := segments(dir)
	for _, s := range list {
		err = errors.Join(err, disk.RemoveIfThere(disk.OS{}, s.path))
	}
	return info, err
}

// lane is the right of a process to append to some segments.
type lane struct {
	dir     string
	number  int
	lock    io.Closer
	file    *os.File // nil before the first block
	segment int
	size    int64
}

// mostLanes bounds the processes that write at a time.
const mostLanes = 100

// openLane takes the first lane that is free.
func openLane(dir string) (*lane, error) {
	for number := range mostLanes {
		lock, err := disk.OS{}.Lock(filepath.Join(dir, lockName(number)))
		if err == nil {
			return &lane{dir: dir, number: number, lock: lock}, nil
		}
		if held := new(disk.HeldError); !errors.As(err, &held) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%d processes write it; more cannot", mostLanes)
}

// open opens the lane's newest segment, without what a killed process left of a block, or
// a new one where that is damaged or has more than so many bytes.
func (l *lane) open(full int64, report func(string, ...any)) error {
	if l.file != nil {
		if err := l.file.Close(); err != nil {
			return err
		}
		l.file = nil
	}
	list, err := segments(l.dir)
	if err != nil {
		return err
	}
	newest := segment{number: 0, size: full}
	for _, s := range list {
		if s.lane == l.number && s.number > newest.number {
			newest = s
		}
	}
	if newest.size < full {
		err := l.resume(newest)
		if err == nil {
			return nil
		}
		report("%s: %w", newest.path, err)
	}
	l.segment, l.size = newest.number+1, 0
	l.file, err = os.OpenFile(filepath.Join(l.dir, segmentName(l.number, l.segment)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return err
}

// resume opens a segment to append to it.
func (l *lane) resume(s segment) error {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()                             // it was only looked into
	file, err := root.OpenFile(filepath.Base(s.path), os.O_RDWR, 0) // not where a link leads
	if err != nil {
		return err
	}
	end, err := scan(file, func(*block) error { return nil })
	if err == nil {
		err = file.Truncate(end)
	}
	if err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.segment, l.size = file, s.number, end
	return nil
}

func (l *lane) append(text []byte) error {
	n, err := l.file.Write(text)
	l.size += int64(n)
	return err
}

func (l *lane) close() error {
	var err error
	if l.file != nil {
		err = l.file.Close()
	}
	return errors.Join(err, l.lock.Close())
}
