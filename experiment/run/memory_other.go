//go:build !linux

package run

import (
	"runtime/metrics"
	"sync/atomic"
)

// memory tells how much memory this process has in use: what Go's runtime has
// got of the system and not given back.
type memory struct{ most atomic.Int64 }

func openMemory() *memory { return new(memory) }

// now returns the bytes in use.
func (m *memory) now() (int64, bool) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64()), true
}

// begin starts a new peak.
func (m *memory) begin() {
	now, _ := m.now()
	m.most.Store(now)
}

// sample tells of the bytes in use at a moment.
func (m *memory) sample(now int64) { m.most.Store(max(m.most.Load(), now)) }

// peak returns the most bytes in use of the moments since begin.
func (m *memory) peak() (int64, bool) {
	now, _ := m.now()
	return max(m.most.Load(), now), true
}
