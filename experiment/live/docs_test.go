package live

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestMetricsDocument wants docs/operations.md to list the metrics that there
// are, with their labels.
func TestMetricsDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`([a-z]+)`")
	documented := map[string][]string{}
	for _, match := range regexp.MustCompile("(?m)^\\| `(agepath_[a-z_]+)` \\| \\w+ \\|([^|]*)\\|").FindAllStringSubmatch(string(text), -1) {
		labels := []string{}
		for _, label := range quoted.FindAllStringSubmatch(match[2], -1) {
			labels = append(labels, label[1])
		}
		documented[match[1]] = labels
	}
	descriptions := make(chan *prometheus.Desc, 100)
	new(Monitor).Describe(descriptions)
	close(descriptions)
	described := regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)
	for d := range descriptions {
		match := described.FindStringSubmatch(d.String())
		if match == nil {
			t.Fatalf("description %s", d)
		}
		labels := regexp.MustCompile(`\w+`).FindAllString(match[2], -1)
		if got, there := documented[match[1]]; !there || !slices.Equal(got, labels) {
			t.Errorf("docs/operations.md has %s with the labels %q, want %q", match[1], got, labels)
		}
		delete(documented, match[1])
	}
	if len(documented) > 0 {
		t.Errorf("docs/operations.md lists metrics that are not there: %v", documented)
	}
}
