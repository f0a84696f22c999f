package run

import (
	"strings"
	"sync"
)

// headBytes of a process's standard error are kept: a panic's message comes first.
const headBytes = 8 << 10

// head keeps the beginning of what is written to it.
type head struct {
	mu   sync.Mutex
	text []byte
	more bool
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := min(len(p), headBytes-len(h.text))
	h.text = append(h.text, p[:n]...)
	h.more = h.more || n < len(p)
	return len(p), nil
}

// take returns the beginning of what was written since the last take.
func (h *head) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := strings.TrimSpace(string(h.text))
	if h.more {
		text += "\n..."
	}
	h.text, h.more = nil, false
	return text
}
