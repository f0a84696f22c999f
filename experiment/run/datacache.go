package run

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
)

// cacheBytes is how much memory the data sets that no cell uses at the moment
// may take on a worker.
const cacheBytes = 512 << 20

// dataCache gives the slots of a worker the data sets of the queue. A data set
// is fetched once however many slots ask for it, and the least recently used
// ones are forgotten beyond cacheBytes.
type dataCache struct {
	queue *queue.Queue

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

func newDataCache(q *queue.Queue) *dataCache {
	return &dataCache{queue: q, entries: map[string]*list.Element{}, recent: list.New()}
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
		entry.set, entry.err = fetchDataset(ctx, c.queue, digest)
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
	for c.bytes > cacheBytes && c.recent.Len() > 1 {
		oldest := c.recent.Back()
		for oldest != nil && (oldest == element || oldest.Value.(*cacheEntry).set == nil) {
			oldest = oldest.Prev()
		}
		if oldest == nil {
			return
		}
		c.bytes -= size(oldest.Value.(*cacheEntry).set)
		c.forget(oldest)
	}
}

func (c *dataCache) forget(element *list.Element) {
	delete(c.entries, element.Value.(*cacheEntry).digest)
	c.recent.Remove(element)
}

func size(d *dataset.Dataset) int64 { return 8 * int64(len(d.X)+len(d.Y)) }

// fetchDataset reads a data set from the queue and checks its digest.
func fetchDataset(ctx context.Context, q *queue.Queue, digest string) (*dataset.Dataset, error) {
	body, err := q.Data(ctx, digest)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	set, err := dataset.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("reading data set %s: %w", digest, err)
	}
	if have := set.Digest(); have != digest {
		return nil, fmt.Errorf("data set %s arrived with the digest %s", digest, have)
	}
	return set, nil
}
