package docs

import (
	"strings"
	"testing"
)

// TestLibraryExample wants the Go example of docs/library.md to be the body of
// Example, which is compiled and run, and the output below it to be its
// output.
func TestLibraryExample(t *testing.T) {
	t.Parallel()
	_, body, found := strings.Cut(read(t, "docs/example_test.go"), "\nfunc Example() {\n")
	body, output, closed := strings.Cut(body, "\n\t// Output:\n")
	output, _, ended := strings.Cut(output, "\n}")
	if !found || !closed || !ended {
		t.Fatal("docs/example_test.go has no Example with an output")
	}
	page := read(t, "docs/library.md")
	if want := fence + "go\n" + dedent(body, "\t") + "\n" + fence; !strings.Contains(page, want) {
		t.Errorf("docs/library.md does not have the body of Example:\n%s", want)
	}
	if want := fence + "text\n" + dedent(output, "\t// ") + "\n" + fence; !strings.Contains(page, want) {
		t.Errorf("docs/library.md does not have the output of Example:\n%s", want)
	}
}

// dedent removes prefix from every line.
func dedent(text, prefix string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, prefix)
	}
	return strings.Join(lines, "\n")
}
