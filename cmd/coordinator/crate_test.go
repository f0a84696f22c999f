package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
)

// crateGraph is a crate's description, with its entities by @id.
type crateGraph struct {
	t        *testing.T
	entities map[string]map[string]any
}

// readCrate reads the crate of a folder and checks what every RO-Crate 1.1 must hold: a flat
// graph of entities, each once, whose properties and types are terms of the context.
func readCrate(t *testing.T, dir string) *crateGraph {
	t.Helper()
	var context, crate struct {
		Context any              `json:"@context"`
		Graph   []map[string]any `json:"@graph"`
	}
	for path, value := range map[string]any{filepath.Join("testdata", "crate.json"): &context, filepath.Join(dir, "ro-crate-metadata.json"): &crate} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	terms := context.Context.(map[string]any)
	if contexts, _ := crate.Context.([]any); !slices.Contains(contexts, any("https://w3id.org/ro/crate/1.1/context")) {
		t.Errorf("the context is %v", crate.Context)
	}
	g := &crateGraph{t, map[string]map[string]any{}}
	for _, entity := range crate.Graph {
		id, _ := entity["@id"].(string)
		if g.entities[id] != nil || id == "" {
			t.Errorf("the entity %q is there twice", id)
		}
		g.entities[id] = entity
		kind, _ := entity["@type"].(string)
		if terms[kind] == nil {
			t.Errorf("%s has the type %q, which the context does not have", id, kind)
		}
		for key := range entity {
			if key != "@id" && key != "@type" && terms[key] == nil {
				t.Errorf("%s has the property %q, which the context does not have", id, key)
			}
		}
	}
	for id, entity := range g.entities {
		for key := range entity {
			for _, to := range g.references(entity, key) {
				if g.entities[to] == nil && to != "https://w3id.org/ro/crate/1.1" {
					t.Errorf("%s of %s refers to %q, which is not there", key, id, to)
				}
			}
		}
	}
	return g
}

// references returns the entities that a property refers to. Entities may not be nested.
func (g *crateGraph) references(entity map[string]any, key string) (ids []string) {
	list, ok := entity[key].([]any)
	if !ok {
		list = []any{entity[key]}
	}
	for _, value := range list {
		if object, ok := value.(map[string]any); ok {
			id, _ := object["@id"].(string)
			if len(object) != 1 || id == "" {
				g.t.Errorf("%v: %s is nested: %v", entity["@id"], key, object)
			}
			ids = append(ids, id)
		}
	}
	return ids
}

// follow returns the entities that a property refers to, all of a type.
func (g *crateGraph) follow(entity map[string]any, key string, kinds ...string) (list []map[string]any) {
	g.t.Helper()
	for _, id := range g.references(entity, key) {
		to := g.entities[id]
		if kind, _ := to["@type"].(string); !slices.Contains(kinds, kind) {
			g.t.Errorf("%s of %v refers to %s of the type %q", key, entity["@id"], id, kind)
		}
		list = append(list, to)
	}
	if len(list) == 0 {
		g.t.Fatalf("%v has no %s", entity["@id"], key)
	}
	return list
}

