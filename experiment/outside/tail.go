package outside

import (
	"strings"
	"sync"
)

// tailBytes is how much of the end of standard error is kept.
const tailBytes = 8 << 10

type tail struct {
	mu   sync.Mutex
	text []byte
	more bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailBytes):]...)
	if over := len(t.text) - tailBytes; over > 0 || len(p) > tailBytes {
		t.text, t.more = append(t.text[:0], t.text[max(0, over):]...), true
	}
	return len(p), nil
}

func (t *tail) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\uFFFD"))
	if t.more {
		text = "...\n" + text
	}
	t.text, t.more = nil, false
	return text
}
