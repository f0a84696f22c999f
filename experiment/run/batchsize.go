package run

import (
	"time"

	"github.com/agepath/agepath/experiment/queue"
)

// batchTime is how long the cells that a slot pulls at a time may take together.
// Longer ones are pulled one by one: others wait for those behind.
const batchTime = 50 * time.Millisecond

// batchSize is how many tasks a slot pulls at a time.
type batchSize struct{ many int }

// most returns how many it is, at first one.
func (b *batchSize) most() int { return max(b.many, 1) }

// took notes how long n cells took.
func (b *batchSize) took(n int, long time.Duration) {
	fit := int64(batchTime) * int64(n) / max(int64(long), 1)
	b.many = int(min(fit, int64(2*b.most()), queue.MaxBatch))
}
