package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaNode is what TestSchemas reads of a schema and its parts.
type schemaNode struct {
	Description          string                `json:"description"`
	Type                 any                   `json:"type"`
	AdditionalProperties any                   `json:"additionalProperties"`
	Properties           map[string]schemaNode `json:"properties"`
	Items                *schemaNode           `json:"items"`
}

// TestSchemas wants every schema of docs/schemas to be valid, to describe every
// property, to allow no others, and to stand in docs/cli.md.
func TestSchemas(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(root, "docs", "schemas", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d schemas: %v", len(paths), err)
	}
	manual := read(t, "docs/cli.md")
	for _, path := range paths {
		name := filepath.Base(path)
		if _, err := jsonschema.NewCompiler().Compile(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(manual, "(schemas/"+name+")") {
			t.Errorf("docs/cli.md does not have %s", name)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var node schemaNode
		if err := json.Unmarshal(text, &node); err != nil {
			t.Fatal(err)
		}
		node.check(t, name)
	}
}

func (n *schemaNode) check(t *testing.T, place string) {
	t.Helper()
	if n.Type == "object" && n.AdditionalProperties == nil {
		t.Errorf("%s allows any further property", place)
	}
	for name, property := range n.Properties {
		if property.Description == "" {
			t.Errorf("%s does not describe %s", place, name)
		}
		property.check(t, place+"/"+name)
	}
	if n.Items != nil {
		n.Items.check(t, place+"[]")
	}
}
