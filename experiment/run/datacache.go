package run

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
)

// cacheBytes bounds unused data sets in a worker that computes in its own process.
const cacheBytes = 512 << 20

type fetcher func(ctx context.Context, digest string) (*dataset.Dataset, error)

// dataCache fetches a data set once for all slots; beyond the limit the least recently used are
// dropped.
type dataCache struct {
	fetch    fetcher
	file     func(ctx context.Context, digest string) ([]byte, error)
	limit    int64 // bytes
	fetching singleflight.Group

	mu   sync.Mutex
	sets []cachedSet // the most recently used last
}

type cachedSet struct {
	digest string
	set    *dataset.Dataset
}

func newDataCache(limit int64, fetch fetcher) *dataCache {
	return &dataCache{fetch: fetch, limit: limit}
}

// Dataset returns the data set of a digest. It is shared and must not be changed.
func (c *dataCache) Dataset(ctx context.Context, digest string) (*dataset.Dataset, error) {
	if set := c.use(digest); set != nil {
		return set, nil
	}
	fetch := c.fetch // a slot sets one per request
	fetched := c.fetching.DoChan(digest, func() (any, error) {
		if set := c.use(digest); set != nil { // fetched meanwhile
			return set, nil
		}
		set, err := fetch(ctx, digest)
		if err == nil {
			c.mu.Lock()
			c.sets = append(c.sets, cachedSet{digest, set})
			c.mu.Unlock()
			c.trim(c.limit, []string{digest})
		}
		return set, err
	})
	select {
	case f := <-fetched:
		return f.Val.(*dataset.Dataset), f.Err
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for data set %s: %w", digest, ctx.Err())
	}
}

func (c *dataCache) File(ctx context.Context, digest string) ([]byte, error) {
	return c.file(ctx, digest)
}

func (c *dataCache) use(digest string) *dataset.Dataset {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.sets, func(s cachedSet) bool { return s.digest == digest })
	if at < 0 {
		return nil
	}
	used := c.sets[at]
	c.sets = append(slices.Delete(c.sets, at, at+1), used)
	return used.set
}

func (c *dataCache) trim(limit int64, keep []string) {
	over := c.size() - limit
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sets = slices.DeleteFunc(c.sets, func(s cachedSet) bool {
		if over <= 0 || slices.Contains(keep, s.digest) {
			return false
		}
		over -= size(s.set)
		return true
	})
}

func (c *dataCache) size() (bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sets {
		bytes += size(s.set)
	}
	return bytes
}

func size(d *dataset.Dataset) int64 { return 8 * int64(len(d.X)+len(d.Y)) }

// fetchDataset returns a [*queue.DamagedError] for another digest.
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

type remembering struct {
	r   io.Reader
	err error // nil at the end of the data
}

func (r *remembering) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
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
