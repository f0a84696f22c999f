package run

import (
	"bufio"
	"container/list"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
)

// cacheBytes is how much memory the data sets that no cell uses at the moment
// may take on a worker that computes in its own process.
const cacheBytes = 512 << 20

// fetcher gets a data set by its digest.
type fetcher func(ctx context.Context, digest string) (*dataset.Dataset, error)

// dataCache holds data sets in memory. A data set is fetched once however many
// slots ask for it, and the least recently used ones are forgotten beyond the
// limit.
type dataCache struct {
	fetch fetcher
	limit int64 // bytes

	mu      sync.Mutex
	entries map[string]*list.Element // of *cacheEntry, by digest
	recent  *list.List               // the most recently used in front
	bytes   int64
}

type cacheEntry struct {
	digest string
	ready  chan struct{} // closed when set or err is there
	set    *dataset.Dataset
	err    error
}

func newDataCache(limit int64, fetch fetcher) *dataCache {
	return &dataCache{fetch: fetch, limit: limit, entries: map[string]*list.Element{}, recent: list.New()}
}

// queueFetcher gets data sets from the queue.
func queueFetcher(q *queue.Queue) fetcher {
	return func(ctx context.Context, digest string) (*dataset.Dataset, error) {
		return fetchDataset(ctx, q, digest)
	}
}

// Dataset returns the data set of a digest. It is shared: callers must not
// change it.
func (c *dataCache) Dataset(ctx context.Context, digest string) (*dataset.Dataset, error) {
	c.mu.Lock()
	element, ok := c.entries[digest]
	if ok {
		c.recent.MoveToFront(element)
	} else {
		element = c.recent.PushFront(&cacheEntry{digest: digest, ready: make(chan struct{})})
		c.entries[digest] = element
	}
	c.mu.Unlock()
	entry := element.Value.(*cacheEntry)
	if !ok {
		entry.set, entry.err = c.fetch(ctx, digest)
		c.settle(element)
		close(entry.ready)
	}
	select {
	case <-entry.ready:
		return entry.set, entry.err
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for data set %s: %w", digest, ctx.Err())
	}
}

// settle counts a fetched entry and forgets a failed one, so that the next
// cell tries again, and the least recently used beyond the limit.
func (c *dataCache) settle(element *list.Element) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := element.Value.(*cacheEntry)
	if entry.err != nil {
		c.forget(element)
		return
	}
	c.bytes += size(entry.set)
	c.shrink(c.limit, func(digest string) bool { return digest == entry.digest })
}

// shrink forgets the least recently used data sets beyond a limit, but for
// those to keep.
func (c *dataCache) shrink(limit int64, keep func(digest string) bool) {
	for at := c.recent.Back(); at != nil && c.bytes > limit; {
		entry, before := at.Value.(*cacheEntry), at.Prev()
		if entry.set != nil && !keep(entry.digest) {
			c.bytes -= size(entry.set)
			c.forget(at)
		}
		at = before
	}
}

// trim forgets data sets beyond a limit, but for those of the given digests.
func (c *dataCache) trim(limit int64, keep []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink(limit, func(digest string) bool { return slices.Contains(keep, digest) })
}

// size returns the bytes of the data sets in the cache.
func (c *dataCache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

func (c *dataCache) forget(element *list.Element) {
	delete(c.entries, element.Value.(*cacheEntry).digest)
	c.recent.Remove(element)
}

func size(d *dataset.Dataset) int64 { return 8 * int64(len(d.X)+len(d.Y)) }

// fetchDataset reads a data set from the queue and checks its digest. One that does
// not match is a [*queue.DamagedError].
func fetchDataset(ctx context.Context, q *queue.Queue, digest string) (*dataset.Dataset, error) {
	body, err := q.Data(ctx, digest)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	read := &remembering{r: body}
	set, err := decodeDataset(read, digest)
	if err != nil && read.err == nil {
		err = &queue.DamagedError{Object: digest, Err: err}
	}
	return set, err
}

// remembering is a reader that remembers the error that ended it.
type remembering struct {
	r   io.Reader
	err error // nil at the end of what is read
}

func (r *remembering) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// readDataset reads a data set from a file and checks its digest.
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
