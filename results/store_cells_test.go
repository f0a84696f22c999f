package results

import (
	"iter"

	"github.com/agepath/agepath/experiment"
)

// Len returns the number of durable cells, those of former grids among them.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.index.entries)
}

// Done goes over the durable cells and how they ended. The store must not be
// used in between.
func (s *Store) Done() iter.Seq2[string, experiment.Status] {
	return func(yield func(string, experiment.Status) bool) {
		for _, e := range s.index.entries {
			if !yield(e.key.String(), experiment.Statuses[e.status]) {
				return
			}
		}
	}
}
