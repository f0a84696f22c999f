package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment/queue"
)

const (
	// DefaultCacheBytes is the default of [Worker.CacheBytes].
	DefaultCacheBytes = 10 << 30
	// staleAfter is how old a file that nobody completes gets.
	staleAfter = 5 * time.Minute

	cachedEnding  = ".data"
	partialPrefix = ".partial-"
)

// diskCache keeps data sets of the queue in files named after their digests,
// for the slots of this worker and of others that use the same folder. Files
// appear whole, by renaming. Who reads one checks the digest, and has a file
// that does not match fetched again. The least recently used files are removed
// beyond the limit.
type diskCache struct {
	queue *queue.Queue
	dir   string
	limit int64 // bytes

	mu      sync.Mutex
	entries map[string]*cachedFile // those in use here
}

// cachedFile is a file in use. Once it was found to be no good another one takes
// its place.
type cachedFile struct {
	path  string
	users int
	ready chan struct{} // closed when the file is there, or err
	err   error
}

// openDiskCache makes the folder and removes what broke off in it.
func openDiskCache(q *queue.Queue, dir string, limit int64) (*diskCache, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cache of data sets: %w", err)
	}
	c := &diskCache{queue: q, dir: dir, limit: limit, entries: map[string]*cachedFile{}}
	files, err := c.files(partialPrefix, "")
	if err != nil {
		return nil, fmt.Errorf("cache of data sets: %w", err)
	}
	for _, file := range files {
		if time.Since(file.ModTime()) > staleAfter {
			c.remove(file.Name())
		}
	}
	return c, nil
}

func (c *diskCache) path(digest string) string { return filepath.Join(c.dir, digest+cachedEnding) }

// acquire returns the file of a data set, which stays until it is released.
func (c *diskCache) acquire(ctx context.Context, digest string) (*cachedFile, error) {
	if err := queue.ValidName(digest); err != nil {
		return nil, fmt.Errorf("data set: digest %w", err)
	}
	c.mu.Lock()
	entry := c.entries[digest]
	first := entry == nil
	if first {
		entry = &cachedFile{path: c.path(digest), ready: make(chan struct{})}
		c.entries[digest] = entry
	}
	entry.users++
	c.mu.Unlock()
	if first {
		entry.err = c.provide(ctx, digest)
		close(entry.ready)
	}
	select {
	case <-entry.ready:
		if entry.err == nil {
			return entry, nil
		}
		c.release(digest, entry, true)
		return nil, fmt.Errorf("data set %s: %w", digest, entry.err)
	case <-ctx.Done():
		c.release(digest, entry, false)
		return nil, fmt.Errorf("data set %s: %w", digest, context.Cause(ctx))
	}
}

// release gives a file back; one that is no good is fetched again by the next
// who asks.
func (c *diskCache) release(digest string, entry *cachedFile, bad bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[digest] != entry {
		return // it was no good for another slot either, and is replaced
	}
	if bad {
		c.remove(digest + cachedEnding)
		delete(c.entries, digest)
		return
	}
	if entry.users--; entry.users == 0 {
		delete(c.entries, digest)
	}
}

// provide makes sure that the file of a data set is there.
func (c *diskCache) provide(ctx context.Context, digest string) error {
	path := c.path(digest)
	now := time.Now()
	err := os.Chtimes(path, now, now) // used now
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	body, err := c.queue.Data(ctx, digest)
	if err != nil {
		return err
	}
	defer body.Close()
	file, err := os.CreateTemp(c.dir, partialPrefix)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, body)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return c.evict()
}

// evict removes the least recently used files beyond the limit that no slot of
// this worker uses. A file that another worker is about to read is fetched
// again by it.
func (c *diskCache) evict() error {
	files, err := c.files("", cachedEnding)
	if err != nil {
		return err
	}
	var total int64
	for _, file := range files {
		total += file.Size()
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, file := range files {
		if total <= c.limit {
			break
		}
		if c.entries[strings.TrimSuffix(file.Name(), cachedEnding)] == nil {
			c.remove(file.Name())
			total -= file.Size()
		}
	}
	return nil
}

// files lists the files whose names begin and end like this.
func (c *diskCache) files(prefix, suffix string) ([]os.FileInfo, error) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, err
	}
	var files []os.FileInfo
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		if info, err := entry.Info(); err == nil { // else another worker removed it
			files = append(files, info)
		}
	}
	return files, nil
}

// remove removes a file that may be gone already. One that cannot be removed
// takes room and nothing else.
func (c *diskCache) remove(name string) { _ = os.Remove(filepath.Join(c.dir, name)) }
