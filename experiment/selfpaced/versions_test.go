package selfpaced

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
)

// TestVersionsDocument wants docs/grid.md to say of each method and of flip-boundary what its version changed.
func TestVersionsDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/grid.md")
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]int{}
	row := regexp.MustCompile(`(?m)^\| ([a-z, -]+) \| (\d+) \| \S`)
	for _, match := range row.FindAllStringSubmatch(string(text), -1) {
		version, _ := strconv.Atoi(match[2])
		for method := range strings.SplitSeq(match[1], ", ") {
			if want := max(1, last[method]) + 1; version != want {
				t.Errorf("docs/grid.md: version %d of %s follows %d", version, method, want-1)
			}
			last[method] = version
		}
	}
	versions := map[string]int{dataset.FlipBoundary: dataset.NoiseVersion(dataset.FlipBoundary)}
	for _, m := range methodTable {
		versions[m.name] = m.algorithm
	}
	for name, version := range versions {
		if documented := max(1, last[name]); documented != version {
			t.Errorf("%s: version %d, docs/grid.md has %d", name, version, documented)
		}
		delete(last, name)
	}
	for name := range last {
		t.Errorf("docs/grid.md has versions of %s, which is no method", name)
	}
}
