package selfpaced

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestVersionsDocument wants docs/grid.md to say of each method what its version changed.
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
	for _, m := range methodTable {
		if documented := max(1, last[m.name]); documented != m.algorithm {
			t.Errorf("%s: version %d, docs/grid.md has %d", m.name, m.algorithm, documented)
		}
		delete(last, m.name)
	}
	for name := range last {
		t.Errorf("docs/grid.md has versions of %s, which is no method", name)
	}
}
