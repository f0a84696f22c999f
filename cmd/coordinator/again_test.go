package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// TestRunFolder wants a reviewer to compute a published folder again, with the sources of its methods
// and without the author's home, grid and data, and to see an answer that was changed.
func TestRunFolder(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	home := t.TempDir()
	write(t, home, "work/mine.sh", `while read -r line; do
id=${line#*\"id\":\"}
id=${id%%\"*}
echo "{\"cell\": \"$id\", \"skipped\": \"not here\"}"
done
`)
	write(t, home, "work/grid.yaml", strings.Replace(smallGrid, "methods: [original]", "methods: [original, {command: {name: mine, run: [/bin/sh, mine.sh], files: [mine.sh]}}]", 1))
	made := process(t.Context(), "run", filepath.Join(home, "work", "grid.yaml"), "--out", filepath.Join(home, "out"), "--allow-commands", "--workers", "1", "--figures", "0", "--format", "csv")
	made.Env = append(made.Environ(), "HOME="+home)
	if text, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	published := filepath.Join(t.TempDir(), "published")
	if err := os.Rename(filepath.Join(home, "out"), published); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(home, "work")); err != nil {
		t.Fatal(err)
	}
	files := contents(t, published)
	if text := files[results.ManifestName]; strings.Contains(text, home) || !strings.Contains(text, `"path": "~/work/grid.yaml"`) {
		t.Errorf("the manifest has %s", text)
	}
	if o := must(t, "verify", published); strings.Contains(o.out, "note:") {
		t.Errorf("verify prints %s", o.out)
	}
	for name, path := range map[string]string{"folder": published, "manifest": filepath.Join(published, results.ManifestName)} {
		out := filepath.Join(home, name)
		o := must(t, "run", path, "--out", out, "--allow-commands", "--workers", "1", "--figures", "0", "--set", "seed=1")
		if !strings.Contains(o.out, "20 of 20 cells computed") {
			t.Errorf("%s: run prints %s", name, o.out)
		}
		wantSameNumbers(t, numbers(t, published), numbers(t, out))
	}

	must(t, "crate", published, "--license", "CC-BY-4.0", "--author", "Jo Doe", "--author", "A. N. Other")
	must(t, "report", published, "--figures", "0") // renews the crate
	g := readCrate(t, published)
	root := g.entities["./"]
	if license := g.references(root, "license"); len(license) != 1 || license[0] != "https://spdx.org/licenses/CC-BY-4.0" {
		t.Errorf("the license is %v", license)
	}
	if authors := g.references(root, "author"); len(authors) != 2 || g.entities[authors[1]]["name"] != "A. N. Other" {
		t.Errorf("the authors are %v", authors)
	}
	if g.entities["files/mine.sh"]["sha256"] == nil {
		t.Error("the crate does not have mine.sh")
	}
	must(t, "verify", published)

	write(t, published, "files/mine.sh", "exit 1\n")
	if o := do(t, "verify", published); o.code != command.ExitFailed || !strings.Contains(o.out, "mine.sh is not the file that the cells were computed with") {
		t.Errorf("another source: exit status %d, %s", o.code, o.out)
	}
	write(t, published, "files/mine.sh", files["files/mine.sh"])
	// An answer with the digest that made.json has is still not what the tables say.
	if err := os.Remove(filepath.Join(published, results.CrateName)); err != nil {
		t.Fatal(err)
	}
	answer := strings.Replace(contents(t, published)["report/answer.csv"], "original,", "mine,", 1)
	report, err := results.ReadMade(published)
	if err != nil {
		t.Fatal(err)
	}
	report.Files["answer.csv"] = outside.Digest([]byte(answer))
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	write(t, published, "report/answer.csv", answer)
	write(t, published, "report/made.json", string(text))
	if o := do(t, "verify", published); o.code != command.ExitFailed || !strings.Contains(o.out, "answer.csv does not say what the tables say") {
		t.Errorf("another answer: exit status %d, %s", o.code, o.out)
	}
}
