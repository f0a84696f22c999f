package run

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
)

// slotCacheBytes bounds unused data sets in a slot's process.
const slotCacheBytes = 256 << 20

// dataCache keeps data sets between cells; beyond the limit the least recently used are dropped.
type dataCache struct {
	mu   sync.Mutex
	sets []cachedSet // the most recently used last
}

type cachedSet struct {
	digest string
	set    *dataset.Dataset
}

// get returns a data set that is kept, or keeps what read returns. It is shared and must not be
// changed.
func (c *dataCache) get(digest string, read func() (*dataset.Dataset, error)) (*dataset.Dataset, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.sets, func(s cachedSet) bool { return s.digest == digest })
	if at >= 0 {
		used := c.sets[at]
		c.sets = append(slices.Delete(c.sets, at, at+1), used)
		return used.set, nil
	}
	set, err := read()
	if err == nil {
		c.sets = append(c.sets, cachedSet{digest, set})
		c.trim(slotCacheBytes, []string{digest})
	}
	return set, err
}

// The caller holds mu, or has no cell.
func (c *dataCache) trim(limit int64, keep []string) {
	over := c.size() - limit
	c.sets = slices.DeleteFunc(c.sets, func(s cachedSet) bool {
		if over <= 0 || slices.Contains(keep, s.digest) {
			return false
		}
		over -= size(s.set)
		return true
	})
}

func (c *dataCache) size() (bytes int64) {
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
