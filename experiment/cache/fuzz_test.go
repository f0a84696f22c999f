package cache

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
)

// FuzzSegment reads segments of any bytes: what is served of them is as it was kept, and
// who writes next is served.
func FuzzSegment(f *testing.F) {
	var whole []byte
	for i := range 3 {
		b := &block{}
		for cell := range 4 {
			k, _ := (&Cache{}).key(cellOf(4*i + cell))
			b.add(k, []byte{0xa0}) // no outcome
		}
		whole = append(whole, b.encode()...)
	}
	f.Add([]byte{})
	f.Add([]byte(magic))
	f.Add(whole)
	f.Add(whole[:len(whole)-5])
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, segmentName(0, 1)), text, 0o666); err != nil {
			t.Fatal(err)
		}
		c := &Cache{Dir: dir, Limit: 1 << 20}
		cells := func() (served []int) {
			ids := []string{cellOf(0), cellOf(1), cellOf(100)}
			err := c.Each(t.Context(), slices.Values(ids), func(o *experiment.Outcome) (bool, error) {
				if !slices.Contains(ids, o.Cell) {
					t.Errorf("cell %q is served, which nobody wants", o.Cell)
				}
				if o.Cell == cellOf(100) && !reflect.DeepEqual(o, outcome(100)) {
					t.Errorf("cell 100 is served as %+v", o)
				}
				served = append(served, slices.Index(ids, o.Cell))
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return served
		}
		cells()
		fill(c, 100, 101)
		c.Close()
		if !slices.Contains(cells(), 2) {
			t.Error("what was written is not served")
		}
	})
}
