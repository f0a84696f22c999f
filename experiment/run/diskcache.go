package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
)

const (
	// DefaultCacheBytes is the default of [Worker.CacheBytes].
	DefaultCacheBytes = 10 << 30
	// inUseFor is how long a file counts as used after a request or a write.
	inUseFor = time.Minute

	cachedEnding  = ".data"
	partialPrefix = ".partial-"
)

// diskCache keeps data sets in files named after their digests, for all workers that use the
// folder. Files are renamed when complete. A reader checks the digest and has a bad or missing file
// fetched again. Beyond the limit the least recently used files are removed, also those that killed
// workers left incomplete.
type diskCache struct {
	queue    *queue.Queue
	dir      string
	limit    int64 // bytes
	fetching singleflight.Group
}

func openDiskCache(q *queue.Queue, dir string, limit int64) (*diskCache, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cache of data sets: %w", err)
	}
	return &diskCache{queue: q, dir: dir, limit: limit}, nil
}

func (c *diskCache) file(ctx context.Context, digest string) (path string, err error) {
	if err := queue.ValidName(digest); err != nil {
		return "", fmt.Errorf("data set: digest %w", err)
	}
	path = filepath.Join(c.dir, digest+cachedEnding)
	now := time.Now()
	if err = os.Chtimes(path, now, now); errors.Is(err, os.ErrNotExist) {
		fetched := c.fetching.DoChan(digest, func() (any, error) { return nil, c.fetch(ctx, digest, path) })
		select {
		case f := <-fetched:
			err = f.Err
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		return "", fmt.Errorf("fetching data: %w", err)
	}
	return path, nil
}

func (c *diskCache) fetch(ctx context.Context, digest, path string) error {
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

// evict removes the least recently used files beyond the limit, except those in use.
func (c *diskCache) evict() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var files []os.FileInfo
	var total int64
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), partialPrefix) && !strings.HasSuffix(entry.Name(), cachedEnding) {
			continue
		}
		if info, err := entry.Info(); err == nil { // otherwise another worker removed it
			files = append(files, info)
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files {
		if total <= c.limit || time.Since(file.ModTime()) < inUseFor {
			break
		}
		c.remove(file.Name())
		total -= file.Size()
	}
	return nil
}

// remove may fail: the file only takes room then.
func (c *diskCache) remove(name string) { _ = os.Remove(filepath.Join(c.dir, name)) }

// fetchDataset returns a [*queue.DamagedError] for another digest.
func fetchDataset(ctx context.Context, q *queue.Queue, digest string) (*dataset.Dataset, error) {
	content, err := q.ReadData(ctx, digest, math.MaxInt64-1)
	if err != nil {
		return nil, err
	}
	set, err := decodeDataset(bytes.NewReader(content), digest)
	if err != nil {
		err = &queue.DamagedError{Object: digest, Err: err}
	}
	return set, err
}

func readDataset(path, digest string) (*dataset.Dataset, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return decodeDataset(bufio.NewReaderSize(file, 1<<18), digest)
}

func decodeDataset(r io.Reader, digest string) (*dataset.Dataset, error) {
	set, err := dataset.Decode(r)
	if err != nil {
		return nil, fmt.Errorf("reading data set %s: %w", digest, err)
	}
	if have := set.Digest(); have != digest {
		return nil, fmt.Errorf("data set %s has the digest %s", digest, have)
	}
	return set, nil
}
