package selfpaced

import (
	"maps"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
)

// TestVersionsDocument wants docs/grid.md to list the versions of methods and noise above 1.
func TestVersionsDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/grid.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]int{}
	for _, match := range regexp.MustCompile(`(?m)^\| ([a-z-]+) \| (\d+) \|$`).FindAllStringSubmatch(string(text), -1) {
		documented[match[1]], _ = strconv.Atoi(match[2])
	}
	versions := map[string]int{dataset.FlipBoundary: dataset.NoiseVersion(dataset.FlipBoundary)}
	for _, m := range methodTable {
		versions[m.name] = m.algorithm
	}
	maps.DeleteFunc(versions, func(_ string, version int) bool { return version <= 1 })
	if !maps.Equal(documented, versions) {
		t.Errorf("docs/grid.md has the versions %v, want %v", documented, versions)
	}
}
