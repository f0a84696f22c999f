package run

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
)

// TestWorkerSaysReasonsOnce wants a worker to report attempts that fail for one reason at the
// first, at powers of ten and, where more came, once at the end.
func TestWorkerSaysReasonsOnce(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	for i := range 12 {
		publish(t, q, task(fmt.Sprintf("error%d", i), "error", experiment.Limits{Attempts: 1}))
	}
	for i := range 3 {
		publish(t, q, task(fmt.Sprintf("panic%d", i), "panic", experiment.Limits{Attempts: 1}))
	}
	publish(t, q, task("fine", "fine", experiment.Limits{Attempts: 1}), task("lonely", "hang", experiment.Limits{Attempts: 1, Timeout: time.Millisecond}))
	var said []string
	w := &Worker{
		Queue: q, Slots: 1, Drain: true, Idle: 10 * time.Millisecond, Kinds: []experiment.Kind{&toy{}},
		Report: func(cell string, err error) {
			text := err.Error()
			if cell == "" {
				text = "at the end: " + text
			}
			said = append(said, text)
		},
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(outcomes(t, q)); n != 17 {
		t.Errorf("%d outcomes", n)
	}
	slices.Sort(said)
	want := []string{
		"at the end: attempts that failed: 12 x no luck", "at the end: attempts that failed: 3 x panic: out of luck",
		"attempts that failed: 1 x no luck", "attempts that failed: 1 x panic: out of luck", "attempts that failed: 1 x timeout: not done within 1ms",
		"attempts that failed: 10 x no luck",
	}
	if !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}
