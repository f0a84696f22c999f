//go:build !linux

package run

import (
	"io"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// memory measures what Go's runtime got from the system and has not returned.
type memory struct{ most atomic.Int64 }

func openMemory() *memory { return new(memory) }

func (m *memory) now() (int64, bool) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64()), true
}

func (m *memory) begin() {
	now, _ := m.now()
	m.most.Store(now)
}

func (m *memory) sample(now int64) { m.most.Store(max(m.most.Load(), now)) }

// peak is the maximum sample since begin.
func (m *memory) peak() (int64, bool) {
	now, _ := m.now()
	return max(m.most.Load(), now), true
}

func threadTime() (time.Duration, bool) { return 0, false }

func withoutThread(in io.Reader) io.Reader { return in }
