package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// link finds the targets of links and images, reference those of "[name]:
// target" lines.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?m:^\[[^\]]+\]:\s*(\S+))`)

// mention finds files of the repository that are named in code type.
var mention = regexp.MustCompile("`([A-Za-z_.-]+/[A-Za-z_./-]+\\.(?:go|md|yaml|json|py))`")

// fence begins and ends a block of code.
const fence = "```"

// prose returns a document without its blocks of code.
func prose(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, fence) {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// anchors returns the anchors of a document's headings, as GitHub makes them.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(prose(text)) {
		heading := strings.TrimLeft(line, "#")
		if heading == line {
			continue
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(heading))
		found[anchor] = true
	}
	return found
}

// TestLinks wants every link of a document to a file or a heading of the
// repository to lead somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	links := 0
	walk(t, ".md", func(name string) {
		for _, match := range link.FindAllStringSubmatch(prose(read(t, name)), -1) {
			target, anchor, _ := strings.Cut(match[1]+match[2], "#")
			if strings.Contains(target, "://") {
				continue
			}
			links++
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil && ofDeleted(file) {
				continue
			} else if err != nil {
				t.Errorf("%s: link to %s: %v", name, target, err)
				continue
			}
			if anchor != "" && !anchors(read(t, file))[anchor] {
				t.Errorf("%s: link to %s#%s: there is no such heading", name, target, anchor)
			}
		}
	})
	if links < 10 {
		t.Errorf("%d links found", links)
	}
}

// TestMentions wants the files that documents name by their path from the root
// to be there.
func TestMentions(t *testing.T) {
	t.Parallel()
	mentions := 0
	walk(t, ".md", func(name string) {
		for _, match := range mention.FindAllStringSubmatch(prose(read(t, name)), -1) {
			if strings.HasPrefix(match[1], "out/") || strings.HasPrefix(match[1], "report/") {
				continue // of a run
			}
			mentions++
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(match[1]))); err != nil && !ofDeleted(path.Dir(match[1])) {
				t.Errorf("%s names %s: %v", name, match[1], err)
			}
		}
	})
	if mentions < 10 {
		t.Errorf("%d files named", mentions)
	}
}