// TestCrate describes a folder of results and holds what it says against RO-Crate 1.1, the profile
// Process Run Crate and the files.
func TestCrate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", smallGrid), filepath.Join(dir, "out")
	must(t, "run", grid, "--out", out, "--workers", "1", "--figures", "1", "--no-reuse", "--set", "repeats=1", "--format", "markdown,html,parquet")
	file := filepath.Join(out, "ro-crate-metadata.json")
	if o := must(t, "crate", out); strings.TrimSpace(o.out) != file {
		t.Errorf("it prints %q", o.out)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	must(t, "crate", out)
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("made again it is another one, %v", err)
	}
	if strings.Contains(string(before), dir) {
		t.Error("it has a path of this machine")
	}
	must(t, "verify", out)

	g := readCrate(t, out)
	descriptor := g.entities["ro-crate-metadata.json"]
	if to := g.references(descriptor, "conformsTo"); !slices.Equal(to, []string{"https://w3id.org/ro/crate/1.1"}) {
		t.Errorf("it conforms to %q", to)
	}
	root := g.follow(descriptor, "about", "Dataset")[0]
	if published, _ := root["datePublished"].(string); root["@id"] != "./" || root["name"] == "" || root["description"] == "" || isDate(published) != nil {
		t.Errorf("the root is %v", root)
	}
	if profile := g.follow(root, "conformsTo", "CreativeWork")[0]; profile["@id"] != "https://w3id.org/ro/wfrun/process/0.5" || profile["version"] != "0.5" {
		t.Errorf("the profile is %v", profile)
	}
	parts := map[string]bool{}
	for _, part := range g.follow(root, "hasPart", "File") {
		name, err := url.PathUnescape(part["@id"].(string))
		if err != nil {
			t.Fatal(err)
		}
		parts[name] = true
		text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
		digest := sha256.Sum256(text)
		if err != nil || part["sha256"] != hex.EncodeToString(digest[:]) || part["contentSize"] != strconv.Itoa(len(text)) || part["encodingFormat"] == nil {
			t.Errorf("%s is said to be %v, %v", name, part, err)
		}
	}
	for name := range contents(t, out) {
		if !parts[name] && name != ".lock" && name != "ro-crate-metadata.json" {
			t.Errorf("%s is not part of it", name)
		}
	}
	action := g.follow(root, "mentions", "CreateAction")[0]
	if tool := g.follow(action, "instrument", "SoftwareApplication")[0]; tool["softwareVersion"] == nil || tool["url"] != "https://github.com/agepath/agepath" {
		t.Errorf("the tool is %v", tool)
	}
	var inputs []string
	for _, input := range g.follow(action, "object", "CreativeWork", "PropertyValue") {
		inputs = append(inputs, input["@id"].(string))
	}
	if !slices.Equal(inputs, []string{"#grid", "#set", "#data-set-diabetes"}) || g.entities["#grid"]["value"] != smallGrid {
		t.Errorf("it took %q", inputs)
	}
	if results := g.follow(action, "result", "File"); len(results) != 2 || results[0]["@id"] != "cells.arrow" || results[1]["@id"] != "knots.arrow" {
		t.Errorf("it made %v", results)
	}
	start, err := time.Parse(time.RFC3339, action["startTime"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if end, err := time.Parse(time.RFC3339, action["endTime"].(string)); err != nil || end.Before(start) || time.Since(end) > time.Hour {
		t.Errorf("it took from %v to %v, %v", start, end, err)
	}
	if action["actionStatus"] != "http://schema.org/CompletedActionStatus" || action["error"] != nil {
		t.Errorf("it ended as %v, %v", action["actionStatus"], action["error"])
	}
	if err := os.WriteFile(filepath.Join(out, "cells.0007.arrows"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "crate", out); o.code != command.ExitFailed || !strings.Contains(o.err, "has not ended") {
		t.Errorf("of a run that goes on: exit status %d\n%s", o.code, o.err)
	}
	wantRefusal(t, do(t, "crate", dir), []string{"manifest.json", "`coordinator run` or `coordinator collect`"})
}

func isDate(text string) error {
	_, err := time.Parse(time.DateOnly, text)
	return err
}

// TestSoftware wants the versions that a command reports in the report and the crate, and compare to
// name those of two folders that differ.
func TestSoftware(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "mine.sh", `read -r software <`+dir+`/installed
while read -r line; do
  id=${line#*'"id":"'}
  echo '{"cell": "'"${id%%'"'*}"'", "coefficients": [[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]], "software": "'"$software"'"}'
done
`)
	grid := write(t, dir, "grid.yaml", "{name: soft, repeats: 2, data: [diabetes], models: [{ridge: {alpha: 1}}], methods: [original, {command: {name: mine, run: [/bin/sh, mine.sh], files: [mine.sh]}}]}")
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for out, installed := range map[string]string{one: "Python 3.11.2, numpy 1.24.2", two: "Python 3.12.1, numpy 2.1.0" + strings.Repeat(", x 1", 1000)} {
		write(t, dir, "installed", installed)
		must(t, "run", grid, "--out", out, "--allow-commands", "--figures", "0", "--no-reuse")
		if text := contents(t, out)["report/report.md"]; !strings.Contains(text, "- software of mine: "+installed[:20]) || strings.Contains(text, "software of original") {
			t.Errorf("the report of %s does not have %.40s", out, installed)
		}
		must(t, "verify", out)
		must(t, "crate", out)
		var mine map[string]any
		for id, entity := range readCrate(t, out).entities {
			if strings.HasPrefix(id, "#software-") {
				mine = entity
			}
		}
		if version, _ := mine["softwareVersion"].(string); !strings.HasPrefix(version, installed[:20]) || len(version) > 1000 {
			t.Errorf("the crate has %v", mine)
		}
	}
	if o := must(t, "compare", one, two); !strings.Contains(o.out, "the method mine ran on Python 3.12.1, numpy 2.1.0") || !strings.Contains(o.out, "in the baseline on Python 3.11.2, numpy 1.24.2.") {
		t.Errorf("compare does not name the versions:\n%s", o.out)
	}
	if o := must(t, "compare", one, one); strings.Contains(o.out, "the method mine ran on") {
		t.Errorf("equal folders differ:\n%s", o.out)
	}
}
